import type { RepositoryAccess } from "../../../auth/subject.ts";
import { EditConflict, InvalidEdit } from "../../../git/edit/errors.ts";
import type { FileChange } from "../../../git/edit/apply-changes.ts";
import { mayRefer } from "../../../git/objects/may-refer.ts";
import type { Signature } from "../../../git/objects/signature.ts";
import type { PackDestination } from "../../../git/pack/staged-pack.ts";
import { isBranchName } from "../../../git/refs/ref-name.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { completeIdentity, identityOf, type Identity } from "../commits/identity.ts";
import { actorOf, type Doer } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { checkBranchName } from "../branches/create-branch.ts";
import type { Forge } from "../../spine/forge.ts";
import { PacksReplaced } from "../packs/packs-replaced.ts";
import { moveRefs, RefsRefused, type MaintainerPush } from "../refs/move-refs.ts";
import { writeObjects } from "../refs/write-objects.ts";
import { isGuestOfWiki } from "../wiki-stores/wiki-store.ts";
import type { Work } from "../../spine/work.ts";
import { commitMessage } from "./commit-message.ts";
import { BranchMoved, ContentMismatch, editError } from "./errors.ts";

/** How a commit of files is to look; everything has a default. */
export interface CommitOptions {
  /** Short name of the branch to start from; the default branch otherwise. */
  branch?: string | undefined;
  /** The commit goes to this new branch instead. */
  newBranch?: string | undefined;
  message?: string | undefined;
  author?: Partial<Identity> | undefined;
  committer?: Partial<Identity> | undefined;
  authorDate?: string | undefined;
  committerDate?: string | undefined;
  signoff?: boolean | undefined;
}

/** The parent of a new commit: the tip of its branch, null in an empty repository. */
export interface BranchTip {
  view: RepositoryView;
  commit: string | null;
}

export interface CommitFiles {
  /** Or a wiki in the shape of one. */
  repository: RepositoryAccess;
  /** Or what makes them from the tip that they are for; again when that has moved. */
  changes: readonly FileChange[] | ((tip: BranchTip) => Promise<readonly FileChange[]>);
  options: CommitOptions;
  /** The doer may not write to the repository, but edit a pull request from the branch: they make no new one. */
  asMaintainer?: MaintainerPush | null;
  /** Tells what the commit means, in its transaction. */
  tell?: (work: Work) => void;
}

export interface FilesCommitted {
  /** Short name of the branch that has the commit. */
  branch: string;
  commit: string;
  /** A view that has the commit. */
  view: RepositoryView;
}

/** Others may push to the branch at the same moment: the commit is made again on their tip at most so often. */
const attempts = 8;

/**
 * Commits changes of files on the tip of a branch, or as the first commit of an empty repository. When the branch moves
 * meanwhile, the changes are applied to its new tip, where expected blobs are compared again.
 * Throws InvalidInput, NotFound (branch, file), ContentMismatch, BranchMoved, RefsRefused (names in each other's way).
 */
export async function commitFiles(forge: Forge, doer: Doer, request: CommitFiles): Promise<FilesCommitted> {
  const { repository } = request.repository;
  const base = request.options.branch || repository.defaultBranch;
  const target = request.options.newBranch || base;
  if (request.options.newBranch) {
    checkBranchName(target, "new_branch");
  } else if (!isBranchName(target)) {
    throw new InvalidInput(`"${target.slice(0, 100)}" cannot be the name of a branch`, "branch");
  }
  if (request.asMaintainer != null && target !== base) {
    throw new Forbidden("You may edit the branch of the pull request, but make no other one");
  }
  const signatures = signaturesOf(forge, doer, request);
  return forge.git.writing.run(`commit ${repository.id}`, async () => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const commit = await tryCommit(forge, doer, request, { base, target, ...signatures });
      if (commit !== null) {
        return { branch: target, commit, view: await forge.git.views.current(repository) };
      }
    }
    throw new BranchMoved(base);
  });
}

interface Plan {
  base: string;
  target: string;
  author: Signature;
  committer: Signature;
}

