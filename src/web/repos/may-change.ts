import type { RepositoryAccess } from "../../auth/subject.ts";
import { offers } from "../offers.ts";
import { writesCode } from "../pages.ts";
import type { Visit } from "../visit.ts";

/** Whether the visitor is offered what changes the code of a repository. A mirror is changed at its source. */
export function mayChange(visit: Visit, { repository }: RepositoryAccess): boolean {
  return offers(visit, writesCode) && !repository.mirror;
}
