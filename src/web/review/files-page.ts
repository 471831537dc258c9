import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { PullRanges } from "../../domain/work/pulls/range.ts";
import { findReviewedPull } from "../../domain/work/reviews/queries.ts";
import { diffAnchor, pathOf } from "../code/diff-file.ts";
import type { DiffExtras, FileExtras } from "../code/diff-extras.ts";
import { diffView } from "../code/diff-view.ts";
import type { ShownFile } from "../code/read-diff.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { codeOf } from "../issues/code-of.ts";
import { counted } from "../parts/size.ts";
import { getPull, sidePage } from "../pulls/side-page.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { batchForm, commitMenu, finishForm, viewedProgress, type TypedReview } from "./bar.ts";
import { linesForm, type Typed } from "./forms.ts";
import { loadReview, pathIn, type LoadedReview } from "./load.ts";
import { fileKey, parseOn, type On } from "./on.ts";
import { readSeen } from "./seen.ts";
import { threadView, type ThreadSetting } from "./thread-view.ts";
import type { ShownThread } from "./threads.ts";

/** What the forms of the page say when it is shown again. */
export interface Told {
  readonly typed: Typed | null;
  readonly review: TypedReview | null;
  /** Why one of the small forms was refused. */
  readonly problem: { readonly status: number; readonly message: string } | null;
}

/** Where the forms of the page are sent, so that it is the same part again. */
export function formAction({ query, root, request }: Visit): string {
  const kept = new URLSearchParams(query);
  kept.delete("on");
  return `${root}${new URL(request.url).pathname}${kept.size === 0 ? "" : `?${kept.toString()}`}`;
}

/** What `?on=` opens, with the text that is there. */
function opened(visit: Visit, { threads, seen }: Pick<LoadedReview, "threads" | "seen">): Typed | null {
  const on = parseOn(visit.query.get("on") ?? "");
  if (on === null) {
    return null;
  }
  const rows = threads.flatMap(({ comments }) => comments);
  const text = on.kind === "edit" ? (rows.find(({ comment }) => comment.id === on.id)?.comment.body ?? "") : "";
  return { on, text, refused: null, preview: null, seen: { ...seen, before: seen.before ?? "" }, version: null };
}

/** The page of the files of a pull request, or of some of its commits, with its review. */
export async function filesPage(
  forge: Forge,
  ranges: PullRanges,
  { visit, access }: { visit: Visit; access: RepositoryAccess },
  told: Told,
): Promise<Page> {
  const found = await getPull(forge, visit, access);
  const { issue, loaded } = found;
  const pulled = await findReviewedPull(forge.database.db, access.repository.id, issue.number);
  if (pulled === null) {
    throw new NotFound("pull request", String(issue.number));
  }
  const range = await ranges.get(access, issue.number, visit.request.signal);
  const seen = await readSeen(forge, pulled, range, visit.params["range"] ?? "");
  const on = told.typed?.on ?? parseOn(visit.query.get("on") ?? "");
  const review = await loadReview(forge, visit, access, { pulled, loaded, range, seen, on });
  const typed = told.typed ?? (review.rights.comments ? opened(visit, review) : null);
  const { files, viewed, pending, rights } = review;
  const action = formAction(visit);
  const setting: ThreadSetting = {
    visit,
    rights,
    link: `${action}${action.includes("?") ? "&" : "?"}on=`,
    action,
    back: null,
    typed,
    hasBatch: true,
    hasDraft: pending !== null,
  };
  const seenCount = viewed === null ? null : files.filter((file) => isViewed(viewed, file)).length;
  const panels = new FilePanels(setting, review, access);
  const problem = told.problem === null ? null : note(visit, "bad", `${told.problem.message}.`);
  const address = issueLink(visit.root, access, issue);
  const forms =
    visit.actor === null
      ? null
      : html`<form id="acts" method="post" action="${action}">${visit.formField()}<input type="hidden" name="act" value="small"></form><form id="viewed" method="post" action="${address}/files/viewed">${visit.formField()}<input type="hidden" name="back" value="${action}"></form>`;
  const drafts = pending === null ? null : { count: pending.comments, body: pending.review.body };
  const finish = finishForm(visit, { issue, action, head: range.after, drafts, rights, typed: told.review });
  const extras: DiffExtras = {
    start: html`${viewedProgress(files.length, seenCount)}${commitMenu(visit, access, issue, review)}`,
    end: html`${rights.applies && batchForm(visit, action)}${finish}`,
    tree: panels.tree(),
    of: (shown) => panels.extrasOf(shown),
    below: panels.below(),
  };
  const view = diffView(visit, review.diff, extras);
  const page = sidePage(visit, access, found, "files", html`${problem}${forms}${panels.unplaced()}${view}`);
  const status = told.typed?.refused?.status ?? told.review?.refused?.status ?? told.problem?.status ?? 200;
  return { ...page, status, scripts: ["review", "text"] };
}

/** Whether somebody has looked at a file as it is. */
function isViewed(viewed: ReadonlyMap<string, string>, { path, afterOid }: { path: string; afterOid: string | null }) {
  return viewed.get(path) === (afterOid ?? "");
}

/** What the page adds to the panels of its files. */
class FilePanels {
  readonly #byPath: Map<string, ShownThread[]>;

  constructor(
    private readonly setting: ThreadSetting,
    private readonly review: LoadedReview,
    private readonly access: RepositoryAccess,
  ) {
    this.#byPath = Map.groupBy(review.shown, (thread) => pathIn(thread, review.files));
  }

