import type { Database } from "../../../db/client.ts";
import { establishSealingKey } from "../../identity/server-keys/establish-sealing-key.ts";
import { ensureServerKey } from "../../identity/server-keys/queries.ts";

export interface ServerKeys {
  /**
   * Seals secrets that have to be read again, such as those of second factors and of mirrors: `seal(forge.keys.seal, …)`. It lies
   * in a file, not in the database.
   */
  readonly seal: Uint8Array;
  /** Signs the tokens of LFS. */
  readonly lfs: Uint8Array;
  /** Signs the forms of pages. */
  readonly web: Uint8Array;
  /** Signs the links in mails that end a subscription. */
  readonly unsubscribe: Uint8Array;
}

/**
 * Reads the server's keys: the sealing key from the file at `path`, the others from the database. The first start makes them. Throws
 * what `establishSealingKey` throws.
 */
export function readServerKeys(db: Database, path: string, options: { durable: boolean }): Promise<ServerKeys> {
  return db.transaction(async (tx) => ({
    seal: await establishSealingKey(tx, path, options),
    lfs: await ensureServerKey(tx, "lfs-token"),
    web: await ensureServerKey(tx, "web-form"),
    unsubscribe: await ensureServerKey(tx, "unsubscribe"),
  }));
}
