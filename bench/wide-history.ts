import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { History } from "./histories.ts";
import { cacheDirectory, childEnvironment } from "./support/environment.ts";
import { repeatableNumbers } from "./support/repeatable-numbers.ts";
import { git } from "./support/run.ts";

/** Changes whenever other objects would be generated. */
const recipe = 1;
const commits = 20_000;
export const wideEntries = 1000;
export const wideDirectory = "wide";

/**
 * A bare repository of 20,000 commits, each of which writes one of the 1,000 files of a directory, the first 1,000 commits one
 * after the other. Always the same one; made once, kept in the cache directory.
 */
export async function wideHistory(): Promise<History> {
  const path = join(cacheDirectory, `wide-${recipe}.git`);
  if (!(await Bun.file(join(path, "HEAD")).exists())) {
    const unfinished = `${path}.${process.pid}.tmp`;
    try {
      await generate(unfinished);
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
  return { name: "wide", path };
}

async function generate(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", "--object-format=sha1", "--initial-branch=main");
  const importer = Bun.spawn(["git", "-C", path, "fast-import", "--quiet"], {
    env: childEnvironment(),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
  });
  const random = repeatableNumbers(commits);
  for (let number = 0; number < commits; number++) {
    const message = `Change ${number}\n`;
    const content = `${number}\n`;
    const file = `${wideDirectory}/file-${number < wideEntries ? number : random(wideEntries)}.txt`;
    importer.stdin.write(
      `commit refs/heads/main\ncommitter Generator <generator@example.org> ${1_000_000_000 + number * 600} +0000\ndata ${message.length}\n${message}M 100644 inline ${file}\ndata ${content.length}\n${content}\n`,
    );
  }
  await importer.stdin.end();
  if ((await importer.exited) !== 0) {
    throw new Error("git fast-import failed");
  }
}
