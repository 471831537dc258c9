import type { OwnerVerb } from "../auth/authorize.ts";
import type { OwnerAccess, RepositoryAccess } from "../auth/subject.ts";
import type { UserDoer } from "../domain/spine/doer.ts";
import { NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { demandTo, guard } from "../domain/spine/guard.ts";
import { permitOn, targetIn, type Permit } from "../domain/spine/permit.ts";
import { identifyVisitor } from "../http/identify-visitor.ts";
import { writesCode } from "./pages.ts";
import type { Visit } from "./visit.ts";

/**
 * Lets the visitor do something on an owner that their form names, beside what the page itself is about. Returns the owner,
 * and the doer for `forge.change`, which looks at both again. Throws what the guard throws.
 */
export async function alsoOn(
  forge: Forge,
  visit: Visit,
  doer: UserDoer,
  verb: OwnerVerb,
  ownerName: string,
): Promise<{ access: OwnerAccess; doer: UserDoer }> {
  const permit = permitOn(demandTo({ on: "owner", do: verb }, "write", []), { owner: ownerName });
  const { subject } = await identifyVisitor(forge, visit.request, permit.target);
  await guard(subject, permit);
  if (subject.owner === null || doer.permit === null) {
    throw new NotFound("user", ownerName);
  }
  const also: Permit = { ...permit, target: targetIn(subject) };
  return { access: subject.owner, doer: { ...doer, permit: { ...doer.permit, also: [also] } } };
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
  const also: Permit = { ...permit, target: targetIn(subject) };
  return doer.permit === null ? doer : { ...doer, permit: { ...doer.permit, also: [also] } };
}
