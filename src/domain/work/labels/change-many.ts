import type { RepositoryAccess } from "../../../auth/subject.ts";
import { removeLabel, replaceLabels } from "./label-issue.ts";
import { listLabelsOf } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { exclusiveScope, findLabels } from "../issues/detail-queries.ts";
import { editIssue, getLockedIssue } from "../issues/edit-issue.ts";
import { listAssignees } from "../issues/edit-queries.ts";

/** A change that is made to several issues, one after the other; undefined fields stay. */
export interface BatchChange {
  closed?: boolean | undefined;
  /** Ids of labels. One that is added takes the place of another one of its exclusive scope. */
  addedLabel?: number | undefined;
  removedLabel?: number | undefined;
  /** An id; null: none. */
  milestone?: number | null | undefined;
  /** The name of one who is assigned, too; null: nobody is any more. */
  assignee?: string | null | undefined;
}

/** Makes a change to one of several issues, or pull requests: all of it, or nothing. Throws what `editIssue` and `replaceLabels` throw. */
export async function changeOneOfMany(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { closed, milestone, assignee, addedLabel, removedLabel }: BatchChange,
): Promise<void> {
  if (closed !== undefined) {
    // It takes its locks in their order.
    await editIssue(work, access, number, { closed });
  }
  const row = await getLockedIssue(work, access, number);
  if (milestone !== undefined || assignee !== undefined) {
    const present = typeof assignee === "string" ? (await listAssignees(work.tx, row.id)).map(({ name }) => name) : [];
    const assignees = assignee === undefined ? undefined : assignee === null ? [] : [...present, assignee];
    await editIssue(work, access, number, { milestone, assignees });
  }
  if (addedLabel !== undefined) {
    const [current, [added]] = await Promise.all([
      listLabelsOf(work.tx, row.id),
      findLabels(work.tx, access, [addedLabel], "label"),
    ]);
    const scope = added === undefined ? null : exclusiveScope(added);
    const kept = current.filter((one) => scope === null || exclusiveScope(one) !== scope).map(({ id }) => id);
    await replaceLabels(work, access, number, [...new Set([...kept, addedLabel])], undefined);
  }
  if (removedLabel !== undefined) {
    await removeLabel(work, access, number, String(removedLabel), undefined);
  }
}
