import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../../../blobs/blob-store.ts";
import { CheckedBlobs } from "../../../blobs/checked-blobs.ts";
import { DiskBlobStore } from "../../../blobs/disk-blob-store.ts";
import type { DiskRoom } from "./disk-room.ts";
import type { Logger } from "../../../lib/log.ts";
import { emptyWorkingDirectories } from "../../../lib/working-directory.ts";

export interface FileDirectories {
  /** Absolute directory of the pack files: `<aa>/<checksum>.pack`. */
  readonly packDirectory: string;
  /** Absolute directory of files that are being written. Emptied at start. */
  readonly temporaryDirectory: string;
}

export interface ServerFiles extends FileDirectories {
  /** Files that are not git's, such as LFS objects. */
  readonly blobs: BlobStore;
  /** Reads the files, and checks their content. */
  readonly contents: CheckedBlobs;
  /** Whether there is room for changes. */
  readonly room: DiskRoom;
}

/** Makes the directories inside the data directory, and empties the temporary one. */
export async function prepareFileDirectories({ packDirectory, temporaryDirectory }: FileDirectories): Promise<void> {
  await emptyWorkingDirectories(temporaryDirectory);
  await Promise.all([packDirectory, temporaryDirectory].map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
}

export function fileDirectories(dataDirectory: string): FileDirectories {
  return { packDirectory: join(dataDirectory, "packs"), temporaryDirectory: join(dataDirectory, "tmp") };
}

export async function openServerFiles(
  dataDirectory: string,
  directories: FileDirectories,
  room: DiskRoom,
  log: Logger,
): Promise<ServerFiles> {
  const blobs = await DiskBlobStore.open(join(dataDirectory, "blobs"), directories.temporaryDirectory);
  return { ...directories, blobs, contents: new CheckedBlobs(blobs, log), room };
}
