import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

const faults: Readonly<Record<string, string>> = {
  "gpg.error.extract_sign": "It is signed in a way that this server cannot read",
  "gpg.error.no_gpg_keys_found": "It is signed with a key that no user of this server has registered",
  "gpg.error.no_committer_account": "It is signed with a key of somebody else than its committer",
  "gpg.error.probable_bad_signature": "Its signature is wrong",
};

/** Says in a sentence what is known of a signature; null where there is none. */
export function explainSignature({ verified, reason }: Verification): string | null {
  return verified ? `Signed by ${reason}` : (faults[reason] ?? null);
}

/** A mark for what is signed; nothing for what is not. */
export function verifiedMark(reader: Reader, verification: Verification | undefined): Html | null {
  const words = verification === undefined ? null : explainSignature(verification);
  return words === null
    ? null
    : verification?.verified === true
      ? html`<span class="tag green" title="${words}">${icon(reader, "shield-check")}Verified</span>`
      : html`<span class="tag amber" title="${words}">Unverified</span>`;
}
