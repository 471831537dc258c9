import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { LinePlace } from "../../../git/operations/follow-lines.ts";
import type { Forge } from "../../spine/forge.ts";
import type { LineComment } from "./comment-queries.ts";
import { hexOf } from "./place-comments.ts";

/** A diff that comments are shown in. Commits, hexadecimal. */
interface ShownDiff {
  /** null: there is nothing on the old side */
  readonly before: string | null;
  readonly after: string;
  /** Whether it is that of the whole pull request: comments that are outdated are not in it. */
  readonly isWhole: boolean;
}

/** Finds where comments on lines are in a diff, by their ids. Those whose lines it has not are left out. */
export async function placesIn(
  { git }: Forge,
  view: RepositoryView,
  comments: readonly LineComment[],
  { before, after, isWhole }: ShownDiff,
): Promise<Map<number, LinePlace>> {
  const places = new Map<number, LinePlace>();
  for (const [side, to] of [["old", before] as const, ["new", after] as const]) {
    const ofSide = comments.filter(({ place }) => place.side === side && !(isWhole && place.invalidated));
    const elsewhere: LineComment[] = [];
    for (const one of ofSide) {
      if (hexOf(one.place.commitOid) === to) {
        places.set(one.comment.id, one.place);
      } else {
        elsewhere.push(one);
      }
    }
    if (to === null || elsewhere.length === 0) {
      continue;
    }
    const lines = elsewhere.map(({ place: { path, line, extraLines, commitOid } }) => ({
      from: hexOf(commitOid),
      path,
      line,
      extraLines,
    }));
    const found = await git.engine.call(view, "followLines", { to, lines });
    for (const [at, { comment }] of elsewhere.entries()) {
      const place = found[at] ?? null;
      if (place !== null) {
        places.set(comment.id, place);
      }
    }
  }
  return places;
}
