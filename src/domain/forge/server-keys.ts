import type { Database } from "../../db/client.ts";
import { ensureServerKey } from "../server-keys/queries.ts";

export interface ServerKeys {
  /** Seals secrets that have to be read again, such as those of second factors. */
  readonly seal: Uint8Array;
  /** Signs the tokens of LFS. */
  readonly lfs: Uint8Array;
  /** Signs the forms of pages. */
  readonly web: Uint8Array;
}

/** Reads the server's keys from the database, which makes them at the first start. */
export function readServerKeys(db: Database): Promise<ServerKeys> {
  return db.transaction(async (tx) => ({
    seal: await ensureServerKey(tx, "seal"),
    lfs: await ensureServerKey(tx, "lfs-token"),
    web: await ensureServerKey(tx, "web-form"),
  }));
}
