import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { completeIssues } from "../../domain/work/issues/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { stateIcon } from "../parts/issue-state.ts";
import { labelTag } from "../parts/label.ts";
import { ago } from "../parts/time.ts";
import { cachingOf } from "../respond.ts";
import { findSource } from "./source.ts";
import { readNumber } from "./discussion.ts";
import { authorName, stateOf } from "./issue-row.ts";

const reads = { may: { on: "repository", do: "read", unit: "issues-or-pulls" } } as const;
const headers = {
  ...cachingOf(true),
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'",
};

/** What a reference to an issue shows of it when a pointer rests on it, and the Markdown of texts. */
export function issueInfoPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/issues/:index/info", reads, async ({ visit, repository: access }) => {
      const row = await getIssueRow(forge, access, readNumber(visit));
      const [found] = await completeIssues(forge.database.db, visit, [row]);
      if (found === undefined) {
        throw new NotFound("issue", String(row.number));
      }
      const labels = found.labels.map((label) => labelTag(label));
      const body = html`<p class="small soft">${access.owner.name}/${access.repository.name} · ${ago(visit, row.createdAt)}</p><p class="line">${stateIcon(visit, stateOf(forge, found))}<b dir="auto">${row.title}</b><span class="faint">#${row.number}</span></p><p class="small soft">by ${authorName(row, found.author)}</p>${labels.length > 0 && html`<p class="line flow">${labels}</p>`}`;
      return new Response(body.text, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
    }),
    page("GET", "/:owner/:repo/issues/:index/source", reads, async ({ visit, repository: access }) => {
      const { text } = await findSource(forge, visit, access, readNumber(visit), visit.query.get("comment") ?? "");
      return new Response(text, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
    }),
  ];
}
