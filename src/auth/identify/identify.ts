import { eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { emailAddress } from "../../db/schema/credentials.ts";
import { account, owner } from "../../db/schema/owners.ts";
import { StithyError } from "../../lib/errors.ts";
import { hashToken, tokenPrefix } from "../access-token.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { FindSubject, FoundSubject, Target } from "../find-subject.ts";
import type { LastUse } from "../last-use.ts";
import type { PasswordChecker } from "../password.ts";
import type { Credential, Subject } from "../subject.ts";
import type { PresentedCredential } from "./presented.ts";

/** A credential was presented and is not valid. The message is the same for every reason. */
export class InvalidCredentials extends StithyError {
  constructor() {
    super("invalid-credentials", "The user name, password or token is not valid");
  }
}

/** Somebody who is no site administrator wants to act as another user. */
export class SudoForbidden extends StithyError {
  constructor() {
    super("sudo-forbidden", "Only site administrators may act as another user");
  }
}

/** The user to act as does not exist. */
export class SudoUnknown extends StithyError {
  constructor(name: string) {
    super("sudo-unknown", `There is no user "${name}" to act as`, { name });
  }
}

export interface IdentifyRequest {
  presented: PresentedCredential;
  /** For counting failures. */
  remoteAddress: string;
  /** The name of the user to act as, for site administrators. */
  sudo: string | null;
}

/** Finds out who asks, and reads what they ask about with it. Throws InvalidCredentials, TooManyFailedSignIns, SudoForbidden, SudoUnknown, PasswordChecksBusy. */
export type Identify = (request: IdentifyRequest, target: Target) => Promise<Subject>;

interface Parts {
  db: Database;
  findSubject: FindSubject;
  passwords: PasswordChecker;
  failures: FailedSignIns;
  lastUse: LastUse;
}

export function prepareIdentify(parts: Parts): Identify {
  const { db, findSubject, failures } = parts;
  const findUser = db
    .select({ id: account.ownerId, passwordHash: account.passwordHash })
    .from(account)
    .innerJoin(owner, eq(owner.id, account.ownerId))
    .where(
      sql`${owner.lowerName} = ${sql.placeholder("name")}::text or ${owner.id} = (select ${emailAddress.userId} from ${emailAddress}
        where ${emailAddress.lowerEmail} = ${sql.placeholder("name")}::text and ${emailAddress.verified})`,
    )
    .orderBy(sql`(${owner.lowerName} = ${sql.placeholder("name")}::text) desc`)
    .limit(1)
    .prepare("find_user_for_sign_in");

  /** Nobody's name has a NUL, which the database would not even compare. */
  async function findByName(name: string): Promise<{ id: number; passwordHash: string | null } | null> {
    const [user] = name.includes("\0") ? [] : await findUser.execute({ name: name.toLowerCase() });
    return user ?? null;
  }

  async function byToken(token: string, target: Target): Promise<{ found: FoundSubject; credential: Credential } | null> {
    const found = await findSubject({ tokenHash: hashToken(token) }, target);
    if (found.token === null) {
      return null;
    }
    parts.lastUse.record("token", found.token.id);
    return { found, credential: { kind: "token", tokenId: found.token.id, scopes: found.token.scopes } };
  }

  async function byPassword(username: string, password: string, target: Target, beforeWork: () => void): Promise<{ found: FoundSubject; credential: Credential } | null> {
    const user = await findByName(username);
    if (!(await parts.passwords.check(user?.id ?? 0, user?.passwordHash ?? null, password, beforeWork)) || user === null) {
      return null;
    }
    const found = await findSubject({ userId: user.id }, target);
    return found.actor === null ? null : { found, credential: { kind: "password" } };
  }

  async function byProxy(username: string, target: Target): Promise<{ found: FoundSubject; credential: Credential } | null> {
    const user = await findByName(username);
    const found = user === null ? null : await findSubject({ userId: user.id }, target);
    return found === null || found.actor === null ? null : { found, credential: { kind: "proxy" } };
  }

  /** Basic takes a password, or a token as password or (the way of some CI clients) as user name. */
  async function byBasic({ username, password }: { username: string; password: string }, target: Target, beforeWork: () => void): Promise<{ found: FoundSubject; credential: Credential } | null> {
    const tokenAsUser = password === "" || password === "x-oauth-basic";
    if (tokenAsUser || password.startsWith(tokenPrefix)) {
      return byToken(tokenAsUser ? username : password, target);
    }
    // A look for a token is two hundred times cheaper than a password check, so it comes first.
    return (await byToken(password, target)) ?? (username.startsWith(tokenPrefix) ? byToken(username, target) : byPassword(username, password, target, beforeWork));
  }

  async function sign(presented: PresentedCredential, target: Target, beforeWork: () => void): Promise<{ found: FoundSubject; credential: Credential } | null> {
    switch (presented.kind) {
      case "none":
        return { found: await findSubject({}, target), credential: { kind: "none" } };
      case "token":
        return byToken(presented.token, target);
      case "basic":
        return byBasic(presented, target, beforeWork);
      case "proxy":
        return byProxy(presented.username, target);
      case "unreadable":
        return null;
    }
  }

  return async (request, target) => {
    if (request.presented.kind !== "none") {
      failures.check(request.remoteAddress);
    }
    // Looked at again when a password's turn comes: many may have been sent at once, before the first was found wrong.
    const signed = await sign(request.presented, target, () => failures.check(request.remoteAddress));
    if (signed === null) {
      failures.record(request.remoteAddress);
      throw new InvalidCredentials();
    }
    const { found, credential } = signed;
    if (request.sudo === null || request.sudo === "") {
      return { actor: found.actor, credential, owner: found.owner, repository: found.repository };
    }
    if (found.actor?.isAdmin !== true) {
      throw new SudoForbidden();
    }
    const user = await findByName(request.sudo);
    const as = user === null ? null : await findSubject({ userId: user.id }, target);
    if (as === null || as.actor === null) {
      throw new SudoUnknown(request.sudo);
    }
    return { actor: as.actor, credential, owner: as.owner, repository: as.repository };
  };
}
