import { authorize, type Action } from "../auth/authorize.ts";
import type { Forge } from "../domain/forge.ts";
import { identifyVisitor } from "./identify-visitor.ts";
import { Redirect } from "./respond.ts";
import type { Visit } from "./visit.ts";

/** The address asked for with other names at its beginning. */
function renamed(visit: Visit, names: readonly string[]): Redirect {
  const { pathname, search } = new URL(visit.request.url);
  const rest = pathname.split("/").slice(1 + names.length);
  return new Redirect(`${visit.root}/${[...names.map(encodeURIComponent), ...rest].join("/")}${search}`);
}

/** Where what stood at this address has gone, if this visitor may see it; null for what never was there. */
export async function findMoved(forge: Forge, visit: Visit, action: Action): Promise<Redirect | null> {
  const { owner = "", repo = "" } = visit.params;
  const read = { categories: [], level: "read" } as const;
  if (visit.request.method === "POST") {
    return null;
  }
  if (action.on === "repository") {
    const repositoryId = await forge.findRedirect(owner, repo.replace(/\.git$/, ""));
    const { subject } = repositoryId === null ? { subject: null } : await identifyVisitor(forge, visit.request, { repositoryId });
    const access = subject?.repository ?? null;
    const isOpen = subject !== null && access !== null && authorize(subject.actor, subject.credential, read, action, { repository: access }) === "allowed";
    return isOpen ? renamed(visit, [access.owner.name, access.repository.name]) : null;
  }
  if (action.on === "owner") {
    const ownerName = await forge.findRenamedOwner(owner);
    const { subject } = ownerName === null ? { subject: null } : await identifyVisitor(forge, visit.request, { ownerName });
    const isOpen = subject !== null && authorize(subject.actor, subject.credential, read, action, { owner: subject.owner }) === "allowed";
    return isOpen && ownerName !== null ? renamed(visit, [ownerName]) : null;
  }
  return null;
}
