import { operate, operationsOf, type Source } from "./git-operations.ts";
import type { Side } from "./git-sides.ts";
import { figure } from "./support/table.ts";

/** Processor time in milliseconds of one push after the other of the same small history, beginning with the first of a server's life. */
export interface FirstPushes {
  history: string;
  ours: number[];
  git: number[];
}

/**
 * How many pushes and sets of clones come before anything is counted: our code is compiled while it runs, so the first ones
 * of a server's life are slower than all later ones. After five the time has stopped falling (docs/benchmarks.md).
 */
const rounds = 5;

/** Has both servers do every operation in new repositories, until they are as they are for the rest of their lives. */
export async function firstPushes(source: Source, ours: Side, theirs: Side, scratch: string): Promise<FirstPushes> {
  const result: FirstPushes = { history: source.name, ours: [], git: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const [times, side] of [
      [result.ours, ours],
      [result.git, theirs],
    ] as const) {
      const url = await side.createRepository(`first-${round}`, source.branch);
      const before = await side.cpu();
      for (const operation of operationsOf(source)) {
        await operate(operation, source, url, scratch);
        if (operation === "push") times.push((await side.cpu()) - before);
      }
    }
  }
  return result;
}

export const firstPushesHeader = ["push CPU ms after the start", "1st", "2nd", "3rd", "4th", "5th"];

export function firstPushesRows({ history, ours, git }: FirstPushes): string[][] {
  return [
    [`${history}, ours`, ...ours.map(figure)],
    [`${history}, git`, ...git.map(figure)],
  ];
}
