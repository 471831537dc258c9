import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { checkLength } from "../issues/create-issue.ts";
import type { MilestoneRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import {
  deleteMilestoneRow,
  insertMilestone,
  lockMilestone,
  updateMilestone,
  type MilestoneColumns,
} from "./queries.ts";

type Place = Pick<RepositoryAccess, "repository" | "owner">;

/** The input for a milestone. If a field is undefined, a new milestone has none and a changed one keeps it. */
export interface MilestoneInput {
  title?: string | undefined;
  description?: string | undefined;
  /** null: it is never due. */
  dueAt?: Date | null | undefined;
  closed?: boolean | undefined;
}

/** The longest title and the longest description, characters. */
export const longestMilestoneTitle = 255;
export const longestMilestoneDescription = 100_000;

function readTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === "" || trimmed.length > longestMilestoneTitle || /\p{Cc}/u.test(trimmed)) {
    throw new InvalidInput(
      `The title of a milestone has 1 to ${longestMilestoneTitle} characters, and no control characters among them`,
      "title",
    );
  }
  return trimmed;
}

/** Throws InvalidInput for a description that is too long. */
function readDescription(description: string): string {
  checkLength(description, longestMilestoneDescription, "The description of a milestone", "description");
  return description;
}

/** Makes a milestone. Several may have one title. Throws InvalidInput that names the field. */
export async function createMilestone(
  work: Work,
  place: Place,
  input: MilestoneInput & { title: string },
): Promise<MilestoneRow> {
  return insertMilestone(work.tx, place.repository.id, {
    title: readTitle(input.title),
    description: readDescription(input.description ?? ""),
    dueAt: input.dueAt ?? null,
    closedAt: input.closed === true ? new Date() : null,
  });
}

async function getLocked(work: Work, { repository }: Place, idOrTitle: string): Promise<MilestoneRow> {
  const row = await lockMilestone(work.tx, repository.id, idOrTitle);
  if (row === null) {
    throw new NotFound("milestone", clip(idOrTitle, 80));
  }
  return row;
}

/** Changes, closes or reopens a milestone; its issues stay as they are. Throws NotFound, and InvalidInput that names the field. */
export async function editMilestone(
  work: Work,
  place: Place,
  idOrTitle: string,
  input: MilestoneInput,
): Promise<MilestoneRow> {
  const before = await getLocked(work, place, idOrTitle);
  const changed: Partial<MilestoneColumns> = {};
  const title = input.title === undefined ? before.title : readTitle(input.title);
  if (title !== before.title) {
    changed.title = title;
  }
  if (input.description !== undefined && input.description !== before.description) {
    changed.description = readDescription(input.description);
  }
  if (input.dueAt !== undefined && input.dueAt?.getTime() !== before.dueAt?.getTime()) {
    changed.dueAt = input.dueAt;
  }
  if (input.closed !== undefined && input.closed !== (before.closedAt !== null)) {
    changed.closedAt = input.closed ? new Date() : null;
  }
  if (Object.keys(changed).length === 0) {
    return before;
  }
  return updateMilestone(work.tx, before.id, changed);
}

/** Deletes a milestone; its issues stay and have none. Throws NotFound. */
export async function deleteMilestone(work: Work, place: Place, idOrTitle: string): Promise<void> {
  const row = await getLocked(work, place, idOrTitle);
  await deleteMilestoneRow(work.tx, row.id);
}
