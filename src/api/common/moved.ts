import { authorize, type NeededScopes } from "../../auth/authorize.ts";
import type { Forge } from "../../domain/forge.ts";
import { identifyRequest } from "../../http/identify-request.ts";

/** Answers where a repository is that had another name before; null when none had, or the caller may not see it. */
export type FindMoved = (request: Request, scopes: NeededScopes, params: Record<string, string>) => Promise<string | null>;

/** A path segment as it was sent can spell a name in several ways, so owner and name are replaced by position. */
const repositoryPath = /^(\/api\/v1\/repos\/|\/)[^/]+\/[^/]+/;

export function prepareFindMoved(forge: Forge): FindMoved {
  return async (request, scopes, { owner, repo }) => {
    const repositoryId = owner === undefined || repo === undefined ? null : await forge.findRedirect(owner, repo);
    if (repositoryId === null) {
      return null;
    }
    const { actor, credential, repository } = await identifyRequest(forge, request, { repositoryId });
    if (repository === null || authorize(actor, credential, scopes, { on: "repository", do: "read" }, { repository }) !== "allowed") {
      return null;
    }
    const url = new URL(request.url);
    const name = `${encodeURIComponent(repository.owner.name)}/${encodeURIComponent(repository.repository.name)}`;
    return forge.addresses.base + url.pathname.replace(repositoryPath, (_, prefix: string) => prefix + name) + url.search;
  };
}
