import { checkSudo, InvalidCredentials, SudoUnknown } from "../../auth/identify/identify.ts";
import type { FindSubject, FoundSubject, Who } from "../../auth/find-subject.ts";
import { PasswordChangeRequired } from "../../auth/sign-in-errors.ts";
import type { Credential, RepositoryAccess, Subject } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { isApplicationUnchanged } from "../identity/oauth/application-queries.ts";
import { OauthError } from "../identity/oauth/errors.ts";
import type { Action } from "../../auth/authorize.ts";
import { judge, refusal } from "../spine/guard.ts";
import type { Permit } from "../spine/permit.ts";
import type { Doer, UserDoer } from "../spine/doer.ts";
import { SignInRequired } from "../spine/errors.ts";

/** The credential of a request was accepted when it came in, and is not any more when its change is written. */
export class CredentialRevoked extends InvalidCredentials {
  constructor() {
    super(
      "You were signed out while the request was under way: its token, key, session or password is not valid any more, or the account was suspended. Nothing was changed; sign in and try again",
    );
  }
}

/** Somebody who was looked at again. */
export interface Seen {
  /** With the rows as they are now. */
  readonly doer: Doer;
  /** The repository of the request, with its row as it is now; null: there was none, or the doer is the server. */
  readonly repository: RepositoryAccess | null;
}

/**
 * Looks again, inside the transaction that writes, at what the doer was allowed by: a body may take hours to arrive, and
 * meanwhile a token expires or is deleted, a password is changed, an account is suspended, access ends. One query, prepared
 * on the server; two when an administrator acts as somebody else. `may`: what is asked for instead. Throws InvalidCredentials, PasswordChangeRequired, SudoForbidden, SudoUnknown, and what the guard throws for a denied decision.
 */
export async function lookAgain(findSubject: FindSubject, tx: Transaction, asked: Doer, may?: Action): Promise<Seen> {
  const doer = may === undefined ? asked : withAction(asked, may);
  switch (doer.kind) {
    case "server":
      return { doer, repository: null };
    case "nobody":
      throw new SignInRequired();
    case "application":
      if (!(await isApplicationUnchanged(tx, doer.application))) {
        throw new OauthError("invalid_client", "The application was deleted, or has a new secret");
      }
      return { doer, repository: null };
    case "deploy-key": {
      const found = await findSubject({ keyId: doer.credential.keyId }, doer.permit.target, tx);
      if (found.key === null || found.actor !== null) {
        throw new CredentialRevoked();
      }
      checkPermit({ ...found, credential: doer.credential }, doer.permit);
      return { doer, repository: found.repository };
    }
    case "user":
      return lookAtUser(findSubject, tx, doer);
  }
}

/**
 * Looks again at the reader of a page that stays open, and at what it shows, as `lookAgain` does for a change. Returns the reader with the rows as
 * they are now. Throws CredentialRevoked, and what the guard throws for a denied decision.
 */
export async function lookAgainAtReader(
  findSubject: FindSubject,
  { actor, credential }: Pick<Subject, "actor" | "credential">,
  permit: Permit,
): Promise<Subject> {
  const found = await findSubject(actor === null ? {} : whoOf({ actor, credential }), permit.target);
  const isGone = credential.kind === "session" && found.sessionState !== "signed-in";
  if (actor !== null && (found.actor === null || isGone)) {
    throw new CredentialRevoked();
  }
  const subject = { ...found, credential };
  checkPermit(subject, permit);
  return subject;
}

function withAction(doer: Doer, may: Action): Doer {
  return (doer.kind === "user" || doer.kind === "deploy-key") && doer.permit !== null
    ? { ...doer, permit: { ...doer.permit, demand: { ...doer.permit.demand, may } } }
    : doer;
}

async function lookAtUser(findSubject: FindSubject, tx: Transaction, doer: UserDoer): Promise<Seen> {
  const { permit } = doer;
  const target = permit?.target ?? {};
  const found = await findSubject(whoOf(doer), target, tx);
  const credential = credentialOf(doer, found);
  if (found.actor === null || credential === null) {
    throw new CredentialRevoked();
  }
  if (permit === null) {
    return { doer: { ...doer, actor: found.actor }, repository: null };
  }
  if (found.actor.mustChangePassword) {
    throw new PasswordChangeRequired();
  }
  let subject: Subject = { ...found, credential };
  if (found.actor.id !== doer.actor.id) {
    checkSudo(found.actor, credential, permit.demand.scopes.level);
    subject = { ...(await findSubject({ userId: doer.actor.id }, target, tx)), credential };
  }
  if (subject.actor === null) {
    throw new SudoUnknown(doer.actor.name);
  }
  checkPermit(subject, permit);
  for (const also of permit.also ?? []) {
    const who = found.actor.id === doer.actor.id ? whoOf(doer) : { userId: doer.actor.id };
    checkPermit({ ...(await findSubject(who, also.target, tx)), credential }, also);
  }
  return { doer: { ...doer, actor: subject.actor, credential }, repository: subject.repository };
}

function checkPermit(subject: Subject, permit: Permit): void {
  const verdict = judge(subject, permit.demand);
  if (verdict !== "allowed") {
    throw refusal(verdict, subject, permit);
  }
}

function whoOf({ actor, credential }: Pick<UserDoer, "actor" | "credential">): Who {
  switch (credential.kind) {
    case "token":
      return { tokenId: credential.tokenId };
    case "session":
      return { sessionId: credential.sessionId };
    case "ssh-key":
    case "deploy-key":
      return { keyId: credential.keyId };
    case "password":
      return { userId: credential.userId, stamp: credential.stamp };
    case "proxy":
    case "kerberos":
      return { userId: credential.userId };
    case "none":
      return { userId: actor.id };
  }
}

/** The credential as it is now; null when it is gone. */
function credentialOf({ credential, permit }: UserDoer, found: FoundSubject): Credential | null {
  switch (credential.kind) {
    case "token":
      return found.token === null ? null : { ...credential, scopes: found.token.scopes };
    case "session":
      // A session that is not signed in yet is for the steps of signing in, which have no permit.
      return found.sessionState === "signed-in" || permit === null ? credential : null;
    default:
      return credential;
  }
}