  tree() {
    const { files, viewed, threads, diff } = this.review;
    const counts = new Map<string, number>();
    for (const thread of threads) {
      const path = pathIn(thread, files);
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    const here = new Set(diff.files.map(({ file }) => pathOf(file)));
    return files.map((file) => {
      const { path, status } = file;
      const count = counts.get(path) ?? 0;
      const anchor = `#${diffAnchor(path)}`;
      return {
        path,
        status,
        href: here.has(path) ? anchor : `?${new URLSearchParams({ file: path }).toString()}${anchor}`,
        note: count === 0 ? null : html`<span class="count"><span class="sr">Conversations: </span>${count}</span>`,
        isSeen: viewed !== null && isViewed(viewed, file),
      };
    });
  }

  extrasOf(shown: ShownFile): FileExtras {
    const { visit, rights, typed, link } = this.setting;
    const { file, hunks } = shown;
    const path = pathOf(file);
    const key = fileKey(path);
    const rows = hunks.flatMap((hunk) => hunk.rows);
    const threads = this.#byPath.get(path) ?? [];
    const under = new Map<string, Html[]>();
    const hasLine = (side: "old" | "new", line: number) =>
      rows.some((row) => (side === "old" ? row.before : row.after) === line);
    const stray: ShownThread[] = [];
    for (const thread of threads) {
      const { side } = thread.comments[0].place;
      if (thread.place === null || !hasLine(side, thread.place.line)) {
        stray.push(thread);
      } else {
        const at = `${side} ${thread.place.line}`;
        under.set(at, [...(under.get(at) ?? []), threadView(this.setting, thread)]);
      }
    }
    const form = typed?.on.kind === "lines" && typed.on.file === key ? this.#form(typed, typed.on, shown) : null;
    const on = typed?.on.kind === "lines" ? typed.on : null;
    const isInPlace = form !== null && on !== null && typed?.refused?.status !== 409 && hasLine(on.side, on.line);
    if (form !== null && on !== null && isInPlace) {
      const at = `${on.side} ${on.line}`;
      under.set(at, [...(under.get(at) ?? []), form]);
    }
    const outdated =
      stray.length === 0
        ? null
        : html`<details class="stray"${stray.some((one) => this.#isOpen(one)) && html` open`}><summary>${counted(stray.length, "conversation")} on lines that are not here</summary><div class="stack s">${stray.map((one) => threadView(this.setting, one, codeOf(visit, this.access, one.comments[0].place)))}</div></details>`;
    const first = rows.find(({ kind }) => kind === "added") ?? rows.find(({ after }) => after !== null);
    const seenAll = this.review.viewed;
    const oid = file.after?.oid ?? "";
    const isSeen = seenAll !== null && seenAll.get(path) === oid;
    const count = threads.length;
    const tools = html`${count > 0 && html`<span class="soft small line" title="Conversations">${icon(visit, "message-square")}${count}</span>`}${rights.comments && first?.after != null && html`<a class="button s bare icon" href="${link}${key}R${first.after}#on" rel="nofollow" data-on aria-label="Comment on lines of ${path}">${icon(visit, "plus")}</a>`}${seenAll !== null && html`<button class="button s viewed" form="viewed" name="${isSeen ? "unview" : "view"}" value="${oid} ${path}" aria-pressed="${isSeen ? "true" : "false"}">${icon(visit, isSeen ? "check" : "eye")}Viewed</button>`}`;
    const at = new URLSearchParams({ file: path });
    const show = visit.query.get("file") === path ? visit.query.get("show") : null;
    if (show !== null) {
      at.set("show", show);
    }
    return {
      attributes: html` data-at="?${at.toString()}" data-key="${key}"`,
      tools,
      isFolded: isSeen && form === null,
      above: html`${form !== null && !isInPlace && html`<div class="stray">${form}</div>`}${outdated}`,
      lines: {
        link: rights.comments ? `${link}${key}` : null,
        under: (side, line) => {
          const found = under.get(`${side} ${line}`);
          return found === undefined ? null : html`${found}`;
        },
      },
    };
  }

  /** The conversations on files that are not on this page. */
  below(): Html | null {
    const paths = new Set(this.review.diff.files.map(({ file }) => pathOf(file)));
    const lost = [...this.#byPath].flatMap(([path, threads]) => (paths.has(path) ? [] : threads));
    return lost.length === 0
      ? null
      : html`<section class="panel stray" aria-label="Conversations on other files"><h2>Conversations on files that are not changed here</h2><div class="stack s">${lost.map((one) => threadView(this.setting, one, codeOf(this.setting.visit, this.access, one.comments[0].place)))}</div></section>`;
  }

  /** The form for lines whose file is not on this page, so that nothing that was typed is lost. */
  unplaced(): Html | null {
    const { typed } = this.setting;
    const here = this.review.diff.files.some(
      ({ file }) => typed?.on.kind === "lines" && fileKey(pathOf(file)) === typed.on.file,
    );
    return typed === null || typed.on.kind !== "lines" || here || typed.text === ""
      ? null
      : html`<div class="stray">${linesForm(this.setting, { ...typed, on: typed.on }, this.setting.visit.form.text("path"), this.review.seen)}</div>`;
  }

  #isOpen({ comments }: ShownThread): boolean {
    const { typed } = this.setting;
    return (
      typed !== null &&
      typed.on.kind !== "lines" &&
      comments.some(({ comment }) => comment.id === (typed.on as { id: number }).id)
    );
  }

  #form(typed: Typed, on: On & { kind: "lines" }, { file }: ShownFile): Html {
    const path = (on.side === "old" ? file.before : file.after)?.path ?? pathOf(file);
    return linesForm(this.setting, { ...typed, on }, path, this.review.seen);
  }
}
