import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../errors.ts";
import { namedRepository } from "../events/names.ts";
import { lockRepositoryRow } from "../locks/queries.ts";
import type { Work } from "../work.ts";
import { checkFlagName, checkNumberOfFlags } from "./flag-name.ts";
import { deleteFlags, insertFlags, listFlags } from "./queries.ts";

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
