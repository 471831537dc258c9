import { blameFile, type BlamedLines } from "../blame/blame-file.ts";
import { ancestry } from "../graph/ancestry.ts";
import { commitPosition } from "./commit-position.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface BlameArgs {
  /** hexadecimal oid of the commit whose file it is */
  readonly commit: string;
  readonly path: string;
  /** line numbers from 1, both ends included; none: the whole file */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  /** commits that are not looked behind; lines that are older are given to them */
  readonly not: readonly string[];
  /** whether a line that only differs in whitespace is still the same line */
  readonly ignoreWhitespace: boolean;
}

/**
 * Finds the commit that last changed each line, in the order of the lines; null if the commit has no file at the path.
 * Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly.
 */
export function* blame(repository: OpenRepository, args: BlameArgs): Steps<readonly BlamedLines[] | null> {
  const { objectMemo } = repository;
  const ranges = args.ranges.map(({ start, end }) => `${start},${end}`).join(" ");
  const key = `blame ${args.commit} ^ ${args.not.join(" ")} ${ranges} ${args.ignoreWhitespace} ${args.path}`;
  const known = objectMemo.find<readonly BlamedLines[]>(key);
  if (known !== null) {
    return known;
  }
  const found = yield* repository.once(key, () => find(repository, args));
  if (found !== null) {
    objectMemo.keep(key, found, found.length * 160 + 64);
  }
  return found;
}

function* find(repository: OpenRepository, args: BlameArgs): Steps<readonly BlamedLines[] | null> {
  const { graph } = repository;
  const limits = args.not.map((oid) => commitPosition(repository, oid));
  const boundary = limits.length === 0 ? null : yield* ancestry(graph, limits);
  const whitespace = args.ignoreWhitespace ? "ignore" : "significant";
  return yield* blameFile(graph, commitPosition(repository, args.commit), args.path, {
    ranges: args.ranges,
    boundary,
    whitespace,
  });
}
