import { open } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import type { GitForge } from "../../spine/forge.ts";
import { push } from "../../work/git-access/push.ts";
import { isAmbiguousRef } from "../../../git/refs/ref-name.ts";
import { BadBundle, parseBundleHeader, type BundleHeader } from "../../../git/transport/bundle-header.ts";
import { spoolPack } from "../../../git/transport/spool-pack.ts";
import { messageOf } from "../../../lib/errors.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";

/** A bundle that holds all it needs, up to the point where its pack begins. */
export interface OpenBundle {
  readonly path: string;
  readonly header: BundleHeader;
  /** The branch that the bundle's HEAD is at, if it has one. */
  readonly headBranch: string | undefined;
}

const branchPrefix = "refs/heads/";
const firstPiece = 64 * 1024;

/** Reads the header of a bundle. Throws BadBundle, also when the file cannot be read or the bundle builds on other commits. */
export async function openBundle(path: string): Promise<OpenBundle> {
  const header = await readHeader(path);
  if (header.prerequisites.length > 0) {
    throw new BadBundle(
      `The bundle "${path}" builds on ${header.prerequisites.length} commits that it does not hold: make it with --all and without a range`,
    );
  }
  const head = header.refs.find((ref) => ref.name === "HEAD")?.oid;
  const branches = header.refs
    .filter((ref) => ref.oid === head && ref.name.startsWith(branchPrefix) && !isAmbiguousRef(ref.name))
    .map((ref) => ref.name.slice(branchPrefix.length));
  return { path, header, headBranch: ["main", "master"].find((name) => branches.includes(name)) ?? branches[0] };
}

async function readHeader(path: string): Promise<BundleHeader> {
  try {
    await using file = await open(path, "r");
    for (let size = firstPiece; ; size *= 2) {
      const buffer = new Uint8Array(size);
      const { bytesRead } = await file.read(buffer, 0, size, 0);
      const header = parseBundleHeader(buffer.subarray(0, bytesRead));
      if (header !== null) {
        return header;
      }
      if (bytesRead < size) {
        throw new BadBundle("The bundle ends before its pack");
      }
    }
  } catch (error) {
    throw new BadBundle(`The bundle "${path}" cannot be read: ${messageOf(error)}`);
  }
}

/** Takes a bundle into an empty repository as if its owner had pushed all its refs. Throws BadBundle, PackTooLarge. */
export async function importBundle(
  forge: GitForge,
  doer: Doer,
  repository: RepositoryAccess,
  bundle: OpenBundle,
): Promise<void> {
  await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
  const packPath = join(scratch.path, "bundle.pack");
  const pack = Bun.file(bundle.path).slice(bundle.header.packOffset).stream();
  await spoolPack(pack, packPath, { packBytes: forge.config.git.push_limit_bytes });
  const commands = bundle.header.refs
    .filter((ref) => ref.name.startsWith("refs/"))
    .map((ref) => ({ name: ref.name, oldOid: null, newOid: ref.oid }));
  const { unpackError, refs } = await push(forge, {
    repository,
    doer,
    commands,
    packPath,
    atomic: true,
    pushOptions: [],
  });
  const refused = refs.find((ref) => ref.error !== null);
  if (unpackError !== null || refused !== undefined) {
    throw new BadBundle(
      `The bundle "${bundle.path}" cannot be taken in: ${unpackError ?? `${refused?.name}: ${refused?.error}`}`,
    );
  }
}
