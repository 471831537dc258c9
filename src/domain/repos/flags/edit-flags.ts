import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { deleteFlags, insertFlags, listFlags } from "./queries.ts";

/** Most flags of one repository. */
const maxFlags = 100;
const flagName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Throws InvalidInput for what is no name of a flag. */
function checkFlagName(name: string): void {
  if (!flagName.test(name)) {
    throw new InvalidInput(
      `A flag has at most 100 letters, digits, "-", "_" and ".", and begins with a letter or digit; "${clip(name, 80)}" does not fit`,
      "flag",
    );
  }
}

/** Throws InvalidInput for more flags than a repository can have. */
function checkNumberOfFlags(flags: number): void {
  if (flags > maxFlags) {
    throw new InvalidInput(`A repository has at most ${maxFlags} flags, not ${flags}`, "flags");
  }
}

type Flagged = Pick<RepositoryAccess, "repository" | "owner">;

/** Replaces all flags of a repository. Throws InvalidInput for a bad name and for too many flags, and NotFound. */
export async function replaceFlags(work: Work, access: Flagged, flags: readonly string[]): Promise<void> {
  const names = [...new Set(flags)];
  names.forEach(checkFlagName);
  await changeFlags(work, access, () => names);
}

/** Adds a flag; nothing happens if the repository has it. Throws InvalidInput, and NotFound. */
export async function addFlag(work: Work, access: Flagged, flag: string): Promise<void> {
  checkFlagName(flag);
  await changeFlags(work, access, (flags) => [...new Set([...flags, flag])]);
}

/** Takes a flag away; nothing happens if the repository does not have it. Throws InvalidInput, and NotFound. */
export async function removeFlag(work: Work, access: Flagged, flag: string): Promise<void> {
  checkFlagName(flag);
  await changeFlags(work, access, (flags) => flags.filter((one) => one !== flag));
}

async function changeFlags(
  { tx, tell }: Work,
  { repository, owner }: Flagged,
  change: (flags: readonly string[]) => readonly string[],
): Promise<void> {
  const current = await lockRepositoryRow(tx, repository.id);
  if (current === null) {
    throw new NotFound("repository", `${owner.name}/${repository.name}`);
  }
  const before = await listFlags(tx, repository.id);
  const after = change(before);
  checkNumberOfFlags(after.length);
  const gone = before.filter((flag) => !after.includes(flag));
  const added = after.filter((flag) => !before.includes(flag));
  if (gone.length + added.length > 0) {
    await deleteFlags(tx, repository.id, gone);
    await insertFlags(tx, repository.id, added);
    tell({
      kind: "repository.edited",
      repository: namedRepository({ repository: current, owner }),
      changed: ["flags"],
    });
  }
}
