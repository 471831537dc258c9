import type { FindSubject, Target } from "../find-subject.ts";
import type { LastUse } from "../last-use.ts";
import type { Credential, Subject } from "../subject.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/**
 * Finds the holder of an SSH key by its fingerprint, and the target; null if the key lets nobody in. The caller checks
 * that the holder has the private key.
 */
export type IdentifyKey = (fingerprint: string, target: Target) => Promise<Subject | null>;

export function prepareIdentifyKey(parts: { findSubject: FindSubject; lastUse: LastUse }): IdentifyKey {
  return async (fingerprint, target) => {
    const { actor, key, owner, repository } = await parts.findSubject({ keyFingerprint: fingerprint }, target);
    if (key === null) {
      return null;
    }
    // Without a target a client only asks whether the key would do, and need not have its private half.
    if (target.ownerName !== undefined || target.repositoryId !== undefined) {
      parts.lastUse.record("ssh-key", key.id);
    }
    if (key.deployKey !== null) {
      parts.lastUse.record("deploy-key", key.deployKey.id);
    }
    const credential: Credential =
      actor === null
        ? {
            kind: "deploy-key",
            keyId: key.id,
            deployKeyId: key.deployKey?.id ?? null,
            readOnly: key.deployKey?.readOnly ?? true,
          }
        : { kind: "ssh-key", keyId: key.id };
    return { actor, credential, owner, repository };
  };
}

/** The name under which a key is kept and shown, as ssh-keygen prints it: of the blob that stands base64-encoded in a public key file. */
export function keyFingerprint(blob: Uint8Array): string {
  return `SHA256:${trimEndOf(new Bun.CryptoHasher("sha256").update(blob).digest("base64"), "=")}`;
}
