import { StithyError } from "../../lib/errors.ts";
import { hashToken, tokenPrefix } from "../access-token.ts";
import { isRestricted } from "../authorize.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { FindSubject, FoundSubject, Target } from "../find-subject.ts";
import type { FindUser } from "../find-user.ts";
import type { LastUse } from "../last-use.ts";
import { hasScope, type ScopeLevel } from "../scopes.ts";
import type { CheckCode } from "../two-factor/second-factor.ts";
import type { CheckSignIn, FindRemembered, SignedIn } from "../sign-in.ts";
import { PasswordChangeRequired, SecondFactorRequired } from "../sign-in-errors.ts";
import type { Actor, Credential, Subject } from "../subject.ts";
import type { CheckNegotiation } from "./negotiate.ts";
import type { PresentedCredential } from "./presented.ts";

/** The credential is not valid. The message is the same for every reason. */
export class InvalidCredentials extends StithyError {
  constructor(message = "The user name, password or token is not valid") {
    super("unauthenticated", "invalid-credentials", message);
  }
}

/** A caller who is not a site administrator wants to act as another user. */
export class SudoForbidden extends StithyError {
  constructor() {
    super("forbidden", "sudo-forbidden", "Only site administrators may act as another user");
  }
}

/** A token that lacks the scope wants to act as another user. */
export class SudoScopeMissing extends StithyError {
  constructor(level: ScopeLevel) {
    super("forbidden", "sudo-scope-missing", `To act as another user, the token needs the scope ${level}:admin`, {
      level,
    });
  }
}

/** The user to act as (Sudo) does not exist. */
export class SudoUnknown extends StithyError {
  constructor(name: string) {
    super("absent", "sudo-unknown", `There is no user "${name}" to act as`, { name });
  }
}

/** A code as it came with a request. It works once, and a request may be identified twice: with what it names, and with what that became. */
export interface OneTimeCode {
  readonly text: string;
  acceptedFor: number | null;
}

/**
 * Checks that somebody may act as another user with this credential, at this level of scopes. Throws SudoForbidden and
 * SudoScopeMissing.
 */
export function checkSudo(actor: Actor | null, credential: Credential, level: ScopeLevel): void {
  // A token's repositories would not bind the user that it acts as.
  if (actor?.isAdmin !== true || isRestricted(credential)) {
    throw new SudoForbidden();
  }
  if (credential.kind === "token" && !hasScope(credential.scopes, "admin", level)) {
    throw new SudoScopeMissing(level);
  }
}

export interface IdentifyRequest {
  presented: PresentedCredential;
  /** The code for the second factor of an account that signs in with its password; null if none is accepted. */
  code?: OneTimeCode | null;
  /** Failures are counted by this address. */
  remoteAddress: string;
  /** The name of the user to act as, for site administrators; a token needs the scope `admin` at the level. */
  sudo: { name: string; level: ScopeLevel } | null;
}

/**
 * Finds out who asks, and reads what they ask about with it. Throws InvalidCredentials, SecondFactorRequired, InvalidCode,
 * PasswordChangeRequired, TooManyFailedSignIns, SudoForbidden, SudoScopeMissing, SudoUnknown, PasswordChecksBusy.
 */
export type Identify = (request: IdentifyRequest, target: Target) => Promise<Subject>;

interface Parts {
  findSubject: FindSubject;
  findUser: FindUser;
  checkSignIn: CheckSignIn;
  findRemembered: FindRemembered;
  checkCode: CheckCode;
  /** null if Kerberos is not configured. */
  checkNegotiation: CheckNegotiation | null;
  failures: FailedSignIns;
  lastUse: LastUse;
}

type Signed = { found: FoundSubject; credential: Credential };

