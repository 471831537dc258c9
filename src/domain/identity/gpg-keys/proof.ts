import { createHmac } from "node:crypto";
import { verifyGpgSignature } from "../../git/signatures/gpg-signature.ts";

const hourMs = 3600 * 1000;

function tokenOf(key: Uint8Array, userId: number, hour: number): string {
  return createHmac("sha256", key).update(`gpg-key ${userId} ${hour}`).digest("hex");
}

/**
 * Returns the token that a user signs to prove that a key is theirs. It is valid for at least one hour and at most two.
 * `key` is a secret of the server.
 */
export function proofToken(key: Uint8Array, userId: number): string {
  return tokenOf(key, userId, Math.floor(Date.now() / hourMs));
}

/** Whether this armored signature by this armored key is one over the user's token, with or without the line's end that `echo` adds. */
export async function provesKey(
  key: Uint8Array,
  userId: number,
  armoredKey: string,
  armoredSignature: string,
): Promise<boolean> {
  const hour = Math.floor(Date.now() / hourMs);
  for (const token of [tokenOf(key, userId, hour), tokenOf(key, userId, hour - 1)]) {
    for (const end of ["", "\n", "\r\n"]) {
      if (await verifyGpgSignature(armoredKey, armoredSignature, token + end)) {
        return true;
      }
    }
  }
  return false;
}
