import { and, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { gpgKey } from "../../../db/schema/credentials.ts";
import { sshKey } from "../../../db/schema/keys.ts";

/** A user's key that may have signed something. */
export interface SigningKey {
  kind: "gpg" | "ssh";
  userId: number;
  /** By which signatures name it: key ids, or the fingerprint. */
  ids: readonly string[];
  /** How it is told to readers. */
  shown: string;
  content: string;
}

/** The OpenPGP keys that have one of these ids, or a subkey that has. */
export async function findGpgKeysByIds(db: Reader, ids: readonly string[]): Promise<SigningKey[]> {
  if (ids.length === 0) {
    return [];
  }
  const rows = await db
    .select()
    .from(gpgKey)
    .where(or(inArray(gpgKey.keyId, [...ids]), sql`${gpgKey.subkeyIds} && ${sql.param([...ids])}::text[]`));
  return rows.map((row) => ({
    kind: "gpg",
    userId: row.userId,
    ids: [row.keyId, ...row.subkeyIds],
    shown: row.keyId,
    content: row.content,
  }));
}

/** The users' SSH keys with these fingerprints. */
export async function findSshKeysByFingerprints(db: Reader, fingerprints: readonly string[]): Promise<SigningKey[]> {
  if (fingerprints.length === 0) {
    return [];
  }
  const rows = await db
    .select()
    .from(sshKey)
    .where(and(inArray(sshKey.fingerprint, [...fingerprints]), isNotNull(sshKey.userId)));
  return rows.flatMap(({ userId, fingerprint, content }) =>
    userId === null ? [] : [{ kind: "ssh" as const, userId, ids: [fingerprint], shown: fingerprint, content }],
  );
}
