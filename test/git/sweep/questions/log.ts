import { dirname } from "node:path";
import type { LogArgs } from "../../../../src/git/operations/log.ts";
import type { SeededRandom } from "../../../support/random.ts";
import { linesOf, type SweptHistory } from "../swept-history.ts";
import type { SweepQuestion } from "../sweep-question.ts";

type Options = Partial<Omit<LogArgs, "tips" | "not">>;

/** The commits that any combination of options lists, in their order. */
export const log: SweepQuestion = {
  async ask(history, random) {
    const tips = random.below(4) === 0 ? history.pickPair(random) : [history.pickCommit(random)];
    const not = random.below(3) === 0 ? [history.pickCommit(random)] : [];
    const { options, flags } = await randomOptions(history, tips[0]!, random);
    // Whether there is a commit graph changes git's topological order; names are looked for as they are in commits.
    const command = [
      "-c",
      "core.commitGraph=false",
      "log",
      "--no-mailmap",
      "--format=%H",
      ...flags,
      ...tips,
      ...not.map((oid) => `^${oid}`),
      "--",
      ...(options.paths ?? []),
    ];
    const all = { tips, not, paths: [], skip: 0, limit: 1e9, count: false, files: false, stats: false, ...options };
    return {
      command,
      git: history.text(command),
      ours: history.call("log", all).then(({ commits }) => commits.map(({ oid }) => `${oid}\n`).join("")),
    };
  },
};

async function randomOptions(
  history: SweptHistory,
  tip: string,
  random: SeededRandom,
): Promise<{ options: Options; flags: string[] }> {
  const files = await history.filesOf(tip);
  const pick = (): string => files[random.below(files.length)]!;
  const place = (): string => (random.below(2) === 0 ? dirname(pick()).replace(/^\.$/, "") || pick() : pick());
  const limit = 10 ** (1 + random.below(3));
  let options: Options = { limit };
  const flags = [`-${limit}`];
  const sometimes = (oneIn: number, more: Options, ...added: string[]): void => {
    if (random.below(oneIn) === 0) {
      options = { ...options, ...more };
      flags.push(...added);
    }
  };
  if (files.length > 0) {
    sometimes(2, { paths: Array.from({ length: 1 + random.below(2) * random.below(3) }, place) });
  }
  const seconds = await dateOf(history, random);
  const [name, word] = [
    ["a", "John", "Daniel", "@gmail.com"][random.below(4)]!,
    ["fix", "Merge", "test", "the"][random.below(4)]!,
  ];
  sometimes(4, { firstParent: true }, "--first-parent");
  sometimes(4, { order: "topological" }, "--topo-order");
  sometimes(5, { since: seconds }, `--since=@${seconds}`);
  sometimes(5, { until: seconds }, `--until=@${seconds}`);
  sometimes(8, { message: word }, "-F", `--grep=${word}`);
  sometimes(8, { author: name }, "-F", `--author=${name}`);
  sometimes(8, { committer: name }, "-F", `--committer=${name}`);
  if (options.order === undefined && files.length > 0) {
    sometimes(4, { follow: true, paths: [pick()] }, "--follow");
  }
  return { options, flags };
}

async function dateOf(history: SweptHistory, random: SeededRandom): Promise<number> {
  const shown = await history.bytes(["show", "-s", "--format=%ct", history.pickCommit(random)]);
  return Number(linesOf(shown!)[0]);
}
