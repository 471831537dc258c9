import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { SeededRandom } from "../support/random.ts";
import type { GitFixture } from "./git-fixture.ts";

/** A bare repository of one pack; `oids` are its commits, oldest first. */
export interface BranchingHistory {
  readonly path: string;
  readonly packs: readonly string[];
  readonly oids: readonly string[];
}

interface File {
  readonly mode: string;
  readonly content: string;
}

type Files = Map<string, File>;

const directories = ["", "src/", "src/core/", "lib/", "docs/", "docs/old/", "test/unit/"];
const words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau".split(
  " ",
);

/**
 * Branches that edit, rename, move, delete and retype the same files and directories, and merge each other back and
 * forth: what three-way merges and blame have to see through. The same for the same random numbers.
 */
export function makeBranchingHistory(
  fixture: GitFixture,
  random: SeededRandom,
  commits: number,
  format: "sha1" | "sha256" = "sha1",
): BranchingHistory {
  const path = fixture.repository(format);
  const trees: Files[] = [];
  const script: string[] = [];
  for (let mark = 1; mark <= commits; mark++) {
    const parent = mark === 1 ? 0 : mark - 1 - random.below(Math.min(mark - 1, 6));
    const other = mark > 3 && random.below(4) === 0 ? mark - 1 - random.below(Math.min(mark - 1, 8)) : 0;
    const files: Files =
      parent === 0 ? firstFiles(random) : mergedFiles(random, trees[parent]!, other === 0 ? null : trees[other]!);
    const changes = other === 0 ? 1 + random.below(4) : random.below(2);
    for (let change = 0; change < changes; change++) {
      changeFiles(files, random, mark);
    }
    trees[mark] = files;
    script.push(
      `commit refs/heads/b${mark}`,
      `mark :${mark}`,
      `author A${mark % 3} <a@example.org> ${1_700_000_000 + mark * 60} +0000`,
    );
    script.push(`committer C <c@example.org> ${1_700_000_000 + mark * 60} +0000`, "data 2", "m", "");
    script.push(
      ...(parent === 0 ? [] : [`from :${parent}`]),
      ...(other === 0 || other === parent ? [] : [`merge :${other}`]),
      "deleteall",
    );
    for (const [name, { mode, content }] of files) {
      script.push(
        mode === "160000"
          ? `M 160000 ${content.padEnd(format === "sha1" ? 40 : 64, content)} ${name}`
          : `M ${mode} inline ${name}\ndata ${Buffer.byteLength(content)}\n${content}`,
      );
    }
  }
  fixture.git(path, ["fast-import", "--quiet", "--date-format=raw"], `${script.join("\n")}\n`);
  fixture.git(path, ["repack", "-adq"]);
  const oids = fixture
    .git(path, ["for-each-ref", "--sort=version:refname", "--format=%(objectname)", "refs/heads"])
    .toString()
    .trim()
    .split("\n");
  const directory = join(path, "objects", "pack");
  const packs = readdirSync(directory)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(directory, name));
  return { path, packs, oids };
}

function firstFiles(random: SeededRandom): Files {
  const files: Files = new Map();
  for (let file = 0; file < 18; file++) {
    const text = Array.from(
      { length: 8 + random.below(25) },
      (_, line) => `${words[random.below(words.length)]} ${line} of ${file}\n`,
    ).join("");
    files.set(`${directories[file % directories.length]!}f${file}.txt`, { mode: "100644", content: text });
  }
  return files;
}

function mergedFiles(random: SeededRandom, left: Files, right: Files | null): Files {
  const files: Files = new Map(left);
  for (const [name, file] of right ?? []) {
    if (random.below(3) === 0) {
      put(files, name, file);
    }
  }
  return files;
}

/** A file cannot stand where a directory is; what is below it goes, and what is above it. */
function put(files: Files, name: string, file: File): void {
  for (const present of files.keys()) {
    if (present.startsWith(`${name}/`) || name.startsWith(`${present}/`)) {
      files.delete(present);
    }
  }
  files.set(name, file);
}

function changeFiles(files: Files, random: SeededRandom, mark: number): void {
  const names = [...files.keys()];
  const name = names[random.below(Math.max(1, names.length))] ?? "f.txt";
  const file = files.get(name) ?? { mode: "100644", content: "" };
  const base = name.slice(name.lastIndexOf("/") + 1);
  const anywhere = directories[random.below(directories.length)]!;
  switch (random.below(16)) {
    case 0:
      files.delete(name);
      break;
    case 1:
      put(files, `${anywhere}new${random.below(12)}.txt`, {
        mode: "100644",
        content: edited(file.content, random, mark),
      });
      break;
    case 2:
      files.delete(name);
      put(files, `${anywhere}${base}`, {
        ...file,
        content: file.mode === "160000" || random.below(2) === 0 ? file.content : edited(file.content, random, mark),
      });
      break;
    case 3:
      files.delete(name);
      put(files, name.replace(/[^/]*$/, `moved${random.below(8)}.txt`), file);
      break;
    case 4:
    case 5: {
      const from = directories[1 + random.below(directories.length - 1)]!;
      const to =
        random.below(2) === 0 ? `renamed${random.below(4)}/` : directories[1 + random.below(directories.length - 1)]!;
      for (const inside of names.filter((candidate) => candidate.startsWith(from))) {
        const moved = files.get(inside)!;
        files.delete(inside);
        put(files, to + inside.slice(from.length), moved);
      }
      break;
    }
    case 6:
      put(files, `${anywhere}added${mark}.txt`, {
        mode: "100644",
        content: `added in ${mark}\n${edited("one\ntwo\n", random, mark)}`,
      });
      break;
    case 7:
      files.set(name, file.mode === "160000" ? file : { ...file, mode: file.mode === "100755" ? "100644" : "100755" });
      break;
    case 8:
      put(files, ["link", name][random.below(2)]!, { mode: "120000", content: `to/${random.below(4)}` });
      break;
    case 9:
      put(files, ["module", "lib", name][random.below(3)]!, { mode: "160000", content: String(1 + random.below(8)) });
      break;
    case 10:
      put(files, ["binary", name][random.below(2)]!, { mode: "100644", content: `\0${random.below(50)}` });
      break;
    case 11:
      files.delete(name);
      put(files, `${name}/inside.txt`, file);
      break;
    default:
      files.set(
        name,
        file.mode === "160000"
          ? { mode: "160000", content: String(1 + random.below(8)) }
          : { ...file, content: edited(file.content, random, mark) },
      );
  }
}

function edited(content: string, random: SeededRandom, mark: number): string {
  const lines = content.split("\n");
  for (let edit = random.below(4); edit >= 0; edit--) {
    const at = random.below(lines.length);
    const fresh = Array.from({ length: random.below(3) }, () =>
      random.below(4) === 0 ? "" : `${words[random.below(words.length)]} ${random.below(3) === 0 ? mark : "again"}`,
    );
    lines.splice(at, random.below(3), ...fresh);
  }
  return lines.join("\n");
}
