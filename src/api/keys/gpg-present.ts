import type { Static } from "elysia";
import type { GPGKey } from "./gpg-schema.ts";
import type { Key, Subkey } from "openpgp";
import type { GpgKeyRow } from "../../domain/identity/gpg-keys/queries.ts";
import { presentInstant } from "../common/instants.ts";

/** The permitted uses of a key: the flags of its newest binding (RFC 9580, section 5.2.3.29). */
const keyFlags = { can_certify: 1, can_sign: 2, can_encrypt_comms: 4, can_encrypt_storage: 8 } as const;

function usesOf(flags: number) {
  const has = (use: keyof typeof keyFlags) => (flags & keyFlags[use]) !== 0;
  return {
    can_sign: has("can_sign"),
    can_encrypt_comms: has("can_encrypt_comms"),
    can_encrypt_storage: has("can_encrypt_storage"),
    can_certify: has("can_certify"),
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
  return at instanceof Date ? { expires_at: presentInstant(at) } : {};
}

/** A key as the family's GPGKey. `verifiedEmails`: those of its user, lower case. */
export async function presentGpgKey(
  row: GpgKeyRow,
  verifiedEmails: ReadonlySet<string>,
): Promise<Static<typeof GPGKey>> {
  const { readKey } = await import("openpgp");
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
      created_at: presentInstant(subkey.getCreationTime()),
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
    created_at: presentInstant(row.keyCreatedAt),
    ...expiry(row.keyExpiresAt),
  };
}
