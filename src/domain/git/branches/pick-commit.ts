import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { actorOf, type UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { identityOf } from "../commits/identity.ts";
import { checkBranchName } from "./create-branch.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { moveRefs } from "../refs/move-refs.ts";

import { writeObjects } from "../refs/write-objects.ts";

export interface PickCommit {
  /** Oid of a commit that the repository's refs reach. */
  readonly commit: string;
  /** The change itself, or what takes it back. */
  readonly kind: "cherry-pick" | "revert";
  /** Short name of the branch that it is made on. */
  readonly branch: string;
  /** A branch to begin there instead of moving that one; empty: none. */
  readonly newBranch: string;
  readonly message: string;
  /** What the change is counted from: the oid of a commit that the repository's refs reach. The commit's first parent unless another is given. */
  readonly since?: string;
}

/** Files that are named where a change does not fit. */
const shownConflicts = 10;

/**
 * Makes a commit of another commit's change, or of its opposite, on a branch. Returns the branch that has it. Throws NotFound, InvalidInput that names the field, Conflict that names the files, and what `moveRefs` throws.
 */
export async function pickCommit(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  asked: PickCommit,
): Promise<string> {
  if (asked.newBranch !== "") {
    checkBranchName(asked.newBranch, "new_branch");
  }
  if (asked.message.trim() === "") {
    throw new InvalidInput("The message must not be empty", "message");
  }
  await againIfRepacked(() => tryPick(forge, doer, access, asked));
  return asked.newBranch || asked.branch;
}

async function tryPick(forge: Forge, doer: UserDoer, access: RepositoryAccess, asked: PickCommit): Promise<void> {
  const { repository } = access;
  const { git } = forge;
  const target = `refs/heads/${asked.newBranch || asked.branch}`;
  const tip = await git.refs.findRef(repository.id, `refs/heads/${asked.branch}`);
  if (tip === null) {
    throw new InvalidInput(`There is no branch "${clip(asked.branch, 80)}"`, "branch");
  }
  if (asked.newBranch !== "" && (await git.refs.findRef(repository.id, target)) !== null) {
    throw new InvalidInput(`The branch "${clip(asked.newBranch, 80)}" exists already`, "new_branch");
  }
  const view = await git.views.view({ ...repository, generation: tip.generation });
  const found = await git.commits.find(view, [asked.commit, tip.oid]);
  const [commit, onto] = [found.get(asked.commit), found.get(tip.oid)];
  if (commit === undefined || onto === undefined) {
    throw new NotFound("commit", asked.commit);
  }
  const parent = asked.since ?? commit.parents[0];
  if (parent === undefined) {
    throw new InvalidInput("The first commit of a history has nothing before it to compare with");
  }
  const [base, theirs] = asked.kind === "revert" ? [commit.oid, parent] : [parent, commit.oid];
  const write = async (destination: Parameters<Parameters<typeof writeObjects>[2]>[0]) => {
    const made = await git.engine.write(view, "commitMerge", {
      base,
      ours: tip.oid,
      theirs,
      labels: { ours: asked.branch, base: "parent", theirs: commit.oid.slice(0, 10) },
      parents: [tip.oid],
      ...signatures(forge, doer, commit, asked.kind),
      message: `${asked.message.replaceAll("\r\n", "\n").replaceAll("\0", "").trimEnd()}\n`,
      destination,
    });
    if (made.commit === null) {
      throw conflictOf(asked, made.merged.conflicts);
    }
    if (made.merged.tree === onto.tree) {
      throw new Conflict(`The branch "${clip(asked.branch, 80)}" has this change already: there is nothing to commit`);
    }
    return { pack: made.pack, commit: made.commit };
  };
  await writeObjects(forge, doer, write, (work, made, packs) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [
        {
          name: target,
          oldOid: asked.newBranch === "" ? tip.oid : null,
          newOid: made.commit,
          peeled: null,
          forced: false,
        },
      ],
      reason: asked.kind,
      packs,
      checkedIn: view,
    }),
  );
}

function signatures(forge: Forge, doer: UserDoer, commit: CommitRecord, kind: PickCommit["kind"]) {
  const now = { seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 };
  const committer = { ...identityOf(forge.addresses, actorOf(doer)), ...now };
  return { author: kind === "revert" ? committer : commit.author, committer };
}

function conflictOf({ branch, kind }: PickCommit, conflicts: readonly { path: string }[]): Conflict {
  const files = [...new Set(conflicts.map(({ path }) => path))];
  const more = files.length > shownConflicts ? ` and ${files.length - shownConflicts} more` : "";
  const act = kind === "revert" ? "reverted" : "picked";
  return new Conflict(
    `The commit cannot be ${act} on "${clip(branch, 80)}": other changes are in the way in ${files.slice(0, shownConflicts).join(", ")}${more}. Nothing was changed`,
  );
}