export function prepareIdentify(parts: Parts): Identify {
  const { findSubject, findUser, failures } = parts;

  async function byToken(token: string, target: Target): Promise<Signed | null> {
    const found = await findSubject({ tokenHash: hashToken(token) }, target);
    if (found.token === null) {
      return null;
    }
    parts.lastUse.record("token", found.token.id);
    return { found, credential: { kind: "token", tokenId: found.token.id, scopes: found.token.scopes } };
  }

  async function byPassword(
    { userId, secondFactor, stamp }: SignedIn,
    { code = null, remoteAddress }: IdentifyRequest,
    target: Target,
  ): Promise<Signed | null> {
    if (secondFactor) {
      if (code === null) {
        throw new SecondFactorRequired();
      }
      if (code.acceptedFor !== userId) {
        await parts.checkCode(userId, code.text, remoteAddress);
        code.acceptedFor = userId;
      }
    }
    const found = await findSubject({ userId }, target);
    return found.actor === null ? null : { found, credential: { kind: "password", userId, stamp } };
  }

  /** Identifies a user whose identity was proved elsewhere (Kerberos, a reverse proxy). */
  async function byName(username: string, target: Target, kind: "proxy" | "kerberos"): Promise<Signed | null> {
    const user = await findUser(username);
    const found = user === null ? null : await findSubject({ userId: user.id }, target);
    return user === null || found === null || found.actor === null
      ? null
      : { found, credential: { kind, userId: user.id } };
  }

  /** Basic takes a password, or a token as password or (the way of some CI clients) as user name. */
  async function byBasic(
    { username, password }: { username: string; password: string },
    request: IdentifyRequest,
    target: Target,
  ): Promise<Signed | null> {
    const tokenAsUser = password === "" || password === "x-oauth-basic";
    if (tokenAsUser || password.startsWith(tokenPrefix)) {
      return byToken(tokenAsUser ? username : password, target);
    }
    // An address that has to wait learns nothing about passwords here either.
    const remembered =
      username.startsWith(tokenPrefix) || failures.mustWait(request.remoteAddress)
        ? null
        : await parts.findRemembered(username, password, request.remoteAddress);
    if (remembered !== null) {
      return byPassword(remembered, request, target);
    }
    // A look for a token is two hundred times cheaper than a password check, so it comes first.
    const found = await byToken(password, target);
    if (found !== null || username.startsWith(tokenPrefix)) {
      return found ?? byToken(username, target);
    }
    return byPassword(await parts.checkSignIn(username, password, request.remoteAddress), request, target);
  }

  async function sign(request: IdentifyRequest, target: Target): Promise<Signed | null> {
    const { presented } = request;
    switch (presented.kind) {
      case "none":
        return { found: await findSubject({}, target), credential: { kind: "none" } };
      case "token":
        return byToken(presented.token, target);
      case "basic":
        return byBasic(presented, request, target);
      case "proxy":
        return byName(presented.username, target, "proxy");
      case "negotiate": {
        const { negotiation } = presented;
        return parts.checkNegotiation?.(negotiation) === true && negotiation.accepted !== null
          ? byName(negotiation.accepted.username, target, "kerberos")
          : null;
      }
      case "unreadable":
        return null;
    }
  }

  return async (request, target) => {
    const signed = await sign(request, target);
    if (signed === null) {
      // Not counted: tokens and tickets cannot be guessed. Passwords and codes are, where they are checked.
      throw new InvalidCredentials();
    }
    const { found, credential } = signed;
    if (found.actor?.mustChangePassword === true) {
      throw new PasswordChangeRequired();
    }
    const { sudo } = request;
    if (sudo === null || sudo.name === "") {
      return { actor: found.actor, credential, owner: found.owner, repository: found.repository };
    }
    checkSudo(found.actor, credential, sudo.level);
    const user = await findUser(sudo.name);
    const as = user === null ? null : await findSubject({ userId: user.id }, target);
    if (as === null || as.actor === null) {
      throw new SudoUnknown(sudo.name);
    }
    return { actor: as.actor, credential, owner: as.owner, repository: as.repository };
  };
}
