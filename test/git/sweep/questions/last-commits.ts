import { dirname } from "node:path";
import type { SweepQuestion } from "../sweep-question.ts";

/** Git is asked for each entry by itself. */
const entriesAsked = 5;

/** The commit that last changed each entry of a directory. */
export const lastCommits: SweepQuestion = {
  async ask(history, random) {
    const commit = history.pickCommit(random);
    const files = await history.filesOf(commit);
    if (files.length === 0) {
      return null;
    }
    const directory = dirname(files[random.below(files.length)]!).replace(/^\.$/, "");
    const inside = files.filter((file) => directory === "" || file.startsWith(`${directory}/`));
    const start = directory === "" ? 0 : directory.length + 1;
    const names = [...new Set(inside.map((file) => file.slice(start).split("/", 1)[0]!))];
    const asked = Array.from(
      { length: Math.min(entriesAsked, names.length) },
      () => names[random.below(names.length)]!,
    );
    const commandFor = (name: string): string[] => [
      "log",
      "-1",
      "--format=%H",
      commit,
      "--",
      `:(literal)${start === 0 ? "" : `${directory}/`}${name}`,
    ];
    const ofGit = async (): Promise<string> => {
      let said = "";
      for (const name of asked) {
        said += `${Buffer.from(name).toString("latin1")} ${(await history.text(commandFor(name))) ?? "?\n"}`;
      }
      return said;
    };
    const ofOurs = async (): Promise<string> => {
      const listed = await history.call("listTree", {
        commit,
        path: directory,
        recursive: false,
        lastCommits: true,
        skip: 0,
        limit: 1e6,
      });
      const found = new Map(
        (listed?.entries ?? []).map(({ path, lastCommit }) => [path.slice(start), lastCommit?.oid]),
      );
      return asked.map((name) => `${Buffer.from(name).toString("latin1")} ${found.get(name) ?? "?"}\n`).join("");
    };
    return { command: commandFor(asked[0]!), git: ofGit(), ours: ofOurs() };
  },
};
