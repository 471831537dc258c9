import { enums, readKey, type Key, type Subkey } from "openpgp";
import type { GpgKeyRow } from "../../domain/gpg-keys/queries.ts";

/** What a key may be used for: the flags of its newest binding. */
function usesOf(flags: number) {
  const has = (flag: number) => (flags & flag) !== 0;
  return {
    can_sign: has(enums.keyFlags.signData),
    can_encrypt_comms: has(enums.keyFlags.encryptCommunication),
    can_encrypt_storage: has(enums.keyFlags.encryptStorage),
    can_certify: has(enums.keyFlags.certifyKeys),
  };
}

async function flagsOf(key: Key): Promise<number> {
  const user = await key.getPrimaryUser().catch(() => null);
  return user?.selfCertification.keyFlags?.[0] ?? 0;
}

function packetOf(key: Key | Subkey): string {
  return Buffer.from(key.keyPacket.write()).toString("base64");
}

function expiry(at: Date | number | null) {
  return at instanceof Date ? { expires_at: at.toISOString() } : {};
}

/** A key as the family's GPGKey. `verifiedEmails`: those of its user, lower case. */
export async function presentGpgKey(row: GpgKeyRow, verifiedEmails: ReadonlySet<string>) {
  const key = await readKey({ armoredKey: row.content });
  const subkeys = await Promise.all(
    key.subkeys.map(async (subkey) => ({
      id: row.id,
      primary_key_id: row.keyId,
      key_id: subkey.getKeyID().toHex().toUpperCase(),
      public_key: packetOf(subkey),
      emails: [],
      subkeys: null,
      ...usesOf(subkey.bindingSignatures[0]?.keyFlags?.[0] ?? 0),
      verified: row.verified,
      created_at: subkey.getCreationTime().toISOString(),
      ...expiry(await subkey.getExpirationTime()),
    })),
  );
  return {
    id: row.id,
    primary_key_id: "",
    key_id: row.keyId,
    public_key: packetOf(key),
    emails: row.emails.map((email) => ({ email, verified: verifiedEmails.has(email) })),
    subkeys,
    ...usesOf(await flagsOf(key)),
    verified: row.verified,
    created_at: row.keyCreatedAt.toISOString(),
    ...expiry(row.keyExpiresAt),
  };
}
