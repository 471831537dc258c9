import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A bare repository with one pack: generated, the same each time. */
export interface GeneratedHistory extends Disposable {
  readonly directory: string;
  readonly packs: readonly string[];
  /** what git prints on standard output, without the line feed at its end; throws with its errors when it fails */
  git(...args: string[]): string;
}

/** A file is the command that makes it, with PATH for its path. */
interface Commit {
  readonly mark: number;
  readonly files: ReadonlyMap<string, string>;
}

const names = [
  "a.txt",
  "README.md",
  "dir/one.txt",
  "dir/two.txt",
  "dir/sub/deep.txt",
  "dir/sub/other file.txt",
  "dir.txt",
  "ünï/cödé.txt",
  'od"d\tname',
  "bin/tool",
  "src/x.ts",
  "src/y.ts",
  "src/lib/z.ts",
];

/**
 * Commits with merges, several roots, renames, files that become directories, symbolic links, submodules, executables,
 * binary and empty files, odd names, lost line feeds, dates that go back.
 */
export function generateHistory(commits: number, seed = 1): GeneratedHistory {
  const directory = mkdtempSync(join(tmpdir(), "stithy-history-"));
  const git = (...args: string[]): string => run(directory, args);
  git("init", "-q", "--bare", "-b", "main", ".");
  const done = Bun.spawnSync(["git", "fast-import", "--quiet", "--date-format=raw"], {
    cwd: directory,
    stdin: Buffer.from(stream(commits, randomOf(seed))),
    stderr: "pipe",
  });
  if (done.exitCode !== 0) {
    throw new Error(done.stderr.toString());
  }
  git("repack", "-a", "-d", "-q");
  const packDirectory = join(directory, "objects", "pack");
  const packs = readdirSync(packDirectory)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(packDirectory, name));
  return { directory, packs, git, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

function run(cwd: string, args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" };
  const done = Bun.spawnSync(["git", "-c", "core.quotePath=false", ...args], { cwd, env, stderr: "pipe" });
  if (done.exitCode !== 0) {
    throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
  }
  return done.stdout.toString().replace(/\n$/, "");
}

export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function stream(count: number, random: Random): string {
  const commits: Commit[] = [];
  let text = "";
  for (let mark = 1; mark <= count; mark++) {
    const isRoot = mark === 1 || mark === 40;
    const parent = isRoot
      ? undefined
      : random(4) === 0
        ? commits[Math.max(0, commits.length - 1 - random(12))]
        : commits.at(-1);
    const other = !isRoot && random(6) === 0 ? commits[Math.max(0, commits.length - 1 - random(20))] : undefined;
    const merged = other !== undefined && other !== parent ? other : undefined;
    const files = new Map(parent?.files);
    // Some merges keep the files of the first parent as they are, some take those of the other.
    if (merged !== undefined && random(3) === 0) {
      files.clear();
      merged.files.forEach((file, name) => files.set(name, file));
    }
    const changes = merged !== undefined && random(3) > 0 ? 0 : 1 + random(3);
    for (let change = 0; change < changes; change++) {
      changeFile(files, random, mark);
    }
    const seconds = 1_700_000_000 + mark * 60 - (random(15) === 0 ? 600 : 0);
    text += `commit refs/heads/b${mark}\nmark :${mark}\n`;
    text += `author Ann <ann@example.org> ${seconds - 30} +0200\ncommitter Col <col@example.org> ${seconds} -0330\n`;
    text += data(`commit ${mark}\n\nbody\n`);
    text += parent === undefined ? "" : `from :${parent.mark}\n`;
    text += merged === undefined ? "" : `merge :${merged.mark}\n`;
    text += "deleteall\n";
    for (const [name, file] of files) {
      text += file.replace("PATH", quote(name));
    }
    commits.push({ mark, files });
  }
  return `${text}reset refs/heads/main\nfrom :${count}\n`;
}

function changeFile(files: Map<string, string>, random: Random, mark: number): void {
  const name = names[random(names.length)]!;
  const lines = Array.from({ length: random(60) }, (_, line) =>
    random(12) === 0 ? `new ${mark} ${random(1000)}` : `line ${line % 17}`,
  ).join("\n");
  const put = (path: string, mode: string, content: string): void => {
    // A file cannot stand where a directory is; what is below it goes, and what is above it.
    for (const present of files.keys()) {
      if (present.startsWith(`${path}/`) || path.startsWith(`${present}/`)) {
        files.delete(present);
      }
    }
    files.set(path, `M ${mode} inline PATH\n${data(content)}`);
  };
  switch (random(12)) {
    case 0:
      files.delete(name);
      break;
    case 1:
      put(name, "100755", `${lines}\n`);
      break;
    case 2:
      put(name, "120000", `target/${random(5)}`);
      break;
    case 3:
      put(name, "100644", `\0binary ${random(100)}`);
      break;
    case 4:
      put(name, "100644", "");
      break;
    case 5: {
      const file = files.get(name);
      if (file !== undefined) {
        files.delete(name);
        files.set(`moved/${random(5)}.txt`, file);
      }
      break;
    }
    case 6:
      put(name.split("/")[0]!, "100644", `${lines}\n`);
      break;
    case 7:
      files.set("module", `M 160000 ${String(1 + random(9)).repeat(40)} PATH\n`);
      break;
    case 8:
      put(name, "100644", lines);
      break;
    default:
      put(name, "100644", `${lines}\n`);
  }
}

function data(content: string): string {
  return `data ${Buffer.byteLength(content)}\n${content}\n`;
}

function quote(name: string): string {
  return `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\t", "\\t")}"`;
}
