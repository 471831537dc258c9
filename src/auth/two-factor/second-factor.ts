import { and, eq, lt } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { recoveryCode, twoFactor } from "../../db/schema/credentials.ts";
import { unseal } from "../../lib/sealed-box.ts";
import type { AccountFailures } from "../account-failures.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import { hashRecoveryCode, isRecoveryCode } from "./recovery-codes.ts";
import { InvalidCode } from "../sign-in-errors.ts";
import { findTotpStep } from "./totp.ts";

/** The sealed secret of an account belongs to it alone. */
export function twoFactorContext(userId: number): string {
  return `two-factor ${userId}`;
}

/**
 * Whether the code is right for this user, and uses it up: the update and the deletion find their row once, also when the
 * same code comes twice at the same moment. `key` is what secrets are sealed with; `now` is in milliseconds.
 */
export async function acceptCode(
  tx: Transaction,
  key: Uint8Array,
  userId: number,
  code: string,
  now: number,
): Promise<boolean> {
  return isRecoveryCode(code)
    ? useRecoveryCode(tx, userId, code)
    : useTotpCode(tx, key, userId, code.replaceAll(" ", ""), now);
}

async function useTotpCode(
  tx: Transaction,
  key: Uint8Array,
  userId: number,
  code: string,
  now: number,
): Promise<boolean> {
  const [row] = await tx.select().from(twoFactor).where(eq(twoFactor.userId, userId));
  const secret = row === undefined ? null : unseal(key, row.sealedSecret, twoFactorContext(userId));
  const step = secret === null ? null : findTotpStep(secret, code, now);
  if (row === undefined || step === null) {
    return false;
  }
  const used = await tx
    .update(twoFactor)
    .set({ lastStep: step })
    .where(
      and(eq(twoFactor.userId, userId), lt(twoFactor.lastStep, step), eq(twoFactor.sealedSecret, row.sealedSecret)),
    )
    .returning({ userId: twoFactor.userId });
  return used.length === 1;
}

async function useRecoveryCode(tx: Transaction, userId: number, code: string): Promise<boolean> {
  const used = await tx
    .delete(recoveryCode)
    .where(and(eq(recoveryCode.userId, userId), eq(recoveryCode.hash, hashRecoveryCode(code))))
    .returning({ userId: recoveryCode.userId });
  return used.length === 1;
}

/**
 * Checks a code that somebody gave whose password was right, and uses it up. Throws InvalidCode and TooManyFailedSignIns.
 */
export type CheckCode = (userId: number, code: string, remoteAddress: string) => Promise<void>;

export function prepareCheckCode(parts: {
  db: Database;
  key: Uint8Array;
  failures: FailedSignIns;
  accountFailures: AccountFailures;
}): CheckCode {
  const { db, key, failures, accountFailures } = parts;
  return async (userId, code, remoteAddress) => {
    const account = String(userId);
    failures.check(remoteAddress);
    accountFailures.beginCode(account);
    if (!(await db.transaction((tx) => acceptCode(tx, key, userId, code, Date.now())))) {
      failures.record(remoteAddress);
      throw new InvalidCode();
    }
    accountFailures.endRightCode(account);
    accountFailures.recordSignIn(account, remoteAddress);
  };
}
