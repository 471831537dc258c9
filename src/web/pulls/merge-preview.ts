import type { CommitRecord } from "../../git/log/commit-record.ts";
import { LaneDrawing } from "../../git/log/lanes.ts";
import type { MovingStyle } from "../../domain/work/merges/merge-styles.ts";
import type { ProposedMerge } from "../../domain/work/merges/propose-merge.ts";
import { laneDrawing } from "../history/lane-drawing.ts";
import { html, type Html } from "../html.ts";
import { commitTitle } from "../repos/commit-title.ts";

/** A commit of the history that a merge would make. Numbers name commits: 0 is the tip of the base. */
interface Drawn {
  readonly number: number;
  readonly parents: readonly number[];
  readonly title: string;
  /** null: it is made anew. */
  readonly oid: string | null;
  /** What is said beside it. */
  readonly word: string;
}

/** The commits of the history after a merge, the latest first: those that come, and the tip of the base. */
export function historyAfter(
  style: MovingStyle,
  { base, commits, total }: Pick<ProposedMerge, "base" | "commits" | "total">,
  title: string,
  branch: string,
): Drawn[] {
  const isCopied = style === "rebase" || style === "rebase-merge";
  const joins = style === "merge" || style === "rebase-merge";
  const left = total - commits.length;
  const series = style === "squash" ? [] : commits.map((commit, at) => ({ commit, number: at + 1 }));
  const rest: Drawn[] =
    style === "squash" || left === 0
      ? []
      : [
          {
            number: series.length + 1,
            parents: [0],
            title: `${left} more ${left === 1 ? "commit" : "commits"}`,
            oid: null,
            word: isCopied ? "made again" : "",
          },
        ];
  const last = series.length + rest.length;
  const listed = series.map(({ commit, number }): Drawn => {
    const oid = isCopied ? null : commit.oid;
    const word = isCopied ? "made again" : "stays as it is";
    return { number, parents: [number === last ? 0 : number + 1], title: titleOf(commit), oid, word };
  });
  const tip: Drawn = { number: 0, parents: [], title: titleOf(base), oid: base.oid, word: `${branch} now` };
  const made: Drawn = { number: last + 1, parents: joins ? [0, 1] : [0], title, oid: null, word: "new" };
  return [...(joins || style === "squash" ? [made] : []), ...listed, ...rest, tip];
}

const titleOf = ({ message }: CommitRecord): string => commitTitle(message);

/** Draws the history that a merge would make, beside the list of its commits. */
export function mergePreview(history: readonly Drawn[]): Html {
  const lanes = new LaneDrawing();
  const rows = history.map(({ number, parents }) => lanes.place(number, parents));
  const items = history.map(
    ({ title, oid, word }) =>
      html`<li><span class="grow cut" dir="auto">${title}</span>${word !== "" && html`<span class="tag${word === "new" ? " green" : ""}">${word}</span>`}<span class="oid not-narrow">${oid?.slice(0, 10) ?? ""}</span></li>`,
  );
  return html`<div class="panel edge drawing">${laneDrawing(rows)}<ol>${items}</ol></div>`;
}
