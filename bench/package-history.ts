import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadTarballs, readTarball, type PackageFile, type PublishedVersion } from "./npm-tarballs.ts";
import pinned from "./history-versions.json";
import { childEnvironment } from "./support/environment.ts";
import { limitTo } from "./support/limit.ts";
import { git } from "./support/run.ts";

/** Changes whenever the code below would make other objects from the same versions. */
const recipe = 1;
const building = limitTo(2);
const encoder = new TextEncoder();

interface PinnedPackage {
  /** SHA-256 of the finished repository's refs, "oid name" a line */
  refs: string;
  versions: PublishedVersion[];
}

/** The packages that histories are made from. */
export const packageNames: readonly string[] = Object.keys(pinned);

/**
 * The bare repository made from the published versions of a package, built on first use:
 * a commit and an annotated tag a version, and on top of them, always in the same places, topic branches that
 * are merged (some of them three at once) and release branches with a commit of their own.
 * Its ids never change: the list of versions is pinned, and the result is compared with a pinned digest.
 */
export async function packageHistory(name: string, cache: string): Promise<string> {
  const { refs, versions } = pinnedPackage(name);
  const key = createHash("sha256")
    .update(JSON.stringify([recipe, versions]))
    .digest("hex")
    .slice(0, 12);
  const path = join(cache, `${name}-${key}.git`);
  if (await Bun.file(join(path, "HEAD")).exists()) return path;
  const tarballs = join(cache, "tarballs", name);
  await downloadTarballs(name, versions, tarballs);
  const unfinished = `${path}.${process.pid}.tmp`;
  await building(async () => {
    try {
      await build(name, versions, tarballs, unfinished);
      const made = createHash("sha256")
        .update(await git(unfinished, "for-each-ref", "--format=%(objectname) %(refname)"))
        .digest("hex");
      if (made !== refs)
        throw new Error(`The history of ${name} came out with refs of digest ${made} instead of ${refs}`);
      await publish(unfinished, path);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  });
  await rm(tarballs, { recursive: true, force: true });
  return path;
}

/** Gives a finished repository its name; when another process was faster, its repository is the same one. */
async function publish(unfinished: string, path: string): Promise<void> {
  try {
    await rename(unfinished, path);
  } catch (error) {
    if (!(await Bun.file(join(path, "HEAD")).exists())) throw error;
  }
}

function pinnedPackage(name: string): PinnedPackage {
  const entry = (
    pinned as unknown as Record<string, { refs: string; versions: [string, string, string][] } | undefined>
  )[name];
  if (!entry) throw new Error(`No versions of the package "${name}" are pinned; there are ${packageNames.join(", ")}`);
  return {
    refs: entry.refs,
    versions: entry.versions.map(([version, published, integrity]) => ({ version, published, integrity })),
  };
}

async function build(
  name: string,
  versions: readonly PublishedVersion[],
  tarballs: string,
  path: string,
): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", "--object-format=sha1", "--initial-branch=main");
  const importer = Bun.spawn(["git", "-C", path, "fast-import", "--quiet", "--depth=0"], {
    env: childEnvironment(),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
  });
  const failure = importer.stderr.text();
  const writer = new HistoryWriter(name, importer.stdin);
  try {
    for (const [index, version] of versions.entries()) {
      await writer.addVersion(index, version, await readTarball(tarballs, name, version));
    }
    await importer.stdin.end();
  } catch (error) {
    importer.kill();
    throw new Error(`The history of ${name} could not be imported: ${await failure}`, { cause: error });
  }
  if ((await importer.exited) !== 0) throw new Error(`The history of ${name} could not be imported: ${await failure}`);
  await git(path, "-c", "repack.writeBitmaps=false", "repack", "-adfq", "--window=10", "--depth=50");
  await git(path, "pack-refs", "--all");
}

type Change = { path: string; mode: string; mark: number } | { path: string; mode: null };

interface CommitText {
  branch: string;
  message: string;
  parents: readonly number[];
  changes: readonly Change[];
}

/** Writes versions one after the other as a stream for `git fast-import`. */
class HistoryWriter {
  private mark = 0;
  private readonly blobs = new Map<string, number>();
  private current = new Map<string, { mode: string; mark: number }>();
  private tip = 0;
  private clock = 0;
  private authored = 0;
  private zone = "+0000";

  constructor(
    private readonly name: string,
    private readonly output: Bun.FileSink,
  ) {}

