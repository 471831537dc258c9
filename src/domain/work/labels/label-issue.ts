import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { demandChangeTime, demandWriter } from "../issues/access.ts";
import { exclusiveScope, findLabels, mostPerIssue } from "../issues/detail-queries.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import { updateIssue } from "../issues/edit-queries.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { insertLabels, type IssueRow, type LabelRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import { findLabelIds, listLabelsOf, removeLabels } from "./queries.ts";

/** A label by its id, or by its name. */
export type LabelReference = number | string;

/** When an issue is said to have been changed, which administrators of the repository may say; undefined: now. */
type ChangeTime = Date | undefined;

/**
 * Adds labels to an issue or a pull request. Its row is locked, so of two labels of one exclusive scope that are added at once one is
 * refused. Returns all that it has then, by name. Throws NotFound, Forbidden and InvalidInput; then nothing is added.
 */
export async function addLabels(
  work: Work,
  access: RepositoryAccess,
  number: number,
  references: readonly LabelReference[],
  at: ChangeTime,
): Promise<LabelRow[]> {
  const { row, current } = await open(work, access, number, at);
  const asked = await getLabels(work, access, references);
  const added = asked.filter(({ id }) => !current.some((one) => one.id === id));
  checkBeside(current, added);
  return change(work, access, row, { added, removed: [] }, at);
}

/** Gives an issue or a pull request these labels and no others. Returns them by name. Throws NotFound, Forbidden and InvalidInput. */
export async function replaceLabels(
  work: Work,
  access: RepositoryAccess,
  number: number,
  references: readonly LabelReference[],
  at: ChangeTime,
): Promise<LabelRow[]> {
  const { row, current } = await open(work, access, number, at);
  const asked = await getLabels(work, access, references);
  const added = asked.filter(({ id }) => !current.some((one) => one.id === id));
  const removed = current.filter(({ id }) => !asked.some((one) => one.id === id));
  return change(work, access, row, { added, removed }, at);
}

/** Takes all labels from an issue or a pull request. Throws NotFound and Forbidden. */
export async function clearLabels(work: Work, access: RepositoryAccess, number: number, at: ChangeTime): Promise<void> {
  const { row, current } = await open(work, access, number, at);
  await change(work, access, row, { added: [], removed: current, clears: true }, at);
}

/**
 * Takes a label from an issue or a pull request: the one of an id, or else those of a name. Nothing happens to an issue without it.
 * Throws NotFound, Forbidden, and InvalidInput when the repository has no such label.
 */
export async function removeLabel(
  work: Work,
  access: RepositoryAccess,
  number: number,
  idOrName: string,
  at: ChangeTime,
): Promise<void> {
  const { row, current } = await open(work, access, number, at);
  const byId = current.filter(({ id }) => String(id) === idOrName);
  const removed = byId.length > 0 ? byId : current.filter(({ name }) => name === idOrName);
  if (removed.length === 0) {
    const isId = /^[1-9]\d{0,15}$/.test(idOrName);
    const ids = await findLabelIds(work.tx, access, [idOrName]);
    if (ids.size === 0) {
      await findLabels(work.tx, access, isId ? [Number(idOrName)] : [], "id");
    }
    if (ids.size === 0 && !isId) {
      throw new InvalidInput(`The repository has no label "${clip(idOrName, 80)}"`, "id");
    }
  }
  await change(work, access, row, { added: [], removed }, at);
}

async function open(
  work: Work,
  access: RepositoryAccess,
  number: number,
  at: ChangeTime,
): Promise<{ row: IssueRow; current: LabelRow[] }> {
  const row = await getLockedIssue(work, access, number);
  await demandWriter(work, access, row);
  if (at !== undefined) {
    await demandChangeTime(work, row, at);
  }
  return { row, current: await listLabelsOf(work.tx, row.id) };
}

/** The labels of these ids and names; of several with one name the repository's own before the organization's, then the oldest. */
async function getLabels(
  work: Work,
  access: RepositoryAccess,
  references: readonly LabelReference[],
): Promise<LabelRow[]> {
  const names = references.filter((reference) => typeof reference === "string");
  const idOf = names.length === 0 ? new Map<string, number>() : await findLabelIds(work.tx, access, names);
  const ids = references.map((reference) => {
    const id = typeof reference === "number" ? reference : idOf.get(reference);
    if (id === undefined) {
      throw new InvalidInput(`The repository has no label "${clip(String(reference), 80)}"`, "labels");
    }
    return id;
  });
  return findLabels(work.tx, access, ids, "labels");
}

/** Throws InvalidInput when an issue would have too many labels, or a second one of an exclusive scope. */
function checkBeside(current: readonly LabelRow[], added: readonly LabelRow[]): void {
  if (current.length + added.length > mostPerIssue && added.length > 0) {
    throw new InvalidInput(`An issue has at most ${mostPerIssue} labels`, "labels");
  }
  for (const one of added) {
    const scope = exclusiveScope(one);
    const other = scope === null ? undefined : current.find((row) => exclusiveScope(row) === scope);
    if (other !== undefined) {
      throw new InvalidInput(
        `The issue has the label "${clip(other.name, 80)}", which excludes "${clip(one.name, 80)}": take it away first, or replace all labels`,
        "labels",
      );
    }
  }
}

const ids = (labels: readonly LabelRow[]) => labels.map(({ id }) => id);

async function change(
  work: Work,
  access: RepositoryAccess,
  row: IssueRow,
  { added, removed, clears = false }: { added: readonly LabelRow[]; removed: readonly LabelRow[]; clears?: boolean },
  at: ChangeTime,
): Promise<LabelRow[]> {
  const { tx } = work;
  await removeLabels(tx, row.id, ids(removed));
  await insertLabels(tx, row.id, ids(added));
  if (added.length + removed.length > 0 || at !== undefined) {
    await updateIssue(tx, row.id, { updatedAt: at ?? new Date() });
  }
  const repository = namedRepository(access);
  const issue = namedIssue(row);
  for (const [place, { id, name }] of removed.entries()) {
    const clearing = clears ? { clearing: { isLast: place === removed.length - 1 } } : {};
    work.tell({ kind: "issue.unlabeled", repository, issue, label: { id, name }, ...clearing });
  }
  for (const { id, name } of added) {
    work.tell({ kind: "issue.labeled", repository, issue, label: { id, name } });
  }
  return listLabelsOf(tx, row.id);
}
