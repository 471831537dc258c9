import { generateRecoveryCodes, hashRecoveryCode } from "../../../auth/two-factor/recovery-codes.ts";
import { acceptCode, twoFactorContext } from "../../../auth/two-factor/second-factor.ts";
import { generateTotpSecret, totpAddress } from "../../../auth/two-factor/totp.ts";
import type { Transaction } from "../../../db/client.ts";
import { encodeBase32 } from "../../../lib/base32.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { seal } from "../../../lib/sealed-box.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { deleteTwoFactor, lockTwoFactor, putTwoFactor, replaceRecoveryCodes, setConfirmed } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

/**
 * The user who gets a second factor, the key that secrets are sealed with, and the server's name as authenticators show
 * it.
 */
export interface Enrolling {
  user: { id: number; name: string };
  key: Uint8Array;
  issuer: string;
}

/** The data for an authenticator program; shown once. */
export interface TotpSecret {
  /** Base32. */
  secret: string;
  /** otpauth://, for a QR code. */
  address: string;
}

/** Makes a secret that counts once a first code was shown; one that was begun before is dropped. Throws Conflict when a second factor is in use. */
export async function beginTwoFactor(work: Work, enrolling: Enrolling): Promise<TotpSecret> {
  const { tx } = work;
  return putSecret(tx, enrolling, false);
}

/**
 * Takes a first code, which is used up by it, and turns the second factor on. Answers the recovery codes, which are shown
 * once. Throws InvalidInput for a wrong code, NotFound when nothing was begun, Conflict when it is on already.
 */
export async function confirmTwoFactor(work: Work, { user, key }: Enrolling, code: string): Promise<string[]> {
  const { tx } = work;
  const state = await lockTwoFactor(tx, user.id);
  if (state === null) {
    throw new NotFound("second factor to confirm of", user.name);
  }
  if (state.confirmed) {
    throw inUse(user.name);
  }
  if (!(await acceptCode(tx, key, user.id, code, Date.now()))) {
    throw new InvalidInput(
      "The code is not the one that the authenticator shows now; check that its clock is right",
      "code",
    );
  }
  await setConfirmed(tx, user.id);
  return renewCodes(tx, user.id);
}

/** Turns the second factor on without a first code: for administrators of the machine. Throws Conflict when it is on already. */
export async function enrolTwoFactor(
  work: Work,
  enrolling: Enrolling,
): Promise<TotpSecret & { recoveryCodes: string[] }> {
  const { tx } = work;
  const made = await putSecret(tx, enrolling, true);
  return { ...made, recoveryCodes: await renewCodes(tx, enrolling.user.id) };
}

/** New recovery codes in place of the old ones. Throws NotFound when there is no second factor. */
export async function renewRecoveryCodes(work: Work, user: { id: number; name: string }): Promise<string[]> {
  const { tx } = work;
  if ((await lockTwoFactor(tx, user.id))?.confirmed !== true) {
    throw noSecondFactor(user.name);
  }
  return renewCodes(tx, user.id);
}

/** Turns the second factor off, with its recovery codes. Throws NotFound when there is none. */
export async function removeTwoFactor(work: Work, user: { id: number; name: string }): Promise<void> {
  const { tx } = work;
  if (!(await deleteTwoFactor(tx, user.id))) {
    throw noSecondFactor(user.name);
  }
}

async function putSecret(tx: Transaction, { user, key, issuer }: Enrolling, confirmed: boolean): Promise<TotpSecret> {
  const secret = generateTotpSecret();
  if (!(await putTwoFactor(tx, user.id, seal(key, secret, twoFactorContext(user.id)), confirmed))) {
    throw inUse(user.name);
  }
  return { secret: encodeBase32(secret), address: totpAddress(secret, issuer, user.name) };
}

async function renewCodes(tx: Transaction, userId: number): Promise<string[]> {
  const codes = generateRecoveryCodes();
  await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode));
  return codes;
}

function inUse(name: string): Conflict {
  return new Conflict(`"${name}" has a second factor already; remove it first`);
}

function noSecondFactor(name: string): NotFound {
  return new NotFound("second factor of", name);
}
