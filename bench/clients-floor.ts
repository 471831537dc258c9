import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { git, run } from "./support/run.ts";

/**
 * What so many clones at once would take if a server cost nothing: each client makes a repository and indexes the pack that
 * this server sends, which it reads from a file. Wall time in milliseconds. What the client does with HTTP and refs is not in it.
 */
export async function clientsFloor(url: string, clients: number, scratch: string): Promise<number> {
  const sent = join(scratch, "sent.git");
  const paths = Array.from({ length: clients }, (_, number) => join(scratch, `floor-${number}.git`));
  try {
    await git(scratch, "clone", "--quiet", "--mirror", url, sent);
    const directory = join(sent, "objects", "pack");
    const pack = (await readdir(directory)).find((name) => name.endsWith(".pack"));
    if (pack === undefined) throw new Error(`The clone of "${new URL(url).pathname}" has no pack`);
    // As `git clone` calls it, which has it look whether the history is whole, too.
    const script =
      'git init --quiet --bare "$1" && git -C "$1" index-pack --stdin --fix-thin --check-self-contained-and-connected < "$0"';
    const started = performance.now();
    await Promise.all(paths.map((path) => run(["/bin/sh", "-c", script, join(directory, pack), path])));
    return performance.now() - started;
  } finally {
    await Promise.all([sent, ...paths].map((path) => rm(path, { recursive: true, force: true })));
  }
}
