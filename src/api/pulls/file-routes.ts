import { t } from "elysia";
import { listPullCommits, listPullFiles, preparePullRanges } from "../../domain/work/pulls/range.ts";
import type { Whitespace } from "../../git/diff/ignore-whitespace.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentCommit } from "../commits/present.ts";
import { Commit, commitDetails } from "../commits/schema.ts";
import type { Api } from "../common/api.ts";
import { pageOf, paged, readPage } from "../common/paging.ts";
import { invalid, ok } from "../common/responses.ts";
import { oneOf, pagingQuery, rowId } from "../common/schema.ts";
import { ChangedFile, presentChangedFile } from "./file-schema.ts";

const index = rowId("Number of the pull request");

/** The whitespace to ignore, by the family's names. */
const whitespaces = {
  "ignore-all": "ignore",
  "ignore-change": "ignore-change",
  "ignore-eol": "ignore-at-eol",
  "show-all": "significant",
} as const satisfies Record<string, Whitespace>;

/** The files and commits of a pull request. */
export function pullFileRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);
  const ranges = preparePullRanges(forge);

  return group("/repos/:owner/:repo/pulls", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code-of-pulls" },
  })
    .get(
      "/:index/files",
      {
        operationId: "repoGetPullRequestFiles",
        summary: "List the files that a pull request changes",
        params: { index },
        query: {
          "skip-to": t.Optional(t.String({ description: "Path of the file that the list begins with" })),
          whitespace: t.Optional(
            oneOf(
              ["ignore-all", "ignore-change", "ignore-eol", "show-all"],
              "Which whitespace makes no changed line: any, more or less of it, that at the end of a line, none",
            ),
          ),
          ...pagingQuery,
        },
        responses: { ...ok(t.Array(ChangedFile), "The files, as git orders them"), ...invalid },
      },
      async ({ repository, params, query, request, signal }) => {
        const range = await ranges.get(repository, params.index, signal);
        const whitespace = whitespaces[query.whitespace ?? "show-all"];
        const from = query["skip-to"] ?? "";
        return pageOf(
          { request, query, base: forge.addresses.base },
          async ({ offset, size }) => {
            const slice = { skip: offset, limit: size, whitespace, from: from === "" ? null : from };
            const { files, total } = await listPullFiles(forge, range, slice, signal);
            return { rows: files, total };
          },
          (file) => presentChangedFile(forge.addresses, repository, range.after, file),
        );
      },
    )
    .get(
      "/:index/commits",
      {
        operationId: "repoGetPullRequestCommits",
        summary: "List the commits of a pull request, latest first",
        params: { index },
        query: { verification: commitDetails.verification, files: commitDetails.files, ...pagingQuery },
        responses: ok(t.Array(Commit), "The commits"),
      },
      async ({ actor, credential, repository, params, query, request, signal }) => {
        const page = readPage(query);
        const range = await ranges.get(repository, params.index, signal);
        const slice = { skip: page.offset, limit: page.size, files: query.files ?? true };
        const { commits, total } = await listPullCommits(forge, range, slice, signal);
        const verify = query.verification ?? true;
        const found = await people.ofCommits(commits, { actor, credential }, verify);
        const place = placeOf(forge.addresses, repository);
        const value = commits.map((commit) => presentCommit(place, commit, found, actor, verify));
        return paged({ request, base: forge.addresses.base }, page, total, value);
      },
    );
}
