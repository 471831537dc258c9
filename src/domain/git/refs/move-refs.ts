import type { Transaction } from "../../../db/client.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { NotFound, RepositoryArchived, RepositoryIsMirror } from "../../spine/errors.ts";
import type { NamedRepository } from "../../spine/events/names.ts";
import { checkPacksLinked } from "../packs/packs-replaced.ts";
import { linkPacks } from "../packs/queries.ts";
import { isWikiStore, namedRepositoryOf } from "../wiki-stores/wiki-store.ts";
import type { Work } from "../../spine/work.ts";
import { decideChanges, type DecidedChange } from "./decide-changes.ts";
import {
  hasAnyBranch,
  lockRefs,
  readRefsAround,
  setHead,
  writeRefs,
  type LockedRepository,
  type RefChange,
} from "./queries.ts";
import { FactsNeeded } from "../protections/facts.ts";
import { loadBranchRules } from "./ref-policy.ts";

/** A push to branches of a fork by somebody who may write to the bases of the open pull requests from these branches. */
export interface MaintainerPush {
  /** `forge.change` looks again whether they may write to the bases, and read the fork. */
  readonly doer: UserDoer;
  /** Looks again whether the branches are maintained, in the transaction that moves them. Throws Forbidden. */
  check(work: Work): Promise<void>;
}

export interface MoveRefs {
  /** Or a wiki in the shape of one (`wikiRow`). */
  repository: NamedRepository;
  changes: readonly RefChange[];
  /** For the reflog, such as "push". */
  reason: string;
  /** The packs that bring the new objects. The unit of work was opened with them. */
  packs?: readonly StagedPack[];
  /** The packs count as those of guests: see `isGuestOfWiki`. */
  byGuest?: boolean;
  /** Makes the changes that are not refused. Without it, all are made or none. */
  single?: boolean;
  /** The view in which the new objects' references were looked up, where any is new: its packs have to be the repository's still. */
  checkedIn?: RepositoryView;
  /** None of the commits that branches get names an issue: nobody needs to read them for that. */
  namesNothing?: boolean;
  /** The doer may push to these branches alone: rules that let all writers push do not let them. */
  asMaintainer?: MaintainerPush | null;
  /** The default branch may be deleted, too: all of them go. */
  takesHead?: true;
  /** Looks at the repository while its row is held, before anything is decided; returns what it has changed it to. */
  underLock?: (locked: LockedRepository) => Promise<LockedRepository>;
}

/**
 * One or more changes of an atomic write were refused, so none was made. Carries what was decided of each. Its code is
 * "branch-protected" or "tag-protected" where a protection refuses the first of them.
 */
export class RefsRefused extends StithyError {
  constructor(readonly decided: readonly DecidedChange[]) {
    const { refusal = null, protection = null } = decided.find((one) => one.refusal !== null) ?? {};
    super(
      protection === null ? "conflict" : "forbidden",
      protection === null ? "refs-refused" : `${protection}-protected`,
      refusal ?? "The refs could not be changed",
    );
  }
}

const branchPrefix = "refs/heads/";

/**
 * The one way in which refs move: locks the repository, compares and swaps each ref, links the packs, keeps the default
 * branch sensible, and tells `refs.moved`, or `wiki.refs-moved` for a wiki. What was decided before is decided again under the lock, since a pack may take
 * minutes, and another transaction seconds: whether the repository is there and not archived, what the doer was allowed by,
 * whether a maintainer may still push, and the rules for its branches and tags. Throws NotFound, RepositoryArchived, Forbidden (see `MaintainerPush`), RepositoryIsMirror (to all but the server), what `lookAgain` throws, PacksReplaced, FactsNeeded, and
 * RefsRefused unless `single`.
 */
