import type { RepositoryAccess } from "../../../auth/subject.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { checkBranchName } from "../../git/branches/create-branch.ts";
import { commitFiles, type CommitFiles, type FilesCommitted } from "../../git/contents/commit-files.ts";
import { linkObjectsOf } from "../../git/lfs/queries.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { bringObjects } from "../../repos/forks/bring-objects.ts";
import { forkRepository } from "../../repos/forks/fork-repository.ts";
import { jointView } from "../../repos/forks/joint-view.ts";
import { findForkOf, findVisibleRepositories } from "../../repos/forks/queries.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { permitOnFound } from "../../spine/permit.ts";
import { findEditor } from "../pulls/maintainer-push.ts";
import { demandOfForker } from "./plan-edit.ts";

/** A change of a branch's files. `options.newBranch` is required for a commit to a fork. */
export interface Edit extends Pick<CommitFiles, "repository" | "changes" | "options"> {
  readonly inFork: boolean;
}

/** The commit, and the repository that has it: the one that was edited, or the doer's fork of it. */
export interface EditCommitted extends FilesCommitted {
  readonly access: RepositoryAccess;
}

/** Commits a change where the plan says (`planEdit`). Throws Forbidden, Conflict, and what commitFiles and forks throw. */
export async function commitEdit(forge: Forge, doer: UserDoer, edit: Edit): Promise<EditCommitted> {
  const { repository: access, changes, options } = edit;
  const branch = options.branch || access.repository.defaultBranch;
  if (!edit.inFork) {
    const editor = await findEditor(forge.database.db, doer, access, branch);
    const request = { repository: access, changes, options, asMaintainer: editor.asMaintainer };
    return { ...(await commitFiles(forge, editor.doer, request)), access };
  }
  const newBranch = options.newBranch ?? "";
  checkBranchName(newBranch, "new_branch");
  const { fork, isNew } = await openFork(forge, doer, access);
  const { doer: writer } = await findEditor(forge.database.db, doer, fork, newBranch);
  if (isNew) {
    return { ...(await commitFiles(forge, writer, { repository: fork, changes, options })), access: fork };
  }
  await bringBranch(forge, writer, { access, fork, branch, newBranch });
  const inFork = { ...options, branch: newBranch, newBranch: undefined };
  return { ...(await commitFiles(forge, writer, { repository: fork, changes, options: inFork })), access: fork };
}

/** The doer's fork of a repository, which is made if there is none. */
async function openFork(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
): Promise<{ fork: RepositoryAccess; isNew: boolean }> {
  const { db } = forge.database;
  const { actor } = doer;
  const forker: UserDoer = { ...doer, permit: permitOnFound(demandOfForker, access) };
  const present = await findForkOf(db, actor.id, access.repository.id);
  const id =
    present?.id ??
    (
      await forge.change(forker, (work) =>
        forkRepository(work, access, { owner: actor, ownsOwner: true }, { name: "" }),
      )
    ).id;
  const fork = (await findVisibleRepositories(db, doer, [id])).get(id);
  if (fork === undefined) {
    throw new NotFound("repository", `${actor.name}/${access.repository.name}`);
  }
  return { fork, isNew: present === null };
}

interface Bringing {
  access: RepositoryAccess;
  fork: RepositoryAccess;
  branch: string;
  newBranch: string;
}

/** Makes a branch of a fork at the commit of a branch of its parent. Objects are copied only as far as the fork does not reach them. */
async function bringBranch(forge: Forge, doer: UserDoer, { access, fork, branch, newBranch }: Bringing): Promise<void> {
  const { refs, views } = forge.git;
  const name = `refs/heads/${newBranch}`;
  await againIfRepacked(async () => {
    const theirs = await refs.findRef(access.repository.id, `refs/heads/${branch}`);
    if (theirs === null) {
      throw new NotFound("branch", branch);
    }
    if ((await refs.findRef(fork.repository.id, name)) !== null) {
      throw new Conflict(`The branch "${newBranch}" exists already in your fork`, { branch: newBranch });
    }
    const own = await refs.findRef(fork.repository.id, `refs/heads/${fork.repository.defaultBranch}`);
    if (own === null) {
      throw new Conflict(
        `Your fork "${fork.owner.name}/${fork.repository.name}" has no commits; delete it and try again`,
      );
    }
    forge.files.room.demand();
    await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
    const view = jointView(await views.current(fork.repository), await views.current(access.repository));
    const bringing = { parent: access, view, own: own.oid, theirs: theirs.oid };
    const brought = await bringObjects(forge, fork, bringing, scratch.path);
    const packs = brought.pack === null ? [] : [brought.pack];
    await forge.change(doer, { packs }, async (work) => {
      await moveRefs(work, {
        repository: namedRepository(fork),
        changes: [{ name, oldOid: null, newOid: theirs.oid, peeled: null }],
        reason: "create branch",
        packs,
        checkedIn: brought.view,
      });
      await linkObjectsOf(work.tx, access.repository.id, fork.repository.id, brought.lfsOids);
    });
  });
}
