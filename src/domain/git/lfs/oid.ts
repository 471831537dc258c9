import { InvalidInput } from "../../../lib/errors.ts";

/** Whether this names an LFS object: a SHA-256 in lower case hexadecimal. */
export function isLfsOid(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Throws InvalidInput for anything else than the name of an LFS object. */
export function checkLfsOid(text: string): void {
  if (!isLfsOid(text)) {
    throw new InvalidInput(`"${text.slice(0, 100)}" is not the oid of an LFS object`, "oid");
  }
}
