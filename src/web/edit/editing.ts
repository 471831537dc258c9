import type { RepositoryAccess } from "../../auth/subject.ts";
import { identityOf, type Identity } from "../../domain/git/commits/identity.ts";
import { splitSource } from "../../domain/git/refs/split-source.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { findRoomToCommit } from "../../domain/identity/quota/hold-quota.ts";
import { listUserEmails } from "../../domain/identity/users/email-queries.ts";
import { findForkOf } from "../../domain/repos/forks/queries.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { planEdit, type EditPlan } from "../../domain/work/edits/plan-edit.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import type { Visit } from "../visit.ts";

/** What a page that changes files knows before anything is typed. */
export interface Editing {
  readonly visit: Visit;
  readonly access: RepositoryAccess;
  readonly doer: UserDoer;
  /** Short name of the branch that is edited. */
  readonly branch: string;
  /** null in an empty repository, where the first commit makes the branch. */
  readonly revision: Revision | null;
  /** What the address names behind the branch; empty for the whole. */
  readonly path: string;
  readonly plan: EditPlan;
  /** Under which the commit can be made: the usual one first. */
  readonly identities: readonly [Identity, ...Identity[]];
  /** A name that no branch has yet. */
  readonly newBranch: string;
  /** How many bytes more the repository may take; infinite where nothing limits them, or another one gets the commit. */
  readonly room: number;
}

interface Given {
  visit: Visit;
  doer: UserDoer;
  repository: RepositoryAccess;
}

/** Reads `{branch}/{path}` of the address, and where the visitor may commit. Throws NotFound for a branch that is not there. */
export async function openEditing(forge: Forge, { visit, doer, repository: access }: Given): Promise<Editing> {
  const { branch, revision, path } = await findBranch(forge, access, visit.params["*"] ?? "");
  const plan = await planEdit(forge, doer, access, branch, path);
  const { actor } = doer;
  const isHere = plan.to !== null && plan.to !== "fork";
  const [emails, newBranch, room] = await Promise.all([
    listUserEmails(forge.database.db, actor.id),
    plan.to === null || revision === null ? "" : freeBranchName(forge, access, doer, plan),
    isHere ? findRoomToCommit(forge.database.db, forge.config, access) : Infinity,
  ]);
  const self = identityOf(forge.addresses, actor);
  const noReply = identityOf(forge.addresses, { ...actor, keepEmailPrivate: true });
  const own = emails.filter(({ verified }) => verified).map(({ email }) => ({ name: self.name, email }));
  const others = [noReply, ...own].filter(({ email }) => email !== self.email);
  return { visit, access, doer, branch, revision, path, plan, identities: [self, ...others], newBranch, room };
}

async function findBranch(
  forge: Forge,
  { repository }: RepositoryAccess,
  address: string,
): Promise<{ branch: string; revision: Revision | null; path: string }> {
  const source = await splitSource(address, async (name) => {
    const full = `refs/heads/${name}`;
    return isRefName(full) ? await forge.git.revisions.find(repository, full) : null;
  });
  if (source !== null) {
    return { branch: source.revision.name, ...source };
  }
  const { defaultBranch } = repository;
  if (!repository.empty || (address !== defaultBranch && !address.startsWith(`${defaultBranch}/`))) {
    throw new NotFound("branch", address);
  }
  return { branch: defaultBranch, revision: null, path: address.slice(defaultBranch.length + 1) };
}

/** The first of `NAME-patch-1`, `NAME-patch-2`, … that is no branch of the repository that gets the commit. */
async function freeBranchName(
  forge: Forge,
  { repository }: RepositoryAccess,
  { actor }: UserDoer,
  plan: EditPlan,
): Promise<string> {
  const begin = `${actor.lowerName}-patch-`;
  const fork = plan.to === "fork" ? await findForkOf(forge.database.db, actor.id, repository.id) : null;
  const size = 1000;
  const { rows } = await forge.git.refs.pageOfRefs(fork?.id ?? repository.id, `refs/heads/${begin}`, {
    size,
    offset: 0,
  });
  const taken = new Set(rows.map(({ name }) => name));
  let number = 1;
  while (taken.has(`refs/heads/${begin}${number}`)) {
    number++;
  }
  return begin + number;
}
