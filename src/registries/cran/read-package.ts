import { BadPackage } from "../shared/bad-package.ts";
import { gunzip, readSmall, type ArchiveLimits } from "../shared/inflate.ts";
import { readTar } from "../shared/tar.ts";
import { descriptionBytes, parseDescription, type Description } from "./parse.ts";

export type Packing = "tar.gz" | "zip";

interface Entry {
  readonly path: string;
  readonly kind: string;
  content(): AsyncGenerator<Uint8Array>;
}

/** At the top, or in the one folder that a package has. */
const descriptionPath = /^(?:\.\/)?(?:[^/]+\/)?DESCRIPTION$/;

/** Tells by its first bytes how a package is packed: what is no gzip is read as a zip. */
export async function packingOf(file: Blob): Promise<Packing> {
  const [first, second] = await file.slice(0, 2).bytes();
  return first === 0x1f && second === 0x8b ? "tar.gz" : "zip";
}

/**
 * Reads what a package of R says of itself. The archive is read to its end, so that one that is cut off or damaged is found out.
 * Throws BadPackage for what is no package, or exceeds the limits.
 */
export async function readPackage(file: Blob, packing: Packing, limits: ArchiveLimits): Promise<Description> {
  const entries: AsyncIterable<Entry> =
    packing === "tar.gz"
      ? readTar(gunzip(file.stream() as unknown as AsyncIterable<Uint8Array>, limits), limits)
      : (await import("../shared/zip.ts")).readZip(file, limits);
  let description: Description | null = null;
  for await (const { path, kind, content } of entries) {
    if (description === null && kind === "file" && descriptionPath.test(path)) {
      description = parseDescription(await readSmall(content(), { path, limit: descriptionBytes }));
    } else if (packing === "zip" && kind === "file") {
      for await (const _ of content());
    }
  }
  if (description === null) {
    throw new BadPackage("The archive has no file DESCRIPTION at its top or in the folder of the package");
  }
  return description;
}
