import { largestGoMod, largestLicense, largestModule } from "../../domain/packages/go-modules/limits.ts";
import { checkModule, filePathFault } from "../../domain/packages/go-modules/module-path.ts";
import { PathCollisions } from "../../domain/packages/go-modules/path-collisions.ts";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";
import type { ArchiveLimits } from "../shared/inflate.ts";
import type { ZipEntry, ZipPlace } from "../shared/zip.ts";

/** The content of a module zip. */
export interface ModuleZip {
  readonly module: string;
  readonly version: string;
  /** Where its go.mod stands in the zip; null for none. */
  readonly goMod: ZipPlace | null;
}

/**
 * Reads and checks a zip file of one version of one module: the names of its entries, their sizes, and all of their contents.
 * Nothing is held whole. Throws BadPackage, and InvalidInput for its name. Source: golang.org/x/mod/zip, CheckZip and Unzip.
 */
export async function checkModuleZip(content: Blob, limits: ArchiveLimits): Promise<ModuleZip> {
  if (content.size > largestModule) {
    throw new BadPackage(`A module zip has at most ${largestModule} bytes`);
  }
  const { readZip } = await import("../shared/zip.ts");
  const collisions = new PathCollisions();
  let name: { module: string; version: string } | null = null;
  let goMod: ZipPlace | null = null;
  for await (const entry of readZip(content, { ...limits, bytes: Math.min(limits.bytes, largestModule) })) {
    name ??= moduleOf(entry.path);
    const path = checkEntry(entry, `${name.module}@${name.version}/`, collisions);
    if (path === "go.mod") {
      goMod = await entry.place();
    }
    await readThrough(entry.content());
  }
  if (name === null) {
    throw new BadPackage("The zip file is empty");
  }
  return { ...name, goMod };
}

/** Reading to the end checks the size and the CRC-32. */
async function readThrough(content: AsyncGenerator<Uint8Array>): Promise<void> {
  while ((await content.next()).done !== true);
}

/** The module and version that stand before the first slash behind an "@". Throws BadPackage. */
function moduleOf(path: string): { module: string; version: string } {
  const [, module, version] = /^([^@]+)@([^/]+)\//.exec(path) ?? [];
  if (module === undefined || version === undefined) {
    throw new BadPackage(`The entry "${clip(path, 80)}" is not below MODULE@VERSION/`);
  }
  checkModule(module, version);
  return { module, version };
}

/** Returns the path in the module. Throws BadPackage. */
function checkEntry({ path, size, isUtf8 }: ZipEntry, prefix: string, collisions: PathCollisions): string {
  const wrong = isUtf8 ? entryFault(path, size, prefix, collisions) : "has a path that is no UTF-8";
  if (wrong !== null) {
    throw new BadPackage(`The entry "${clip(path, 80)}" ${wrong}`);
  }
  return path.slice(prefix.length);
}

function entryFault(path: string, size: number, prefix: string, collisions: PathCollisions): string | null {
  if (!path.startsWith(prefix)) {
    return `is not below "${clip(prefix, 80)}"`;
  }
  if (path === prefix) {
    return null;
  }
  const isDirectory = path.endsWith("/");
  const inside = path.slice(prefix.length, isDirectory ? -1 : undefined);
  const wrong = filePathFault(inside) ?? collisions.add(inside, isDirectory);
  if (wrong !== null || isDirectory) {
    return wrong;
  }
  if (/(?:^|\/)go\.mod$/i.test(inside) && inside !== "go.mod") {
    return inside.includes("/") ? "is a go.mod outside of the module's root" : 'must be called "go.mod"';
  }
  const limit = inside === "go.mod" ? largestGoMod : inside === "LICENSE" ? largestLicense : largestModule;
  return size > limit ? `has more than ${limit} bytes` : null;
}
