import { clip } from "../../../lib/show-value.ts";
import { largestGoMod, largestLicense, largestModule } from "./limits.ts";
import { filePathFault } from "./module-path.ts";
import { PathCollisions } from "./path-collisions.ts";

/** A file in the directory of a module. */
export interface ModuleEntry {
  /** From that directory on. */
  readonly path: string;
  readonly isFile: boolean;
  readonly isLink: boolean;
  /** Bytes. */
  readonly size: number;
}

/** The files that a module has of a directory, or why it cannot be a module. Source: golang.org/x/mod/zip, checkFiles. */
export type ModuleFiles = { readonly files: readonly string[] } | { readonly fault: string };

/**
 * Chooses the files of a module: none of the modules in directories of it, none of packages that it vendors, no links. `isSince124`: its go.mod
 * asks for Go 1.24 or later.
 */
export function chooseModuleFiles(entries: readonly ModuleEntry[], isSince124: boolean): ModuleFiles {
  const modules = new Set(
    entries
      .filter(({ path, isFile }) => isFile && /(?:^|\/)go\.mod$/i.test(path))
      .map(({ path }) => path.slice(0, -"go.mod".length)),
  );
  const collisions = new PathCollisions();
  const files: string[] = [];
  let bytes = 0;
  for (const { path, isFile, isLink, size } of entries) {
    if (
      !(isFile || isLink) ||
      path === ".hg_archival.txt" ||
      isVendored(path, isSince124) ||
      isInOtherModule(path, modules)
    ) {
      continue;
    }
    const fault =
      filePathFault(path) ??
      (path.toLowerCase() === "go.mod" && path !== "go.mod" ? 'must be called "go.mod"' : null) ??
      collisions.add(path, false);
    if (fault !== null) {
      return { fault: `the file "${clip(path, 80)}" ${fault}` };
    }
    if (!isFile) {
      continue;
    }
    bytes += size;
    const limit = path === "go.mod" ? largestGoMod : path === "LICENSE" ? largestLicense : largestModule;
    if (size > limit || bytes > largestModule) {
      return {
        fault: `a module has at most ${largestModule} bytes, and at most ${largestGoMod} in its go.mod and its LICENSE`,
      };
    }
    files.push(path);
  }
  return { files };
}

function isInOtherModule(path: string, modules: ReadonlySet<string>): boolean {
  for (let slash = path.lastIndexOf("/"); slash >= 0; slash = path.lastIndexOf("/", slash - 1)) {
    if (modules.has(path.slice(0, slash + 1))) {
      return true;
    }
    if (slash === 0) {
      break;
    }
  }
  return false;
}

/**
 * Whether a file is of a package that the module vendors. Before Go 1.24 the place behind "vendor/" was miscounted below the root, and sums of
 * modules keep that.
 */
function isVendored(path: string, isSince124: boolean): boolean {
  if (isSince124 && path === "vendor/modules.txt") {
    return true;
  }
  const nested = path.indexOf("/vendor/");
  if (path.startsWith("vendor/")) {
    return path.slice("vendor/".length).includes("/");
  }
  if (nested < 0) {
    return false;
  }
  return path.slice((isSince124 ? nested : 0) + "/vendor/".length).includes("/");
}
