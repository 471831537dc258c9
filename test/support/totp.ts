import { findTotpStep, totpCode, totpStep } from "../../src/auth/two-factor/totp.ts";
import type { TestApp } from "./test-app.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function decodeBase32(text: string): Uint8Array {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** What an authenticator program with this base32 secret shows, so many time steps from now. */
export function codeOf(secret: string, stepsFromNow = 0): string {
  return totpCode(decodeBase32(secret), totpStep(Date.now()) + stepsFromNow);
}

/** Six digits that are no code of any step near now. */
export function wrongCodeOf(secret: string): string {
  const bytes = decodeBase32(secret);
  const near = [-2, -1, 0, 1, 2].map((steps) => Date.now() + steps * 30_000);
  return (
    ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) =>
      near.every((at) => findTotpStep(bytes, code, at) === null),
    ) ?? "666666"
  );
}

/** Lets the codes of this moment work again, so that no test has to wait for the next ones. */
export async function clearUsedCodes(app: TestApp): Promise<void> {
  await app.forge.database.sql`update two_factor set last_step = 0`;
}

/** Turns a user's second factor on by the API, and answers its secret and recovery codes. */
export async function enrolTwoFactor(app: TestApp, name: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const client = app.withPassword(name);
  const { secret } = (await client.post<{ secret: string }>("/user/two_factor")).body;
  const { recovery_codes: recoveryCodes } = (
    await client.put<{ recovery_codes: string[] }>("/user/two_factor", { code: codeOf(secret) })
  ).body;
  await clearUsedCodes(app);
  return { secret, recoveryCodes };
}
