import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SweptHistory } from "../swept-history.ts";
import type { SweepQuestion } from "../sweep-question.ts";

/** The merges of a history made again, every second question the next one, the latest first; the others are some that nobody made. */
export const merge: SweepQuestion = {
  async ask(history, random, number) {
    const merged = number % 2 === 0 ? history.merges[number / 2] : undefined;
    const [ours, theirs] = (merged?.slice(1) as [string, string] | undefined) ?? history.pickPair(random);
    const command = ["merge-tree", "--write-tree", "--no-messages", "-z", "--allow-unrelated-histories", ours, theirs];
    return { command, git: ofGit(history, command, ours), ours: ofOurs() };

    async function ofOurs(): Promise<string> {
      const { clean, tree, conflicts } = await history.call("mergeTrees", {
        ours,
        theirs,
        base: null,
        labels: { ours, base: "base", theirs },
      });
      const stages = conflicts.flatMap(({ path, stages: of }) =>
        of.map(({ mode, oid, stage }) => `${mode.toString(8)} ${oid} ${stage}\t${path}`),
      );
      return summary(clean, tree, stages);
    }
  },
};

async function ofGit(history: SweptHistory, command: readonly string[], ours: string): Promise<string | null> {
  const work = history.scratch.join("work");
  const objects = history.scratch.join("objects");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  mkdirSync(objects, { recursive: true });
  // Git reads the attributes of its work tree, which would be ours.
  for (const path of (await history.filesOf(ours)).filter((file) => /(?:^|\/)\.gitattributes$/.test(file))) {
    mkdirSync(dirname(`${work}/${path}`), { recursive: true });
    writeFileSync(`${work}/${path}`, (await history.bytes(["cat-file", "blob", `${ours}:${path}`]))!);
  }
  // What it writes goes elsewhere.
  const environment = {
    GIT_DIR: history.path,
    GIT_WORK_TREE: work,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `${history.path}/objects`,
  };
  const { code, bytes } = await history.git(["-C", work, ...command], environment);
  const [tree, ...stages] = Buffer.from(bytes).toString().split("\0").filter(Boolean);
  return code > 1 || tree === undefined ? null : summary(code === 0, tree, stages);
}

function summary(clean: boolean, tree: string, stages: readonly string[]): string {
  return Buffer.from([clean ? "clean" : "conflicts", tree, ...stages.toSorted()].join("\n")).toString("latin1");
}
