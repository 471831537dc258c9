import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Visit } from "../visit.ts";

/** Whether the visitor is offered what changes the code of a repository. Whoever decides is the guard of the page that does it. */
export function mayChange({ actor }: Visit, { repository, units }: RepositoryAccess): boolean {
  return (
    actor !== null && units.code >= accessModes.write && repository.archivedAt === null && repository.mirror === false
  );
}
