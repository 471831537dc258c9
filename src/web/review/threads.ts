import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { LinePlace } from "../../git/operations/follow-lines.ts";
import {
  completeLineComments,
  listPullLineComments,
  type FoundLineComment,
  type LineComment,
} from "../../domain/work/reviews/comment-queries.ts";
import { placesIn } from "../../domain/work/reviews/places-in.ts";
import { splitSuggestions } from "../../domain/work/reviews/suggestions.ts";
import type { Html } from "../html.ts";
import { renderComments } from "../issues/texts.ts";
import type { Visit } from "../visit.ts";

/** A conversation about lines, before its texts are rendered. */
export interface Thread {
  /** The first comment, and the replies to it. */
  readonly comments: readonly [LineComment, ...LineComment[]];
  /** Where it is in the diff that is shown; null: the diff has not its lines. */
  readonly place: LinePlace | null;
}

/** A part of a text: Markdown that is rendered, or a suggestion. */
export type ShownPart =
  | { readonly kind: "text"; readonly text: Html }
  | { readonly kind: "suggestion"; readonly index: number; readonly lines: readonly string[] };

export interface ShownComment extends FoundLineComment {
  readonly parts: readonly ShownPart[];
}

export interface ShownThread {
  readonly comments: readonly [ShownComment, ...ShownComment[]];
  readonly place: LinePlace | null;
}

/** Puts comments on lines together that are about the same. A reply whose first comment is gone begins a conversation. */
export function groupThreads(rows: readonly LineComment[]): [LineComment, ...LineComment[]][] {
  const threads = new Map<number, [LineComment, ...LineComment[]]>();
  for (const row of rows) {
    const known = threads.get(row.place.replyTo ?? 0);
    if (known === undefined) {
      threads.set(row.comment.id, [row]);
    } else {
      known.push(row);
    }
  }
  return [...threads.values()];
}

/** Reads the conversations of a pull request, and where they are in a diff. */
export async function loadThreads(
  forge: Forge,
  visit: Visit,
  pullId: number,
  diff: { view: RepositoryView; before: string | null; after: string; isWhole: boolean },
): Promise<Thread[]> {
  const rows = await listPullLineComments(forge.database.db, pullId, visit.actor?.id ?? null);
  const groups = groupThreads(rows);
  const places = await placesIn(
    forge,
    diff.view,
    groups.map(([first]) => first),
    diff,
  );
  return groups.map((comments) => ({ comments, place: places.get(comments[0].comment.id) ?? null }));
}

/** Renders the texts of conversations, all at once. */
export async function showThreads(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  threads: readonly Thread[],
): Promise<ShownThread[]> {
  const rows = threads.flatMap(({ comments }) => comments);
  const split = rows.map(({ comment }) => splitSuggestions(comment.body));
  const texts = split.flatMap((parts) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])));
  const [found, rendered] = await Promise.all([
    completeLineComments(forge.database.db, visit, rows),
    texts.length === 0 ? [] : renderComments(forge, visit, access, texts),
  ]);
  let [at, nextText] = [0, 0];
  const next = (): ShownComment => {
    let index = 0;
    const parts = split[at]!.map((part): ShownPart =>
      part.kind === "text"
        ? { kind: "text", text: rendered[nextText++]! }
        : { kind: "suggestion", index: index++, lines: part.lines },
    );
    return { ...found[at++]!, parts };
  };
  return threads.map(({ comments: [, ...replies], place }) => {
    const first = next();
    return { comments: [first, ...replies.map(next)], place };
  });
}
