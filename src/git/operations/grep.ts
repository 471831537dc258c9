import { FileSearch } from "../grep/file-search.ts";
import { grepTree, type GrepLimits, type GrepResult } from "../grep/grep-tree.ts";
import { LineSearch } from "../grep/line-search.ts";
import { parsePattern, type PatternOptions } from "../grep/parse-pattern.ts";
import { PathSelection } from "../grep/path-selection.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface GrepArgs extends PatternOptions {
  /** hexadecimal oid of the commit or tree whose files are searched */
  readonly treeish: string;
  /** what is searched for: of several lines one has to fit */
  readonly pattern: string;
  /** files, directories and patterns of paths; none: all files */
  readonly paths: readonly string[];
  /** lines to answer around each that matches */
  readonly context: { readonly before: number; readonly after: number };
  readonly limits: GrepLimits;
}

/** The lines in which a pattern is found. Throws InvalidInput, MissingObject, CorruptObject, CorruptPack. */
export function* grep({ odb }: OpenRepository, args: GrepArgs): Steps<GrepResult> {
  const search = new LineSearch(parsePattern(args.pattern, args));
  return yield* grepTree(
    odb,
    rootTree(odb, args.treeish),
    new PathSelection(args.paths),
    new FileSearch(search, args.context),
    args.limits,
  );
}
