import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { findRelatives } from "./network-queries.ts";

/** A branch as it is named in a request: `branch`, `owner:branch` or `owner/repo:branch`. No branch's name has a colon. */
interface NamedHead {
  owner: string | null;
  repository: string | null;
  branch: string;
}

function parseHead(text: string): NamedHead {
  const colon = text.indexOf(":");
  if (colon < 0) {
    return { owner: null, repository: null, branch: text };
  }
  const [owner = "", ...rest] = text.slice(0, colon).split("/");
  return { owner, repository: rest.length === 0 ? null : rest.join("/"), branch: text.slice(colon + 1) };
}

/** Where a pull request is from. */
export interface Head {
  access: RepositoryAccess;
  /** Short name. */
  branch: string;
}

/**
 * Finds where a pull request is from: a branch of the base itself, or of a repository that it shares its descent with and whose code the
 * viewer may read. Of several such repositories of one owner the nearest counts. Whether the branch exists is not asked. Throws NotFound
 * for a repository that is not there, not of the same descent, or not for the viewer to read: all in the same words.
 */
export async function findHead(db: Reader, viewer: Viewer, base: RepositoryAccess, text: string): Promise<Head> {
  const named = parseHead(text);
  if (named.owner === null) {
    return { access: base, branch: named.branch };
  }
  const isBase =
    named.owner.toLowerCase() === base.owner.lowerName &&
    (named.repository === null || named.repository.toLowerCase() === base.repository.lowerName);
  if (isBase) {
    return { access: base, branch: named.branch };
  }
  const ids = await findRelatives(db, base.repository.id, named.owner, named.repository);
  const found = await findVisibleRepositories(db, viewer, ids);
  const access = ids.map((id) => found.get(id)).find((one) => one !== undefined && one.units.code >= accessModes.read);
  if (access === undefined) {
    throw new NotFound("repository of the head", clip(text, 80));
  }
  return { access, branch: named.branch };
}
