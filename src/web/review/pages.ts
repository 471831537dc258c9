import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { preparePullRanges } from "../../domain/work/pulls/range.ts";
import { markViewed } from "../../domain/work/reviews/mark-viewed.ts";
import { readNumber } from "../issues/discussion.ts";
import { renderComments } from "../issues/texts.ts";
import { issueLink } from "../links.ts";
import { localPath } from "../local-path.ts";
import { movesPulls, type DeclarePage, type PageRoute } from "../pages.ts";
import { reviewedHead } from "../pulls/reviewers.ts";
import { getPull, readsChanges, sidePage } from "../pulls/side-page.ts";
import { changesSince } from "../pulls/since-page.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { commentOnLines, edit, finish, getPulled, reply, small, type Asked } from "./acts.ts";
import { filesPage, type Told } from "./files-page.ts";
import type { Typed } from "./forms.ts";
import { parseOn, type On } from "./on.ts";
import { nameRange } from "./seen.ts";
import { suggestedText } from "./suggested-text.ts";

/** A mark is the visitor's own, so whoever may read makes it, also in an archive. */
const marks = {
  may: { on: "repository", do: "read", unit: "code-of-pulls" },
  signedIn: true,
  onArchived: "allowed",
} as const;

const nothing: Told = { typed: null, review: null, problem: null };

function typedIn({ form }: Visit, on: On, text: string): Typed {
  const [from, line] = [form.text("from"), form.text("line")].map((one) =>
    /^[1-9]\d{0,8}$/.test(one) ? Number(one) : null,
  );
  const now = on.kind === "lines" ? { ...on, from: from ?? on.from, line: line ?? on.line } : on;
  const seen = form.has("after")
    ? { before: form.text("before"), after: form.text("after"), head: form.text("head") }
    : null;
  return {
    on: now,
    text,
    refused: null,
    preview: null,
    seen,
    version: form.has("version") ? form.text("version") : null,
  };
}

/** The files of a pull request, and their review. */
export function reviewPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const ranges = preparePullRanges(forge);

  async function act(visit: Visit, doer: UserDoer, access: RepositoryAccess): Promise<Page | Redirect> {
    const { form } = visit;
    const { number } = await getIssueRow(forge, access, readNumber(visit));
    const asked: Asked = { forge, visit, doer, access, number };
    const again = (told: Partial<Told>) => filesPage(forge, ranges, { visit, access }, { ...nothing, ...told });
    const on = parseOn(form.text("on"));
    if (on !== null) {
      const typed = typedIn(visit, on, form.lines("body"));
      if (form.text("preview") !== "") {
        const [preview = null] = await renderComments(forge, visit, access, [typed.text]);
        return again({ typed: { ...typed, preview } });
      }
      if (form.text("suggest") !== "") {
        const pulled = await getPulled(asked);
        return tryForm(
          async () =>
            again({ typed: { ...typed, text: await suggestedText(forge, access, pulled, typed, form.text("path")) } }),
          (refused) => again({ typed: { ...typed, refused } }),
        );
      }
      return tryForm(
        () =>
          on.kind === "lines"
            ? commentOnLines(asked, on)
            : on.kind === "reply"
              ? reply(asked, on.id)
              : edit(asked, on.id),
        (refused) => again({ typed: { ...typed, refused } }),
      );
    }
    if (form.text("act") === "finish") {
      const review = { text: form.lines("body"), verdict: form.text("verdict"), refused: null, asksToDiscard: false };
      return tryForm(
        async () => (await finish(asked)) ?? again({ review: { ...review, asksToDiscard: true } }),
        (refused) => again({ review: { ...review, refused } }),
      );
    }
    return tryForm(
      () => small(asked),
      (problem) => again({ problem }),
    );
  }

  /** The page of two states of which the later one is not made on the earlier one, or the way to it; null: the address names none. */
  async function rewritten(visit: Visit, access: RepositoryAccess): Promise<Page | Redirect | null> {
    const asked = visit.params["range"] ?? "";
    const [from = "", to] = asked.split("..", 2);
    if (asked !== "since-review" && to === undefined) {
      return null;
    }
    const found = await getPull(forge, visit, access);
    if (to === undefined) {
      const address = `${issueLink(visit.root, access, found.issue)}/files`;
      const seen = reviewedHead(found.loaded, visit.actor?.id ?? null);
      return new Redirect(seen === null ? address : `${address}/${seen}..${found.loaded.pull.headOid}`);
    }
    const content = await changesSince(forge, visit, access, found, { from, to });
    return content === null ? null : sidePage(visit, access, found, "files", content);
  }

  return [
    ...["/:owner/:repo/pulls/:index/files", "/:owner/:repo/pulls/:index/files/:range"].flatMap((path) => [
      page("GET", path, readsChanges, async ({ visit, repository: access }) => {
        const [from, to] = [visit.query.get("from"), visit.query.get("to")];
        if (from !== null && to !== null) {
          const number = readNumber(visit);
          const { view } = await ranges.get(access, number, visit.request.signal);
          const pulled = await getPulled({ forge, access, number });
          const files = `${issueLink(visit.root, access, { isPull: true, number })}/files`;
          return new Redirect(`${files}/${await nameRange(forge, view, pulled, from, to)}`);
        }
        return (await rewritten(visit, access)) ?? filesPage(forge, ranges, { visit, access }, nothing);
      }),
      page("POST", path, { ...movesPulls, longForm: true }, ({ visit, doer, repository: access }) =>
        act(visit, doer, access),
      ),
    ]),
    page("POST", "/:owner/:repo/pulls/:index/files/viewed", marks, async ({ visit, doer, repository: access }) => {
      const { form } = visit;
      const isViewed = form.has("view");
      const named = form.text(isViewed ? "view" : "unview");
      const space = named.indexOf(" ");
      const file = { path: space < 0 ? "" : named.slice(space + 1), oid: named.slice(0, Math.max(space, 0)), isViewed };
      const number = readNumber(visit);
      await forge.change(doer, (work) => markViewed(work, access, number, file));
      const files = `${issueLink(visit.root, access, { isPull: true, number })}/files`;
      return new Redirect(localPath(form.text("back")) ?? files);
    }),
  ];
}
