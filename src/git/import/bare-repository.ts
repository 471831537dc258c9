import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidInput } from "../../lib/errors.ts";
import { objectFormat, type ObjectFormatName } from "../objects/object-format.ts";
import { isOid } from "../objects/oid.ts";
import { isBranchName, isRefName } from "../refs/ref-name.ts";

/** A repository on disk as git lays it out (gitrepository-layout(5)), as far as taking it over needs it. */
export interface BareRepository {
  readonly format: ObjectFormatName;
  /** absolute `objects` directory */
  readonly objects: string;
  /** absolute `.pack` files */
  readonly packs: readonly string[];
  readonly refs: readonly { readonly name: string; readonly oid: string }[];
  /** absolute directory below which git-lfs keeps objects; null when there is none */
  readonly lfsObjects: string | null;
  /** short name of the branch that HEAD is; null when it is none */
  readonly headBranch: string | null;
}

/**
 * Reads what a repository on disk consists of: a bare one, or the `.git` of a work tree. Loose refs win over packed ones.
 * Throws InvalidInput for what is no repository, borrows objects from another one, is partial, shallow or a linked work
 * tree, or has a ref that cannot be read.
 */
export async function openBareRepository(path: string): Promise<BareRepository> {
  const directory = await findDirectory(path);
  const refuse = async (file: string, why: string): Promise<void> => {
    if ((await textOf(join(directory, file))) !== null) {
      throw new InvalidInput(`The repository "${path}" cannot be imported: ${why}`);
    }
  };
  await refuse(
    "objects/info/alternates",
    'it borrows objects from another one; run "git repack -ad" in it and remove objects/info/alternates',
  );
  await refuse("shallow", 'it is shallow; run "git fetch --unshallow" in it');
  await refuse("commondir", "it is a linked work tree; name the repository that it belongs to");
  const config = ((await textOf(join(directory, "config"))) ?? "").split("\n");
  if (config.some((line) => /^\s*refstorage\s*=\s*reftable/i.test(line))) {
    throw new InvalidInput(`The repository "${path}" cannot be imported: it keeps its refs as reftables`);
  }
  const format: ObjectFormatName = config.some((line) => /^\s*objectformat\s*=\s*sha256\s*$/i.test(line))
    ? "sha256"
    : "sha1";
  const packDirectory = join(directory, "objects", "pack");
  const files = await readdir(packDirectory).catch(() => []);
  if (files.some((name) => name.endsWith(".promisor"))) {
    throw new InvalidInput(`The repository "${path}" cannot be imported: it is a partial clone and lacks objects`);
  }
  const refs = await readRefs(path, directory, format);
  const head = /^ref: refs\/heads\/(.+)$/m.exec((await textOf(join(directory, "HEAD"))) ?? "")?.[1] ?? null;
  const isThere = head !== null && isBranchName(head) && refs.some(({ name }) => name === `refs/heads/${head}`);
  const headBranch = isThere ? head : null;
  const lfs = join(directory, "lfs", "objects");
  const lfsObjects = (await stat(lfs).catch(() => null))?.isDirectory() === true ? lfs : null;
  return {
    format,
    lfsObjects,
    objects: join(directory, "objects"),
    packs: files.filter((name) => name.endsWith(".pack")).map((name) => join(packDirectory, name)),
    refs,
    headBranch,
  };
}

async function findDirectory(path: string): Promise<string> {
  for (const directory of [path, join(path, ".git")]) {
    const parts = await Promise.all(["objects", "HEAD"].map((name) => stat(join(directory, name)).catch(() => null)));
    if (parts[0]?.isDirectory() === true && parts[1]?.isFile() === true) {
      return directory;
    }
  }
  throw new InvalidInput(`There is no git repository at "${path}"`);
}

async function readRefs(
  path: string,
  directory: string,
  format: ObjectFormatName,
): Promise<{ name: string; oid: string }[]> {
  const found = new Map<string, string>();
  for (const line of ((await textOf(join(directory, "packed-refs"))) ?? "").split("\n")) {
    const [oid = "", name] = line.split(" ");
    if (!line.startsWith("#") && !line.startsWith("^") && name !== undefined) {
      found.set(name, oid);
    }
  }
  for (const file of await readdir(join(directory, "refs"), { recursive: true, withFileTypes: true })) {
    const full = join(file.parentPath, file.name);
    const name = full.slice(directory.length + 1);
    if (file.isFile() && !name.endsWith(".lock")) {
      const text = ((await textOf(full)) ?? "").trim();
      // A symbolic ref, such as a remote's HEAD, is another name for what is taken over anyway.
      if (text.startsWith("ref: ")) {
        found.delete(name);
      } else {
        found.set(name, text);
      }
    }
  }
  return [...found].map(([name, oid]) => {
    if (!isRefName(name) || !isOid(oid, objectFormat(format))) {
      throw new InvalidInput(`The repository "${path}" cannot be imported: its ref "${name}" cannot be read`);
    }
    return { name, oid };
  });
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
