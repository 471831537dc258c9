import type { RepositoryAccess } from "../../../auth/subject.ts";
import { describeError } from "../../../db/pg-errors.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import type { PushReport } from "../../../git/transport/push-report.ts";
import type { TellPusher } from "../../../git/transport/push-target.ts";
import { viewerOfDoer, type Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { listOpenOfHead } from "../pulls/queries.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";

/** A push of more branches is no work on one of them, such as the push of a whole repository. */
const mostBranches = 10;
const branchPrefix = "refs/heads/";

interface TakenPush {
  readonly access: RepositoryAccess;
  readonly doer: Doer;
  readonly commands: readonly PushCommand[];
}

/**
 * Tells the person who pushes where each new branch can become a pull request, and where the one of a branch is. The base is the repository,
 * or the parent of a fork if the doer may see it. What fails here is logged, because the push is done.
 */
export async function tellOfPulls(forge: Forge, push: TakenPush, report: PushReport, tell: TellPusher): Promise<void> {
  const { repository } = push.access;
  const taken = new Set(
    report.unpackError === null ? report.refs.flatMap(({ name, error }) => (error ? [] : name)) : [],
  );
  const branches = push.commands.flatMap(({ name, oldOid, newOid }) => {
    const branch = name.slice(branchPrefix.length);
    const counts = name.startsWith(branchPrefix) && newOid !== null && taken.has(name);
    return counts && branch !== repository.defaultBranch ? { branch, isNew: oldOid === null } : [];
  });
  // A push to an empty repository has nothing to be compared with.
  if (branches.length === 0 || branches.length > mostBranches || repository.empty || isWikiStore(repository.id)) {
    return;
  }
  try {
    await tellOfBranches(forge, push, branches, tell);
  } catch (error) {
    forge.log.warn({ repository: repository.id, ...describeError(error) }, "A push was not told of its pull requests");
  }
}

async function tellOfBranches(
  { database: { db }, addresses }: Forge,
  { access, doer }: TakenPush,
  branches: readonly { branch: string; isNew: boolean }[],
  tell: TellPusher,
): Promise<void> {
  const { id, forkOf } = access.repository;
  const parent =
    forkOf === null ? undefined : (await findVisibleRepositories(db, viewerOfDoer(doer), [forkOf])).get(forkOf);
  const into = parent ?? access;
  const bases = new Map(
    [access, into].flatMap((one) => (one.repository.hasPullRequests ? [[one.repository.id, one] as const] : [])),
  );
  const names = branches.map(({ branch }) => branch);
  const found = await listOpenOfHead(db, { repositoryId: id, branches: names }, [...bases.keys()]);
  const open = new Map(found.map((one) => [one.branch, one]));
  const offers = into.repository.hasPullRequests && into.repository.archivedAt === null;
  for (const { branch, isNew } of branches) {
    const pull = open.get(branch);
    const { owner, repository } = (pull === undefined ? undefined : bases.get(pull.baseId)) ?? into;
    if (pull !== undefined) {
      const page = addresses.discussion(owner.name, repository.name, { number: pull.number, isPull: true });
      tell(`View pull request #${pull.number} of ${branch}: ${page}\n`, "reason");
    } else if (isNew && offers) {
      const head = { owner: into === access ? null : access.owner.name, branch };
      const page = addresses.compare(owner.name, repository.name, repository.defaultBranch, head);
      tell(`Create a pull request for ${branch}: ${page}\n`, "reason");
    }
  }
}
