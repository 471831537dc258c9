import { authorize, type Action, type NeededScopes } from "../../auth/authorize.ts";
import type { Forge } from "../../domain/forge.ts";
import { identifyRequest } from "../../http/identify-request.ts";

/** Answers where the repository or owner of a path is that had another name before; null when none had, or the caller may not see it. */
export type FindMoved = (request: Request, scopes: NeededScopes, action: Action, params: Record<string, string>) => Promise<string | null>;

/** A path segment as it was sent can spell a name in several ways, so names are replaced by position. */
const repositoryPath = /^(\/api\/v1\/repos\/|\/)[^/]+\/[^/]+/;
const ownerPaths = { org: /^(\/api\/v1\/orgs?\/)[^/]+/, username: /^(\/api\/v1\/users\/)[^/]+/ };

export function prepareFindMoved(forge: Forge): FindMoved {
  function newAddress(request: Request, names: RegExp, now: string): string {
    const url = new URL(request.url);
    return forge.addresses.base + url.pathname.replace(names, (_, prefix: string) => prefix + now) + url.search;
  }

  async function findRepository(request: Request, scopes: NeededScopes, { owner, repo }: Record<string, string>): Promise<string | null> {
    const repositoryId = owner === undefined || repo === undefined ? null : await forge.findRedirect(owner, repo);
    if (repositoryId === null) {
      return null;
    }
    const { actor, credential, repository } = await identifyRequest(forge, request, { repositoryId });
    if (repository === null || authorize(actor, credential, scopes, { on: "repository", do: "read" }, { repository }) !== "allowed") {
      return null;
    }
    return newAddress(request, repositoryPath, `${encodeURIComponent(repository.owner.name)}/${encodeURIComponent(repository.repository.name)}`);
  }

  async function findOwner(request: Request, scopes: NeededScopes, on: "owner" | "organization", params: Record<string, string>): Promise<string | null> {
    const param = params["org"] === undefined ? "username" : "org";
    const ownerName = ownerPaths[param].test(new URL(request.url).pathname) ? await forge.findRenamedOwner(params[param] ?? "") : null;
    if (ownerName === null) {
      return null;
    }
    const { actor, credential, owner } = await identifyRequest(forge, request, { ownerName });
    return authorize(actor, credential, scopes, { on, do: "see" }, { owner }) === "allowed" ? newAddress(request, ownerPaths[param], encodeURIComponent(ownerName)) : null;
  }

  return (request, scopes, action, params) =>
    action.on === "repository"
      ? findRepository(request, scopes, params)
      : action.on === "owner" || action.on === "organization"
        ? findOwner(request, scopes, action.on, params)
        : Promise.resolve(null);
}
