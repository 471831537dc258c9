import type { Action } from "../../auth/authorize.ts";
import type { Subject } from "../../auth/subject.ts";

/** A sent path segment can spell a name in several ways, so names are replaced by their position. */
const repositoryPath = /^(\/api\/v1\/repos\/|\/api\/v1\/user\/starred\/|\/(?!api\/))[^/]+\/[^/]+/;
const ownerPath = /^(\/api\/v1\/(?:orgs?|users)\/)[^/]+/;

function namesIn({ on }: Action): RegExp | null {
  return on === "repository" ? repositoryPath : ["owner", "organization", "user"].includes(on) ? ownerPath : null;
}

/** Whether the address begins with the names of what is asked about, so that a former name can be replaced. */
export function isNamedByPath(action: Action, request: Request): boolean {
  return namesIn(action)?.test(new URL(request.url).pathname) === true;
}

/** The address of the request with the names that what it asks about has today. `base` is the server's address. */
export function addressToday(base: string, action: Action, request: Request, { owner, repository }: Subject): string {
  const { pathname, search } = new URL(request.url);
  const names = repository === null ? [owner?.owner.name ?? ""] : [repository.owner.name, repository.repository.name];
  const path = pathname.replace(
    namesIn(action) ?? "",
    (_, prefix: string) => prefix + names.map(encodeURIComponent).join("/"),
  );
  return base + path + search;
}
