import type { Action, OwnerVerb } from "../auth/authorize.ts";
import type { OwnerAccess, OwnerRow, RepositoryAccess, Subject } from "../auth/subject.ts";
import type { UserDoer } from "../domain/spine/doer.ts";
import { NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { demandTo, guard } from "../domain/spine/guard.ts";
import { permitOn, targetIn, type Permit } from "../domain/spine/permit.ts";
import { identifyVisitor } from "../http/identify-visitor.ts";
import { writesCode } from "./pages.ts";
import type { Visit } from "./visit.ts";

/** The doer, who is looked at again for this permit, too. */
function withAlso(doer: UserDoer, permit: Permit, subject: Subject): UserDoer {
  if (doer.permit === null) {
    throw new Error("A page let somebody do something without a permit");
  }
  const also: Permit = { ...permit, target: targetIn(subject) };
  return { ...doer, permit: { ...doer.permit, also: [also] } };
}

async function also(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  may: Action,
  named: { owner: string; repository?: string },
): Promise<{ subject: Subject; doer: UserDoer }> {
  const permit = permitOn(demandTo(may, "write", [], { signedIn: true }), named);
  const { subject } = await identifyVisitor(forge, visit.request, permit.target);
  await guard(subject, permit);
  return { subject, doer: withAlso(doer, permit, subject) };
}

/**
 * Lets the visitor do something on an owner that their form names, beside what the page itself is about. Returns the owner,
 * and the doer for `forge.change`, which looks at both again. Throws what the guard throws.
 */
export async function alsoOn(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  verb: OwnerVerb,
  owner: string,
): Promise<{ access: OwnerAccess; doer: UserDoer }> {
  const found = await also(forge, visit, doer, { on: "owner", do: verb }, { owner });
  if (found.subject.owner === null) {
    throw new NotFound("user", owner);
  }
  return { access: found.subject.owner, doer: found.doer };
}

/** As alsoOn, for a user whom the visitor may see. */
export async function alsoOnUser(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  name: string,
): Promise<{ user: OwnerRow; doer: UserDoer }> {
  const found = await also(forge, visit, doer, { on: "user", do: "see" }, { owner: name });
  if (found.subject.owner === null) {
    throw new NotFound("user", name);
  }
  return { user: found.subject.owner.owner, doer: found.doer };
}

/** As alsoOn, for a repository. */
export async function alsoOnRepository(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  may: Action & { on: "repository" },
  named: { owner: string; repository: string },
): Promise<{ access: RepositoryAccess; doer: UserDoer }> {
  const found = await also(forge, visit, doer, may, named);
  if (found.subject.repository === null) {
    throw new NotFound("repository", `${named.owner}/${named.repository}`);
  }
  return { access: found.subject.repository, doer: found.doer };
}

/**
 * Lets the visitor also change the code of the repository that their page is about another part of. Returns the doer for `forge.change`.
 * Throws what the guard throws.
 */
export async function alsoWritesCode(
  { subject }: Visit,
  doer: UserDoer,
  { owner, repository }: RepositoryAccess,
): Promise<UserDoer> {
  const demand = demandTo(writesCode.may, "write", [], { signedIn: true });
  const permit = permitOn(demand, { owner: owner.name, repository: repository.name });
  await guard(subject, permit);
  return withAlso(doer, permit, subject);
}
