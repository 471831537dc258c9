import { createHash } from "node:crypto";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import type { EmailOwners } from "../commits/queries.ts";
import { issuersOf, verifyGpgSignature } from "./gpg-signature.ts";
import type { InstanceKey } from "./instance-key.ts";
import { findGpgKeysByIds, findSshKeysByFingerprints, type SigningKey } from "./queries.ts";
import { parseSshSignature, verifySshSignature } from "./ssh-signature.ts";

/** A commit or tag as far as its signature goes: `email` is the committer's or the tagger's. */
export interface Signed {
  signature: { signature: string; payload: string } | null;
  email: string;
}

/** The result of checking a signature. `reason` is the signer and their key, or the family's name of the fault. */
export interface Verification {
  verified: boolean;
  reason: string;
  signature: string;
  payload: string;
  signer: Signer | null;
}

/** The signer of a good signature: a user, or this server, which has no user name and an address of its own. */
interface Signer {
  name: string;
  fullName: string;
  /** null for a user: theirs is that of the commit. */
  email: string | null;
}

/** The family's names of what can be wrong. */
const faults = {
  none: "gpg.error.not_signed_commit",
  unreadable: "gpg.error.extract_sign",
  unknownKey: "gpg.error.no_gpg_keys_found",
  otherCommitter: "gpg.error.no_committer_account",
  bad: "gpg.error.probable_bad_signature",
} as const;

const cacheBytes = 1024 * 1024;

/**
 * Checks signatures of commits and tags. A signature by the server's key is verified for any committer, because the
 * server signs only commits that it made. Another signature is verified if a user's registered key made it, and the
 * committer's address belongs to that user and is verified. Keys are public, so anybody can register anybody's key.
 */
export class SignatureVerifier {
  /** Whether this key made this signature over this text: what never changes. Whose the key is is looked up each time. */
  private readonly checked = new ByteCache<boolean>(cacheBytes);
  /** By signature: reading one takes the library a tenth of a millisecond, and a page of commits may have thirty. */
  private readonly named = new ByteCache<NamedKeys>(cacheBytes);

  /** `instance`: the key of this server; null if it signs nothing. */
  constructor(private readonly instance: InstanceKey | null) {}

  /** In the order of `signed`. `users` knows the owners of their addresses. */
  async verify(db: Reader, signed: readonly Signed[], users: EmailOwners): Promise<Verification[]> {
    const named = await Promise.all(
      signed.map(({ signature }) => (signature === null ? nobody : this.namedBy(signature.signature))),
    );
    const [gpgKeys, sshKeys] = await Promise.all([
      findGpgKeysByIds(db, [...new Set(named.flatMap(({ keyIds }) => keyIds))]),
      findSshKeysByFingerprints(db, [...new Set(named.flatMap(({ fingerprint }) => fingerprint ?? []))]),
    ]);
    const verifications: Verification[] = [];
    for (const [index, one] of signed.entries()) {
      const { keyIds, fingerprint } = named[index] ?? nobody;
      const { instance } = this;
      const ids = fingerprint === null ? keyIds : [fingerprint];
      if (instance !== null && one.signature !== null && ids.some((id) => instance.ids.includes(id))) {
        verifications.push(await this.verifyOwn(instance, one.signature));
        continue;
      }
      const keys =
        fingerprint === null
          ? keyIds.flatMap((id) => gpgKeys.filter((key) => key.ids.includes(id)))
          : sshKeys.filter((key) => key.ids.includes(fingerprint));
      verifications.push(
        await this.verifyOne(one, keyIds.length > 0 || fingerprint !== null, keys, users.find(one.email)),
      );
    }
    return verifications;
  }

  private async verifyOwn(
    { kind, publicKey, ids, name, email }: InstanceKey,
    signature: { signature: string; payload: string },
  ): Promise<Verification> {
    return (await this.check({ kind, content: publicKey }, signature))
      ? { ...signature, verified: true, reason: `${name} / ${ids[0]}`, signer: { name: "", fullName: name, email } }
      : { ...signature, verified: false, reason: faults.bad, signer: null };
  }

  private async verifyOne(
    { signature }: Signed,
    readable: boolean,
    keys: readonly SigningKey[],
    committer: OwnerRow | null,
  ): Promise<Verification> {
    const unverified = (reason: string) => ({
      verified: false,
      reason,
      signature: signature?.signature ?? "",
      payload: signature?.payload ?? "",
      signer: null,
    });
    if (signature === null) {
      return unverified(faults.none);
    }
    if (!readable) {
      return unverified(faults.unreadable);
    }
    if (keys.length === 0) {
      return unverified(faults.unknownKey);
    }
    const own = keys.find((key) => key.userId === committer?.id);
    if (own === undefined || committer === null) {
      return unverified(faults.otherCommitter);
    }
    if (!(await this.check(own, signature))) {
      return unverified(faults.bad);
    }
    const { name, fullName } = committer;
    return { ...signature, verified: true, reason: `${name} / ${own.shown}`, signer: { name, fullName, email: null } };
  }

  private async namedBy(signature: string): Promise<NamedKeys> {
    const known = this.named.get(signature);
    if (known !== undefined) {
      return known;
    }
    const named = await namedBy(signature);
    this.named.set(signature, named, 64 * (named.keyIds.length + 1));
    return named;
  }

  private async check(
    key: Pick<SigningKey, "kind" | "content">,
    { signature, payload }: { signature: string; payload: string },
  ): Promise<boolean> {
    const name = createHash("sha256")
      .update(`${key.content.length} ${signature.length} ${key.content}${signature}${payload}`)
      .digest("base64");
    const known = this.checked.get(name);
    if (known !== undefined) {
      return known;
    }
    const parsed = key.kind === "ssh" ? parseSshSignature(signature) : null;
    const result =
      key.kind === "ssh"
        ? parsed !== null && verifySshSignature(parsed, payload)
        : await verifyGpgSignature(key.content, signature, payload);
    this.checked.set(name, result, 8);
    return result;
  }
}

interface NamedKeys {
  /** Ids of OpenPGP keys. */
  keyIds: string[];
  /** The fingerprint of an SSH key. */
  fingerprint: string | null;
}

const nobody: NamedKeys = { keyIds: [], fingerprint: null };

/** Which keys a signature says made it. */
async function namedBy(signature: string): Promise<NamedKeys> {
  if (signature.startsWith("-----BEGIN SSH SIGNATURE-----")) {
    return { keyIds: [], fingerprint: parseSshSignature(signature)?.fingerprint ?? null };
  }
  return { keyIds: await issuersOf(signature), fingerprint: null };
}
