import type { DiffSide } from "../../git/diff/line-places.ts";
import type { Html } from "../html.ts";
import type { TreeFile } from "./diff-tree.ts";
import type { ShownFile } from "./read-diff.ts";

/** What a page shows at the lines of a file besides them. */
export interface LineExtras {
  /** The address that speaks of a line, up to the line itself: `L3` or `R3` and `#on` follow. null: nobody may. */
  readonly link: string | null;
  /** What stands below a line. */
  under(side: DiffSide, line: number): Html | null;
}

/** What a page shows of a file besides its lines. */
export interface FileExtras {
  /** Attributes of its panel. */
  readonly attributes: Html;
  /** At the end of its header. */
  readonly tools: Html;
  readonly isFolded: boolean;
  /** Between the header and the lines. */
  readonly above: Html | null;
  readonly lines: LineExtras;
}

/** What a page shows of a diff besides the changes. */
export interface DiffExtras {
  /** The begin and the end of the bar above the files. */
  readonly start: Html;
  readonly end: Html;
  /** All files, also those of other parts. */
  readonly tree: readonly TreeFile[];
  of(shown: ShownFile): FileExtras;
  readonly below: Html | null;
}