  async addVersion(
    index: number,
    { version, published }: PublishedVersion,
    files: readonly PackageFile[],
  ): Promise<void> {
    // A registry that was filled later does not have its dates in the order of versions: the author's date is the
    // registry's own, the committer's goes forward.
    this.authored = Math.floor(Date.parse(published) / 1000);
    this.clock = Math.max(this.clock + 60, this.authored);
    this.zone = ["+0000", "+0200", "-0730"][index % 3] ?? "+0000";
    const changes = this.changesTo(files);
    const title = `${this.name} ${version}`;
    const parent = this.tip === 0 ? [] : [this.tip];
    if (index % 20 === 19) {
      const parts = [0, 1, 2].map((part) => changes.filter((_, at) => at % 3 === part));
      const topics = [1, 2].map((part) =>
        this.commit({
          branch: `topic/${version}-${part}`,
          message: `Prepare ${title}, part ${part}`,
          parents: parent,
          changes: parts[part] ?? [],
        }),
      );
      const own = this.commit({ branch: "main", message: `Begin ${title}`, parents: parent, changes: parts[0] ?? [] });
      this.tip = this.commit({
        branch: "main",
        message: `Merge two topics into ${title}`,
        parents: [own, ...topics],
        changes: [...(parts[1] ?? []), ...(parts[2] ?? [])],
      });
    } else if (index % 5 === 4) {
      const ofTopic = changes.filter((_, at) => at % 2 === 1);
      const topic = this.commit({
        branch: `topic/${version}`,
        message: `Prepare ${title}`,
        parents: parent,
        changes: ofTopic,
      });
      const own = this.commit({
        branch: "main",
        message: `Begin ${title}`,
        parents: parent,
        changes: changes.filter((_, at) => at % 2 === 0),
      });
      this.tip = this.commit({
        branch: "main",
        message: `Merge branch 'topic/${version}'`,
        parents: [own, topic],
        changes: ofTopic,
      });
    } else {
      this.tip = this.commit({ branch: "main", message: title, parents: parent, changes });
    }
    this.tag(`v${version}`, `${title}\n\n${files.length} files were published.\n`);
    if (index % 10 === 9) {
      const note = this.blob(
        encoder.encode(`# ${title}\n\nThis branch keeps ${version} for those who need fixes only.\n`),
      );
      this.commit({
        branch: `release/${version}`,
        message: `Keep ${version}`,
        parents: [this.tip],
        changes: [{ path: "RELEASE.md", mode: "100644", mark: note }],
      });
    }
    await this.output.flush();
  }

  private changesTo(files: readonly PackageFile[]): Change[] {
    const next = new Map<string, { mode: string; mark: number }>();
    for (const file of files)
      next.set(file.path, { mode: file.executable ? "100755" : "100644", mark: this.blob(file.bytes) });
    const removed: Change[] = [];
    const written: Change[] = [];
    for (const path of this.current.keys()) if (!next.has(path)) removed.push({ path, mode: null });
    for (const [path, entry] of next) {
      const before = this.current.get(path);
      if (before?.mark !== entry.mark || before.mode !== entry.mode) written.push({ path, ...entry });
    }
    this.current = next;
    return separateConflicts(removed, written);
  }

  private blob(bytes: Uint8Array): number {
    const key = createHash("sha1").update(bytes).digest("base64");
    const known = this.blobs.get(key);
    if (known !== undefined) return known;
    this.mark++;
    this.blobs.set(key, this.mark);
    this.output.write(`blob\nmark :${this.mark}\ndata ${bytes.length}\n`);
    this.output.write(bytes);
    this.output.write("\n");
    return this.mark;
  }

  private commit({ branch, message, parents, changes }: CommitText): number {
    this.mark++;
    const text = encoder.encode(`${message}\n`);
    const lines = [
      `commit refs/heads/${branch}`,
      `mark :${this.mark}`,
      `author Zoë Publisher <publisher@example.org> ${this.authored} ${this.zone}`,
      `committer Release Robot <robot@example.org> ${this.clock} ${this.zone}`,
      `data ${text.length}`,
    ];
    this.output.write(`${lines.join("\n")}\n`);
    this.output.write(text);
    const rest = parents.map((parent, at) => `${at === 0 ? "from" : "merge"} :${parent}`);
    for (const change of changes)
      rest.push(change.mode === null ? `D ${change.path}` : `M ${change.mode} :${change.mark} ${change.path}`);
    this.output.write(`${rest.join("\n")}\n\n`);
    return this.mark;
  }

  private tag(name: string, message: string): void {
    const text = encoder.encode(message);
    this.output.write(
      `tag ${name}\nfrom :${this.tip}\ntagger Release Robot <robot@example.org> ${this.clock} ${this.zone}\ndata ${text.length}\n`,
    );
    this.output.write(text);
    this.output.write("\n");
  }
}

/**
 * All changes of a version, removals first. A path that was a file and becomes a directory (or the reverse) must have
 * its removal and its additions in one commit; parts of a split version would clash, so such removals are dropped
 * where an addition below or above already replaces them.
 */
function separateConflicts(removed: readonly Change[], written: readonly Change[]): Change[] {
  const paths = new Set<string>();
  for (const { path } of written) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
      paths.add(path.slice(0, slash));
  }
  const files = new Set(written.map(({ path }) => path));
  const kept = removed.filter(({ path }) => {
    if (paths.has(path)) return false;
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
      if (files.has(path.slice(0, slash))) return false;
    return true;
  });
  return [...kept, ...written];
}