/** Answers the commit's oid; null when the branch was not any more where it had been read, or the repository was repacked. */
async function tryCommit(forge: Forge, doer: Doer, request: CommitFiles, plan: Plan): Promise<string | null> {
  const { repository } = request.repository;
  const tip = await forge.git.refs.findRef(repository.id, `refs/heads/${plan.base}`);
  if (
    tip === null &&
    (await forge.git.refs.pageOfRefs(repository.id, "refs/heads/", { size: 1, offset: 0 })).total > 0
  ) {
    throw new NotFound("branch", plan.base);
  }
  if (
    plan.target !== plan.base &&
    (await forge.git.refs.findRef(repository.id, `refs/heads/${plan.target}`)) !== null
  ) {
    throw new ContentMismatch(`The branch "${plan.target}" exists already`, plan.target, "branch-exists");
  }
  const view =
    tip === null
      ? await forge.git.views.current(repository)
      : await forge.git.views.view({ ...repository, generation: tip.generation });
  const { author, committer } = plan;
  const changes =
    typeof request.changes === "function" ? await request.changes({ view, commit: tip?.oid ?? null }) : request.changes;
  const message = commitMessage(request.options.message, changes, request.options.signoff === true ? committer : null);
  const isNew = tip === null || plan.target !== plan.base;
  // A new branch has more than this commit that the default branch has not, unless it begins there.
  const isAlone = !isNew || tip === null || plan.base === repository.defaultBranch;
  const write = (destination: PackDestination) =>
    forge.git.engine
      .write(view, "commitChanges", {
        parents: tip === null ? [] : [tip.oid],
        changes,
        author,
        committer,
        message,
        destination,
      })
      .catch((error: unknown) => {
        throw error instanceof EditConflict
          ? editError(error)
          : error instanceof InvalidEdit
            ? new InvalidInput(error.message, "path")
            : error;
      });
  try {
    return await writeObjects(forge, doer, write, async (work, { commit }, packs) => {
      await moveRefs(work, {
        repository: namedRepository(request.repository),
        changes: [
          {
            name: `refs/heads/${plan.target}`,
            oldOid: isNew ? null : tip.oid,
            newOid: commit,
            peeled: null,
            forced: false,
          },
        ],
        reason: "commit",
        packs,
        checkedIn: view,
        namesNothing: isAlone && !mayRefer.test(message),
        asMaintainer: request.asMaintainer ?? null,
        byGuest: isGuestOfWiki(request.repository),
      });
      request.tell?.(work);
      return commit;
    });
  } catch (error) {
    if (error instanceof PacksReplaced) {
      return null;
    }
    if (
      error instanceof RefsRefused &&
      plan.target === plan.base &&
      (await hasMoved(forge, repository.id, plan.base, tip?.oid ?? null))
    ) {
      return null;
    }
    throw error;
  }
}

/** Whether a refusal came of the branch itself, and not of another name in its way. */
async function hasMoved(forge: Forge, repositoryId: number, branch: string, from: string | null): Promise<boolean> {
  return ((await forge.git.refs.findRef(repositoryId, `refs/heads/${branch}`))?.oid ?? null) !== from;
}

/** Returns author and committer. If only one is given, it is both; without either, the actor is both. */
function signaturesOf(forge: Forge, doer: Doer, { options }: CommitFiles): { author: Signature; committer: Signature } {
  const self = identityOf(forge.addresses, actorOf(doer));
  const author = completeIdentity(options.author ?? options.committer ?? {}, self, "author");
  const committer = completeIdentity(options.committer ?? options.author ?? {}, self, "committer");
  return {
    author: { ...author, ...readDate(options.authorDate, "dates.author") },
    committer: { ...committer, ...readDate(options.committerDate, "dates.committer") },
  };
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** An instant of RFC 3339 with the offset that it was written in; now, when there is none. Throws InvalidInput. */
function readDate(text: string | undefined, field: string): Pick<Signature, "seconds" | "offsetMinutes"> {
  if (text === undefined || text === "" || text.startsWith("0001-01-01T00:00:00")) {
    return { seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 };
  }
  const match = rfc3339.exec(text);
  const milliseconds = Date.parse(text.replace(" ", "T").toUpperCase());
  if (match === null || Number.isNaN(milliseconds) || milliseconds < 0) {
    throw new InvalidInput(`${field} must be an instant of RFC 3339 after 1970, not "${text.slice(0, 40)}"`, field);
  }
  const minutes = Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
  return { seconds: Math.floor(milliseconds / 1000), offsetMinutes: match[1] === "-" ? -minutes : minutes };
}
