import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { History } from "./histories.ts";
import { cacheDirectory, childEnvironment } from "./support/environment.ts";
import { repeatableNumbers } from "./support/repeatable-numbers.ts";
import { git } from "./support/run.ts";

/** Changes whenever other objects would be generated. */
const recipe = 1;
/** Of a file, where nothing else is asked for: about 10 KB compressed, so that 100,000 commits make 1 GB. */
const usualBytes = 13_300;
const directories = 12;
const filesInDirectory = 14;
const mergeEvery = 20;
const tagEvery = 1000;

/**
 * A bare repository of so many commits, each of which writes one of 2,016 files anew, with merges and tags: about 10 KB a
 * commit, since the content neither compresses well nor resembles what was there before. Always the same one; made once
 * (100,000 commits take a few minutes and 1 GB), kept in the cache directory. `fileBytes`: the size of each file.
 */
export async function generatedHistory(commits: number, fileBytes: number = usualBytes): Promise<History> {
  const name = fileBytes === usualBytes ? `generated-${commits}` : `generated-${commits}-of-${fileBytes}`;
  const path = join(cacheDirectory, `${name}-${recipe}.git`);
  if (!(await Bun.file(join(path, "HEAD")).exists())) {
    const unfinished = `${path}.${process.pid}.tmp`;
    try {
      await generate(unfinished, commits, fileBytes);
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
  return { name, path };
}

async function generate(path: string, commits: number, fileBytes: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", "--object-format=sha1", "--initial-branch=main");
  const importer = Bun.spawn(["git", "-C", path, "fast-import", "--quiet"], {
    env: childEnvironment(),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
  });
  const random = repeatableNumbers(commits);
  const text = randomText(16 * 1024 * 1024);
  const write = (part: string | Uint8Array): void => void importer.stdin.write(part);
  let mark = 0;
  const commit = (branch: string, number: number, parents: readonly number[]): number => {
    const message = `Change ${number} of ${branch}\n`;
    write(
      `commit refs/heads/${branch}\nmark :${++mark}\ncommitter Generator <generator@example.org> ${1_000_000_000 + number * 600} +0000\ndata ${message.length}\n${message}`,
    );
    parents.forEach((parent, index) => write(`${index === 0 ? "from" : "merge"} :${parent}\n`));
    const file = `d${random(directories)}/e${random(directories)}/file-${random(filesInDirectory)}.txt`;
    const start = random(text.length - fileBytes);
    write(`M 100644 inline ${file}\ndata ${fileBytes}\n`);
    write(text.subarray(start, start + fileBytes));
    write("\n\n");
    return mark;
  };
  let tip = 0;
  for (let number = 1; number <= commits; number++) {
    if (number % mergeEvery === 0 && number < commits) {
      const topic = commit("topic", number, [tip]);
      tip = commit("main", ++number, [tip, topic]);
    } else {
      tip = commit("main", number, tip === 0 ? [] : [tip]);
    }
    if (number % tagEvery === 0) {
      write(
        `tag v${number / tagEvery}\nfrom :${tip}\ntagger Generator <generator@example.org> ${1_000_000_000 + number * 600} +0000\ndata 8\nRelease\n\n`,
      );
    }
    await importer.stdin.flush();
  }
  await importer.stdin.end();
  if ((await importer.exited) !== 0) throw new Error(`A history of ${commits} commits could not be generated`);
  await git(path, "pack-refs", "--all");
}

/** Characters of which each holds six random bits. */
function randomText(bytes: number): Uint8Array {
  const letters = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 \n");
  const text = new Uint8Array(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at++) {
    // Marsaglia's xorshift32: repeatable, and fast enough for megabytes.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    text[at] = letters[(state >>> 8) & 63] ?? 0;
  }
  return text;
}
