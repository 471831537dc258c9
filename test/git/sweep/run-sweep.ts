import { MissingObject } from "../../../src/git/odb/object-database.ts";
import { messageOf } from "../../../src/lib/errors.ts";
import { randomFrom } from "../../support/random.ts";
import type { Asked, Said, SweepQuestion } from "./sweep-question.ts";
import type { SweptHistory } from "./swept-history.ts";

export interface SweepBounds {
  readonly count: number;
  readonly seed: number;
  /** the number of the first question: a difference is seen again by beginning with it */
  readonly first?: number;
  readonly seconds?: number;
}

/** The two do not say the same. */
export interface SweepDifference {
  readonly number: number;
  /** git's arguments */
  readonly command: readonly string[];
  /** where the answers part */
  readonly where: string;
}

export interface SweepSummary {
  readonly asked: number;
  /** those that git itself could not answer, or that could not be asked */
  readonly leftOut: number;
  readonly differences: readonly SweepDifference[];
}

/** Puts a kind of question so many times, each with random numbers of its own, and holds the answers against each other. */
export async function runSweep(
  history: SweptHistory,
  question: SweepQuestion,
  bounds: SweepBounds,
  onDifference: (difference: SweepDifference) => void = () => {},
): Promise<SweepSummary> {
  const { count, seed, first = 0, seconds = Number.POSITIVE_INFINITY } = bounds;
  const end = performance.now() + seconds * 1000;
  const differences: SweepDifference[] = [];
  let [asked, leftOut] = [0, 0];
  for (let number = first; number < first + count && performance.now() < end; number++) {
    const put = await question.ask(history, randomFrom(Math.imul(seed, 0x9e3779b1) ^ number), number);
    const where = put && (await compare(history, put));
    if (put === null || where === null) {
      leftOut++;
      continue;
    }
    asked++;
    if (where !== "") {
      const difference = { number, command: put.command, where };
      differences.push(difference);
      onDifference(difference);
    }
  }
  return { asked, leftOut, differences };
}

/** Where the answers part: "" for nowhere, null when git has none. */
async function compare(history: SweptHistory, { git, ours }: Asked): Promise<string | null> {
  const refused = ours.catch((error: unknown) => (error instanceof Error ? error : new Error(messageOf(error))));
  const [expected, answer] = await Promise.all([git, refused]);
  // What a snapshot lacks git leaves out where it can.
  if (answer instanceof MissingObject && (await history.git(["cat-file", "-e", answer.oid])).code !== 0) {
    return null;
  }
  const found = answer instanceof Error ? `REFUSED: ${answer.message}` : answer;
  return expected === null ? null : parting(expected, found);
}

function parting(expected: Said, found: Said): string {
  const [theirs, mine] = [expected, found].map((said) =>
    said === null
      ? null
      : typeof said === "string"
        ? Buffer.from(said, "latin1")
        : Buffer.from(said.buffer, said.byteOffset, said.byteLength),
  );
  if (theirs === null || theirs === undefined || mine === null || mine === undefined) {
    return theirs === mine ? "" : `git ${theirs ? "answers" : "does not answer"}, ours ${mine ? "does" : "does not"}`;
  }
  if (theirs.equals(mine)) {
    return "";
  }
  let at = 0;
  while (at < theirs.length && theirs[at] === mine[at]) {
    at++;
  }
  const start = theirs.lastIndexOf(10, Math.max(0, at - 1)) + 1;
  const line = theirs.subarray(0, start).filter((byte) => byte === 10).length + 1;
  const show = (bytes: Buffer): string =>
    JSON.stringify(
      bytes
        .subarray(start, Math.min(at + 160, start + 400))
        .toString("latin1")
        .split("\n", 2)
        .join("\n"),
    );
  return `line ${line}, byte ${at} of ${theirs.length} and ${mine.length}\n  git:  ${show(theirs)}\n  ours: ${show(mine)}`;
}