export async function moveRefs(work: Work, request: MoveRefs): Promise<DecidedChange[]> {
  const { tx } = work;
  const { repository, changes, packs = [], asMaintainer = null } = request;
  const fullName = `${repository.owner.name}/${repository.name}`;
  const found = await lockRefs(tx, repository.id);
  if (found === null) {
    throw new NotFound("repository", fullName);
  }
  if (found.archived) {
    throw new RepositoryArchived(fullName);
  }
  if (found.mirror && work.doer.kind !== "server") {
    throw new RepositoryIsMirror(fullName);
  }
  await work.lookAgainLocked(namedRepositoryOf(repository).id);
  await asMaintainer?.check(work);
  const locked = request.underLock === undefined ? found : await request.underLock(found);
  if (request.checkedIn !== undefined) {
    const before = { id: repository.id, name: fullName, generation: locked.generation - 1 };
    await checkPacksLinked(tx, before, request.checkedIn);
  }
  const isWiki = isWikiStore(repository.id);
  const rules = await loadBranchRules(work, repository.id, isWiki ? [] : changes, asMaintainer !== null);
  const current = await readRefsAround(tx, repository.id, changes);
  const head = request.takesHead === true ? "" : branchPrefix + locked.defaultBranch;
  const decided = decideChanges(current, changes, head, rules);
  if (rules.facts.missing.length > 0) {
    throw new FactsNeeded(repository.id, rules.facts.missing);
  }
  if (request.single !== true && decided.some((one) => one.refusal !== null)) {
    throw new RefsRefused(decided);
  }
  // A ref that is to be deleted and is not there takes no write: the deletion counts as done, as with git.
  const accepted = decided
    .filter((one) => one.refusal === null)
    .map((one) => one.change)
    .filter((change) => change.oldOid !== null || change.newOid !== null);
  if (accepted.length > 0) {
    const { byGuest = false } = request;
    const bringer = byGuest ? "guest" : (pullOf(accepted) ?? "writer");
    await linkPacks(tx, repository.id, packs, bringer);
    await writeRefs(tx, repository.id, accepted, { actorId: work.actorId, reason: request.reason });
    const defaultBranch = await keepHead(tx, repository.id, locked, accepted);
    const refs = accepted.map(({ name, oldOid, newOid }) => ({ name, oldOid, newOid }));
    const packBytes = packs.reduce((sum, { bytes }) => sum + bytes, 0);
    const quiet = request.namesNothing === true ? ({ namesNothing: true } as const) : {};
    const { reason } = request;
    const moved = { repository: namedRepositoryOf(repository), refs, reason, packBytes, defaultBranch, ...quiet };
    work.tell(isWiki ? { kind: "wiki.refs-moved", ...moved, byGuest } : { kind: "refs.moved", ...moved });
  }
  return decided;
}

/** The number of the pull request whose refs alone are changed; null: others are. */
function pullOf(changes: readonly RefChange[]): number | null {
  const numbers = changes.map(({ name }) => /^refs\/pull\/(\d+)\//.exec(name)?.[1]);
  return numbers[0] !== undefined && numbers.every((number) => number !== undefined) ? Number(numbers[0]) : null;
}

/**
 * An empty repository takes its first branch as the default one, unless the configured one is among the new. The changes are made. Returns the
 * short name of the default branch.
 */
async function keepHead(
  tx: Transaction,
  repositoryId: number,
  before: LockedRepository,
  changes: readonly RefChange[],
): Promise<string> {
  const changed = changes.filter((change) => change.name.startsWith(branchPrefix));
  // All there are where there were none; enough to know that there is one where there were some.
  const branches = new Set(changed.filter((change) => change.newOid !== null).map((change) => change.name));
  const mayBeEmpty = before.empty || changed.some((change) => change.newOid === null);
  const empty = mayBeEmpty && branches.size === 0 && !(await hasAnyBranch(tx, repositoryId));
  const firstBranch = before.empty && !empty && !branches.has(branchPrefix + before.defaultBranch);
  const preferred =
    ["main", "master"].find((name) => branches.has(branchPrefix + name)) ??
    [...branches][0]?.slice(branchPrefix.length);
  const defaultBranch = firstBranch && preferred !== undefined ? preferred : before.defaultBranch;
  if (empty !== before.empty || defaultBranch !== before.defaultBranch) {
    await setHead(tx, repositoryId, { defaultBranch, empty });
  }
  return defaultBranch;
}
