import { join } from "node:path";
import { AccountFailures } from "../../../auth/account-failures.ts";
import { FailedSignIns } from "../../../auth/failed-sign-ins.ts";
import { prepareFindSubject, type FindSubject } from "../../../auth/find-subject.ts";
import { prepareFindUser } from "../../../auth/find-user.ts";
import { prepareHasSession } from "../../../auth/has-session.ts";
import { prepareIdentify, type Identify } from "../../../auth/identify/identify.ts";
import { prepareIdentifyKey, type IdentifyKey } from "../../../auth/identify/identify-key.ts";
import { prepareIdentifySession, type IdentifySession } from "../../../auth/identify/identify-session.ts";
import { Kerberos } from "../../../auth/identify/negotiate.ts";
import { LastUse } from "../../../auth/last-use.ts";
import { PasswordChecker } from "../../../auth/password.ts";
import { prepareCheckCode, type CheckCode } from "../../../auth/two-factor/second-factor.ts";
import { prepareCheckSignIn, prepareFindRemembered, type CheckSignIn } from "../../../auth/sign-in.ts";
import type { Config } from "../../../config/config.ts";
import type { Database } from "../../../db/client.ts";
import type { Logger } from "../../../lib/log.ts";

export interface Identity {
  /** Checks the credential of a request to the API, git over HTTP or LFS. */
  readonly identify: Identify;
  /** Checks an SSH key by its fingerprint. */
  readonly identifyKey: IdentifyKey;
  /** Checks the cookie of a page's visitor. */
  readonly identifySession: IdentifySession;
  /** Reads a user and their access when another place has checked the credential. */
  readonly findSubject: FindSubject;
  readonly checkSignIn: CheckSignIn;
  readonly checkCode: CheckCode;
  readonly lastUse: LastUse;
}

interface Parts {
  config: Config;
  db: Database;
  /** Unseals the secrets of second factors. */
  sealKey: Uint8Array;
  log: Logger;
  /** See PasswordChecker. */
  decoyHash: string | undefined;
}

/** Prepares the queries and limits with which users are identified. The stack gets what has to be disposed. */
export function buildIdentity({ config, db, sealKey, log, decoyHash }: Parts, stack: AsyncDisposableStack): Identity {
  const lastUse = stack.use(new LastUse(db, log));
  const findSubject = prepareFindSubject(db);
  const findUser = prepareFindUser(db);
  const failures = new FailedSignIns(config.auth.failed_sign_ins_per_minute);
  const accountFailures = new AccountFailures(config.auth.failed_sign_ins_per_account);
  const signingIn = {
    findUser,
    hasSession: prepareHasSession(db),
    passwords: new PasswordChecker(decoyHash),
    failures,
    accountFailures,
  };
  const checkSignIn = prepareCheckSignIn({ ...signingIn, log });
  const findRemembered = prepareFindRemembered(signingIn);
  const checkCode = prepareCheckCode({ db, key: sealKey, failures, accountFailures });
  const kerberos =
    config.kerberos.keytab_file === ""
      ? null
      : stack.use(new Kerberos(config.kerberos, join(config.dataDirectory, "kerberos.rcache"), log));
  return {
    identify: prepareIdentify({
      findSubject,
      findUser,
      checkSignIn,
      findRemembered,
      checkCode,
      checkNegotiation: kerberos?.check ?? null,
      failures,
      lastUse,
    }),
    identifyKey: prepareIdentifyKey({ findSubject, lastUse }),
    identifySession: prepareIdentifySession({ db, findSubject, lastUse, idleHours: config.auth.session_idle_hours }),
    findSubject,
    checkSignIn,
    checkCode,
    lastUse,
  };
}
