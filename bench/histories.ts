import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { packageHistory, packageNames } from "./package-history.ts";
import { cacheDirectory, historiesFolder, projectDirectory } from "./support/environment.ts";
import { git } from "./support/run.ts";

export interface History {
  /** letters, digits, `.`, `_` and `-` only: fit for a repository's name */
  name: string;
  /** a bare repository; not to be written to */
  path: string;
}

export interface HistoriesOptions {
  /** the packages to make histories from; all pinned ones unless given */
  packages?: readonly string[];
  /** whether repositories in the folder that `STITHY_HISTORIES` names are wanted too (default true) */
  folder?: boolean;
}

const leftoversKeptMs = 24 * 3600 * 1000;

/**
 * Real histories to push and clone: this project's own repository (left out of an archive or a shallow checkout,
 * which have none), those made from published npm packages, and every bare repository in `$STITHY_HISTORIES`
 * that is whole.
 * The first call downloads the packages and needs npm and git; later ones find everything in the cache directory.
 */
export async function histories(options: HistoriesOptions = {}): Promise<History[]> {
  await mkdir(cacheDirectory, { recursive: true });
  await removeLeftovers();
  const packages = options.packages ?? packageNames;
  const own = await ownHistory();
  const made = await Promise.all(
    packages.map(async (name) => ({ name, path: await packageHistory(name, cacheDirectory) })),
  );
  const found = options.folder === false || historiesFolder === null ? [] : await historiesIn(historiesFolder);
  const whole = await Promise.all(found.map(isWhole));
  return [...(own ? [own] : []), ...made, ...found.filter((_, index) => whole[index])];
}

/** A bare clone of the checkout's branches and tags as they are now, or null where there is no whole history. */
async function ownHistory(): Promise<History | null> {
  if (!(await exists(join(projectDirectory, ".git")))) return null;
  if ((await git(projectDirectory, "rev-parse", "--is-shallow-repository")) === "true") return null;
  const head = await git(projectDirectory, "rev-parse", "HEAD");
  const refs = await git(
    projectDirectory,
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/heads",
    "refs/tags",
  );
  const key = createHash("sha256").update(`${head}\n${refs}`).digest("hex").slice(0, 12);
  const path = join(cacheDirectory, `own-${key}.git`);
  if (!(await exists(join(path, "HEAD")))) {
    const unfinished = `${path}.${process.pid}.tmp`;
    try {
      await git(cacheDirectory, "clone", "--quiet", "--bare", "--no-local", projectDirectory, unfinished);
      // A checkout of a single commit, as continuous integration makes it, may have no branch at all.
      if ((await git(unfinished, "for-each-ref", "refs/heads")) === "") {
        await git(unfinished, "update-ref", "refs/heads/main", head);
        await git(unfinished, "symbolic-ref", "HEAD", "refs/heads/main");
      }
      await rename(unfinished, path).catch(async (error: unknown) => {
        if (!(await exists(join(path, "HEAD")))) throw error;
      });
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
  return { name: "stithy", path };
}

/** Removes clones of earlier states of the checkout, and what killed runs did not finish. */
async function removeLeftovers(): Promise<void> {
  for (const entry of await readdir(cacheDirectory)) {
    if (!/^own-[0-9a-f]{12}\.git$|\.tmp(\.git)?$/.test(entry)) continue;
    const path = join(cacheDirectory, entry);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > leftoversKeptMs) await rm(path, { recursive: true, force: true });
  }
}

/** Bare repositories directly in a folder, or one level below it (`owner/name.git`). */
async function historiesIn(folder: string): Promise<History[]> {
  const found: History[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = await realpath(join(folder, name));
    if (!(await stat(path)).isDirectory()) continue;
    if (await isBareRepository(path)) {
      found.push({ name: repositoryName(name), path });
      continue;
    }
    for (const inner of (await readdir(path)).sort()) {
      const innerPath = join(path, inner);
      if (await isBareRepository(innerPath))
        found.push({ name: repositoryName(inner === "repo" ? name : `${name}-${inner}`), path: innerPath });
    }
  }
  return found;
}

/** Whether a repository has all objects that its branches and tags reach; partial clones cannot be pushed. */
async function isWhole({ name, path }: History): Promise<boolean> {
  try {
    await git(path, "rev-list", "--objects", "--quiet", "--branches", "--tags");
    return true;
  } catch (error) {
    console.error(`The history "${name}" is left out: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

function repositoryName(text: string): string {
  return basename(text, ".git").replaceAll(/[^A-Za-z0-9._-]+/g, "-");
}

async function isBareRepository(path: string): Promise<boolean> {
  return (await exists(join(path, "HEAD"))) && (await exists(join(path, "objects")));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
