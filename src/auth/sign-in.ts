import type { Logger } from "../lib/log.ts";
import type { AccountFailures } from "./account-failures.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import type { FindUser, UserForSignIn } from "./find-user.ts";
import type { HasSession } from "./has-session.ts";
import { InvalidCredentials } from "./identify/identify.ts";
import type { PasswordChecker } from "./password.ts";
import { signInStamp } from "./sign-in-stamp.ts";

/** Somebody whose password was right. */
export interface SignedIn {
  userId: number;
  /** A second factor is due. */
  secondFactor: boolean;
  /** See `signInStamp`: of the password that was right. */
  stamp: string;
}

/**
 * Checks the name (or a verified e-mail address) and password that somebody gave, wherever they gave it. Throws
 * InvalidCredentials, for every reason alike, TooManyFailedSignIns and PasswordChecksBusy.
 */
export type CheckSignIn = (name: string, password: string, remoteAddress: string) => Promise<SignedIn>;

/**
 * Checks a password that was right a short while ago, without the hashing; null if that must be done or the password is
 * refused.
 */
export type FindRemembered = (name: string, password: string, remoteAddress: string) => Promise<SignedIn | null>;

interface Parts {
  findUser: FindUser;
  hasSession: HasSession;
  passwords: PasswordChecker;
  failures: FailedSignIns;
  accountFailures: AccountFailures;
  log: Logger;
}

export function prepareCheckSignIn({
  findUser,
  hasSession,
  passwords,
  failures,
  accountFailures,
  log,
}: Parts): CheckSignIn {
  return async (name, password, remoteAddress) => {
    failures.check(remoteAddress);
    const user = await findUser(name);
    const account = accountKey(user, name);
    if (accountFailures.mustWait(account, remoteAddress) && (await hasSession(user?.id ?? 0, remoteAddress))) {
      // Known from before the server was started, too. Nobody is asked about as well, so that it takes as long.
      accountFailures.recordSignIn(account, remoteAddress);
    }
    const check = () => {
      failures.check(remoteAddress);
      accountFailures.checkPassword(account, remoteAddress);
    };
    check();
    // Checked again when the password's turn comes: many may have been sent at once, before the first was found wrong.
    const isRight = await passwords.check(user?.id ?? 0, user?.passwordHash ?? null, password, check);
    if (user === null || !isRight || !user.usable) {
      failures.record(remoteAddress);
      accountFailures.recordWrongPassword(
        account,
        passwords.digest(user?.id ?? 0, user?.passwordHash ?? null, password),
      );
      // Without the name that was given: people type their password into that field.
      log.info({ address: remoteAddress, user: user?.id ?? null }, "A sign-in failed");
      throw new InvalidCredentials();
    }
    if (!user.secondFactor) {
      accountFailures.recordSignIn(account, remoteAddress);
    }
    return signedIn(user);
  };
}

export function prepareFindRemembered({ findUser, passwords, accountFailures }: Omit<Parts, "log">): FindRemembered {
  return async (name, password, remoteAddress) => {
    const user = await findUser(name);
    // An address that has to wait learns nothing here either.
    const account = accountKey(user, name);
    if (
      user === null ||
      !user.usable ||
      accountFailures.mustWait(account, remoteAddress) ||
      !passwords.isRemembered(user.id, user.passwordHash, password)
    ) {
      return null;
    }
    if (!user.secondFactor) {
      accountFailures.recordSignIn(account, remoteAddress);
    }
    return signedIn(user);
  };
}

function signedIn({ id, passwordHash, secondFactor }: UserForSignIn): SignedIn {
  return { userId: id, secondFactor, stamp: signInStamp(passwordHash, secondFactor) };
}

/** Failures for unknown names are counted like those for known ones; otherwise a wait would tell them apart. */
function accountKey(user: UserForSignIn | null, name: string): string {
  return user === null ? `name ${name.trim().toLowerCase()}` : String(user.id);
}
