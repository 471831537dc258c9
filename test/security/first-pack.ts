import { mustGit, type Scratch } from "../support/git.ts";

/** The oid of a commit that has no parent, and the pack that a push of it sends. */
export async function makeFirstPack(scratch: Scratch): Promise<{ oid: string; pack: Uint8Array }> {
  const work = scratch.join("work");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "first"]);
  const oid = (await mustGit(work, ["rev-parse", "HEAD"])).trim();
  const { stdout: pack } = Bun.spawnSync(["git", "pack-objects", "--stdout", "--revs", "-q"], {
    cwd: work,
    stdin: Buffer.from("HEAD\n"),
  });
  return { oid, pack };
}
