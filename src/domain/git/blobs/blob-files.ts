import type { BlobStore } from "../../../blobs/blob-store.ts";
import type { Database } from "../../../db/client.ts";
import type { KnownFiles } from "./unknown-files.ts";
import { knownBlobs, whileUnknownBlob } from "./queries.ts";

/** The files of the blob store by their names. */
export function blobFiles(db: Database, store: BlobStore): KnownFiles {
  return {
    kind: "blobs",
    list: () => store.list(),
    known: (names) => knownBlobs(db, names),
    writtenAt: (name) => store.writtenAt(name),
    removeUnknown: (name) => whileUnknownBlob(db, name, () => store.remove(name)),
  };
}
