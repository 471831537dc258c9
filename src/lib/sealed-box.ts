import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with AES-256-GCM: nonce, tag, ciphertext. `context` says whose it is, such as "two-factor 7": a box that was
 * copied into another row does not open there. `key` has 32 bytes.
 */
export function seal(key: Uint8Array, content: Uint8Array, context: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/** The content of a sealed box; null when key or context are not those it was sealed with, or it was damaged. */
export function unseal(key: Uint8Array, box: Uint8Array, context: string): Uint8Array | null {
  if (box.length < nonceBytes + tagBytes) {
    return null;
  }
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(box.subarray(nonceBytes + tagBytes)), decipher.final()]));
  } catch {
    // The failures are not told apart, because the box is not ours.
    return null;
  }
}
