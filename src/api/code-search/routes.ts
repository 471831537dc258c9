import { t } from "elysia";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { invalid, ok } from "../common/responses.ts";
import { integer, pagingQuery } from "../common/schema.ts";
import { presentFoundFile } from "./present.ts";
import { CodeSearchResults } from "./schema.ts";

/** Search in the files of a repository. */
export function codeSearchRoutes({ forge, group }: Api) {
  const { addresses } = forge;
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "/grep",
    {
      operationId: "repoSearchCode",
      summary: "Search in the files of a repository",
      description:
        "Finds lines as git grep does: in text files of one commit, without links and submodules. Expressions are POSIX extended ones with \\w, \\s, \\b, \\< and \\>; a reference to a group is refused, because a search takes time in proportion to the text. A search ends after 5,000 lines, 1 MiB of them or five seconds of work, and says so (incomplete_results).",
      query: {
        q: t.String({
          minLength: 1,
          maxLength: 1000,
          description: "What lines are searched for, at most 1,000 bytes; of several lines one has to match",
        }),
        ref: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })),
        path: t.Optional(
          t.Array(t.String(), {
            description:
              "Files, directories, or patterns such as *.ts, of which one has to match, divided by commas; in them * matches /, too",
          }),
        ),
        regex: t.Optional(t.Boolean({ description: "q is a regular expression" })),
        ignore_case: t.Optional(t.Boolean({ description: "ASCII letters match in either case" })),
        word: t.Optional(t.Boolean({ description: "Only whole words match" })),
        context: t.Optional(
          integer({ minimum: 0, maximum: 20, description: "Lines to answer before and after each that matches" }),
        ),
        ...pagingQuery,
      },
      responses: { ...ok(CodeSearchResults, "The files in which lines match"), ...invalid },
    },
    async ({ repository: access, query, request, signal }) => {
      const page = readPage(query);
      const { revision, files, truncated, leftOut } = await forge.git.codeSearch.find(
        access.repository,
        {
          pattern: query.q,
          revision: query.ref,
          paths: query.path ?? [],
          regex: query.regex ?? false,
          ignoreCase: query.ignore_case ?? false,
          wholeWord: query.word ?? false,
          context: query.context ?? 0,
        },
        signal,
      );
      const shown = revision === null ? [] : files.slice(page.offset, page.offset + page.size);
      return paged({ request, base: addresses.base }, page, files.length, {
        commit_sha: revision?.commit ?? "",
        total_count: files.length,
        incomplete_results: truncated,
        skipped_files: leftOut,
        items: revision === null ? [] : shown.map((file) => presentFoundFile(addresses, access, revision, file)),
      });
    },
  );
}
