import type { TagRecord } from "../../../git/operations/read-tag.ts";

const armour = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m;

/** An annotated tag carries its signature at the end of its message. */
export function splitTagMessage(message: string): { text: string; signature: string | null } {
  const at = message.search(armour);
  return at < 0 ? { text: message, signature: null } : { text: message.slice(0, at), signature: message.slice(at) };
}

/** The signature of a tag with the text that it signs: all of the object before it. `text` is the whole object; null where it is too large. */
export function signatureOfTag(tag: TagRecord, text: string | null): { signature: string; payload: string } | null {
  const { signature } = splitTagMessage(tag.message);
  return signature === null
    ? null
    : { signature, payload: text === null ? "" : text.slice(0, text.length - signature.length) };
}
