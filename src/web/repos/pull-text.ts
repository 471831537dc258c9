import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { openPullText, preparePullRanges } from "../../domain/work/pulls/range.ts";
import { streamBody } from "../../http/file-response.ts";
import { reads } from "../frame/subject-tabs.ts";
import { issuePage } from "../issues/discussion.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { cachingOf } from "../respond.ts";

/** A pull request: its page, and its changes as text at the addresses that the API calls `diff_url` and `patch_url`. */
export function pullTextPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const ranges = preparePullRanges(forge);
  return [
    page(
      "GET",
      "/:owner/:repo/pulls/:index",
      { may: { on: "repository", do: "read", unit: "issues-or-pulls" } },
      async ({ visit, repository: access }) => {
        const asked = visit.params["index"] ?? "";
        const [, number, kind] = /^([1-9][0-9]{0,8})\.(diff|patch)$/.exec(asked) ?? [];
        if (number === undefined) {
          return issuePage(forge, visit, access, true);
        }
        if (!reads(visit, "code-of-pulls")) {
          throw new NotFound("page", asked);
        }
        const { signal } = visit.request;
        const range = await ranges.get(access, Number(number), signal);
        const text = { kind: kind === "patch" ? "patch" : "diff", binary: false } as const;
        return new Response(await streamBody(visit.request, () => openPullText(forge, range, text, signal)), {
          headers: {
            "content-type": "text/plain; charset=utf-8",
            "x-content-type-options": "nosniff",
            ...cachingOf(visit.isPrivate),
          },
        });
      },
    ),
  ];
}
