import type { OwnerRow } from "../../auth/subject.ts";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Html } from "../html.ts";
import { identifyVisitor } from "../../http/identify-visitor.ts";
import { readme } from "../repos/readme.ts";
import type { Visit } from "../visit.ts";

/** The repository whose README stands on the page of its owner. */
const repositoryName = ".profile";
const mostEntries = 200;

/** The README with which an owner presents themselves; null if there is none that the visitor may read. */
export async function profileReadme(forge: Forge, visit: Visit, owner: OwnerRow): Promise<Html | null> {
  const { subject } = await identifyVisitor(forge, visit.request, { ownerName: owner.name, repositoryName });
  const access = subject.repository;
  const mayRead = isAllowed(subject, demandTo({ on: "repository", do: "read", unit: "code" }, "read", []));
  if (access === null || !mayRead || access.repository.empty) {
    return null;
  }
  const revision = await forge.git.revisions.find(access.repository);
  if (revision === null) {
    return null;
  }
  const tree = await forge.git.engine.call(
    revision.view,
    "listTree",
    { commit: revision.commit, path: "", recursive: false, lastCommits: false, skip: 0, limit: mostEntries },
    visit.request.signal,
  );
  return tree === null ? null : readme(forge, visit, access, revision, tree.entries);
}
