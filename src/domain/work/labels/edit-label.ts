import type { OwnerRow, RepositoryRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip, showValue } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { checkLength } from "../issues/create-issue.ts";
import type { LabelRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import { findLabelTemplate } from "../../repos/label-templates.ts";
import {
  deleteLabelRow,
  findHeldNames,
  insertHeldLabels,
  lockLabel,
  updateLabel,
  type LabelHolder,
} from "./queries.ts";

/** Where a label belongs: to a repository, or, where that is null, to an organization. */
export interface LabelPlace {
  owner: Pick<OwnerRow, "id" | "name">;
  repository: Pick<RepositoryRow, "id" | "name" | "private"> | null;
}

/** The input for a label. If a field is undefined, a new label has none and a changed one keeps it. */
export interface LabelInput {
  name?: string | undefined;
  /** Three or six hexadecimal digits, with "#" or without. */
  color?: string | undefined;
  description?: string | undefined;
  exclusive?: boolean | undefined;
  isArchived?: boolean | undefined;
  /** When it was archived; null: it is not. */
  archivedAt?: Date | null | undefined;
}

/** The longest name and the longest description, characters. */
export const longestLabelName = 255;
export const longestLabelDescription = 1000;

/** Returns the name without the blanks around it. Throws InvalidInput. */
function readName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > longestLabelName || /\p{Cc}/u.test(trimmed)) {
    throw new InvalidInput(
      `The name of a label has 1 to ${longestLabelName} characters, and no control characters among them`,
      "name",
    );
  }
  return trimmed;
}

/** Throws InvalidInput for a description that is too long. */
function readDescription(description: string): string {
  checkLength(description, longestLabelDescription, "The description of a label", "description");
  return description;
}

/** Returns six hexadecimal digits in lower case. Throws InvalidInput. */
function readColor(color: string): string {
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color.trim()) ?? [];
  if (digits === undefined) {
    throw new InvalidInput(
      `color must be six hexadecimal digits such as "#00aabb", or three such as "0ab", not ${showValue(color)}`,
      "color",
    );
  }
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  return full.toLowerCase();
}

/** Returns when a label was archived. Throws InvalidInput when the two fields contradict each other. */
function readArchived({ isArchived, archivedAt }: LabelInput, before: Date | null): Date | null {
  if (isArchived !== undefined && archivedAt !== undefined && isArchived !== (archivedAt !== null)) {
    throw new InvalidInput("is_archived and archived_at contradict each other: send one of them", "is_archived");
  }
  if (archivedAt !== undefined) {
    return archivedAt;
  }
  return isArchived === undefined ? before : isArchived ? (before ?? new Date()) : null;
}

function holderOf({ owner, repository }: LabelPlace): LabelHolder {
  return repository === null ? { ownerId: owner.id } : { repositoryId: repository.id };
}

/** Makes a label. Several may have one name. Throws InvalidInput that names the field. */
export async function createLabel(
  work: Work,
  place: LabelPlace,
  input: LabelInput & { name: string; color: string },
): Promise<LabelRow> {
  const columns = {
    name: readName(input.name),
    color: readColor(input.color),
    description: readDescription(input.description ?? ""),
    exclusive: input.exclusive ?? false,
    archivedAt: readArchived(input, null),
  };
  const [row] = await insertHeldLabels(work.tx, holderOf(place), [columns]);
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/**
 * Changes a label. One that becomes exclusive stays on issues that have another one of its scope: what is refused is to add a
 * second one. Throws NotFound, and InvalidInput that names the field.
 */
export async function editLabel(work: Work, place: LabelPlace, id: number, input: LabelInput): Promise<LabelRow> {
  const before = await lockLabel(work.tx, holderOf(place), id);
  if (before === null) {
    throw new NotFound("label", String(id));
  }
  const after = {
    name: input.name === undefined ? before.name : readName(input.name),
    color: input.color === undefined ? before.color : readColor(input.color),
    description: readDescription(input.description ?? before.description),
    exclusive: input.exclusive ?? before.exclusive,
    archivedAt: readArchived(input, before.archivedAt),
  };
  const isSame =
    after.name === before.name &&
    after.color === before.color &&
    after.description === before.description &&
    after.exclusive === before.exclusive &&
    after.archivedAt?.getTime() === before.archivedAt?.getTime();
  if (isSame) {
    return before;
  }
  return updateLabel(work.tx, id, after);
}

/** Deletes a label; the issues that have it lose it. Throws NotFound. */
export async function deleteLabel(work: Work, place: LabelPlace, id: number): Promise<void> {
  const row = await deleteLabelRow(work.tx, holderOf(place), id);
  if (row === null) {
    throw new NotFound("label", String(id));
  }
}

/** Adds those labels of a set that a holder has none of the name of. Returns how many these are. Throws NotFound for the set. */
export async function loadLabelSet(work: Work, place: LabelPlace, name: string): Promise<number> {
  const set = findLabelTemplate(name);
  if (set === null) {
    throw new NotFound("set of labels", clip(name, 80));
  }
  const holder = holderOf(place);
  const known = await findHeldNames(
    work.tx,
    holder,
    set.map((one) => one.name.toLowerCase()),
  );
  const added = set.filter((one) => !known.has(one.name.toLowerCase()));
  await insertHeldLabels(
    work.tx,
    holder,
    added.map((one) => ({ ...one, archivedAt: null })),
  );
  return added.length;
}
