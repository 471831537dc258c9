import type { RepositoryAccess } from "../../../auth/subject.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { lockText, type TextTarget } from "./lock-text.ts";
import { forgetText } from "./version-queries.ts";

/**
 * Deletes what a text was before an edit, so that nobody reads it any more; that there was an edit stays known. One may do it who may change the
 * text. Throws NotFound, Forbidden.
 */
export async function forgetVersion(
  work: Work,
  access: RepositoryAccess,
  target: TextTarget,
  editId: number,
): Promise<void> {
  const { on } = await lockText(work, access, target);
  if (!(await forgetText(work.tx, on, editId))) {
    throw new NotFound("version", String(editId));
  }
}
