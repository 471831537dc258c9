import type { Database } from "../../../db/client.ts";
import { prepareFindRenamedOwner, type FindRenamedOwner } from "../../identity/owners/queries.ts";
import { prepareFindRedirect, type FindRedirect } from "../../repos/queries.ts";

export interface FormerNames {
  /** Returns the name that an owner of this former name has today. */
  readonly findOwner: FindRenamedOwner;
  /** Returns the id of the repository that had this name before. */
  readonly findRepository: FindRedirect;
}

export function buildFormerNames(db: Database): FormerNames {
  return { findOwner: prepareFindRenamedOwner(db), findRepository: prepareFindRedirect(db) };
}
