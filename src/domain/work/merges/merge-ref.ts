import type { RepositoryAccess } from "../../../auth/subject.ts";
import { describeError } from "../../../db/pg-errors.ts";
import { StithyError } from "../../../lib/errors.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { serverDoer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { mergeRef, pullReason } from "../pulls/pull-refs.ts";
import { findPull, lockPull, type IssueAndPull } from "../pulls/queries.ts";
import { freshPull } from "../pulls/refresh-pull.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { writeObjects } from "../../git/refs/write-objects.ts";
import { MergeRefused } from "./merge-errors.ts";
import { makeMerge } from "./merge-styles.ts";

const doer = serverDoer("merge ref");

/** A list of refs is held up for so many pull requests at most. */
const mostAtOnce = 10;

/** Numbers of more digits are of nothing. */
const asked = /^refs\/pull\/([1-9]\d{0,8})\/merge$/;

/** Requests for the same merge ref at the same time share the work. Each server in a process has its own map. */
const underWay = new WeakMap<object, JoinedWork<void>>();

/**
 * Points `refs/pull/<number>/merge` at a merge of the head into the base as both are now, for those of these prefixes of refs that are such a name
 * in full. Nobody pays for those that nobody fetches. One that is closed, or cannot be merged, has none. A failure is logged, and the ref stays as it was. Answers the
 * generation of the repository; null where there is no such prefix.
 */
export async function prepareMergeRefs(
  forge: Forge,
  access: RepositoryAccess,
  prefixes: readonly string[],
): Promise<number | null> {
  const numbers = new Set(prefixes.flatMap((prefix) => asked.exec(prefix)?.[1] ?? []).map(Number));
  if (numbers.size === 0) {
    return null;
  }
  const joined = underWay.get(forge.database) ?? new JoinedWork<void>();
  underWay.set(forge.database, joined);
  for (const number of [...numbers].slice(0, mostAtOnce)) {
    try {
      await joined.do(`${access.repository.id}:${number}`, () => prepare(forge, access, number));
    } catch (error) {
      const isExpected = error instanceof StithyError && error.kind !== "fault";
      forge.log[isExpected ? "debug" : "warn"](
        { repository: access.repository.id, pull: number, ...describeError(error) },
        "The merge of a pull request could not be made for a fetch",
      );
    }
  }
  const { id, defaultBranch } = access.repository;
  return (await forge.git.refs.findRef(id, `refs/heads/${defaultBranch}`))?.generation ?? null;
}

async function prepare(forge: Forge, access: RepositoryAccess, number: number): Promise<void> {
  const { repository } = access;
  const stored = await findPull(forge.database.db, repository.id, number);
  const found = stored === null ? null : await freshPull(forge, stored);
  if (found === null) {
    return;
  }
  const name = mergeRef(number);
  const before = await forge.git.refs.findRef(repository.id, name);
  const { pull } = found;
  const isWanted = pull.open && pull.mergeability === "mergeable";
  if (!isWanted) {
    await (before === null ? undefined : drop(forge, access, { name, oid: before.oid }));
    return;
  }
  const view = await forge.git.views.current(repository);
  const known = before === null ? undefined : (await forge.git.commits.find(view, [before.oid])).get(before.oid);
  if (known?.parents[0] === pull.baseOid && known.parents[1] === pull.headOid) {
    return;
  }
  await make(forge, access, found, { name, oid: before?.oid ?? null });
}

interface MergeRef {
  readonly name: string;
  /** null: there is none yet. */
  readonly oid: string | null;
}

function drop(forge: Forge, access: RepositoryAccess, { name, oid }: MergeRef): Promise<unknown> {
  const changes = [{ name, oldOid: oid, newOid: null, peeled: null }];
  return forge.change(doer, (work) =>
    moveRefs(work, { repository: namedRepository(access), changes, reason: pullReason }),
  );
}

async function make(
  forge: Forge,
  access: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  ref: MergeRef,
): Promise<void> {
  // The server makes it, and somebody who may only read has asked for it: the room that is kept free is not for that.
  forge.files.room.demand();
  const view = await forge.git.views.current(access.repository);
  const server = { name: "Stithy", email: `noreply@${forge.addresses.hostname}` };
  const order = {
    style: "merge",
    view,
    base: { branch: pull.baseBranch, oid: pull.baseOid },
    head: { branch: pull.headBranch, oid: pull.headOid },
    committer: server,
    squashAuthor: server,
    message: `Merge ${pull.headOid} into ${pull.baseOid}\n`,
    reword: null,
  } as const;
  await writeObjects(
    forge,
    doer,
    (destination) => makeMerge(forge, order, destination),
    async (work, made, packs) => {
      const now = await lockPull(work.tx, access.repository.id, issue.number);
      if (now === null || !now.pull.open || now.pull.headOid !== pull.headOid || now.pull.baseOid !== pull.baseOid) {
        throw new MergeRefused(`Pull request #${issue.number} moved while its merge was made`);
      }
      await moveRefs(work, {
        repository: namedRepository(access),
        changes: [{ name: ref.name, oldOid: ref.oid, newOid: made.tip, peeled: null }],
        reason: pullReason,
        packs,
        checkedIn: view,
      });
    },
  );
}
