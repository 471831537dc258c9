import { t, type Static } from "elysia";
import { decodeContent } from "../../domain/git/contents/decode-content.ts";
import { createPage, deletePage, editPage, type PageEdit } from "../../domain/repos/wiki/edit-page.ts";
import { listPages, listRevisions, readPage } from "../../domain/repos/wiki/read-pages.ts";
import type { StagedJson } from "../../http/staged-json.ts";
import type { Api } from "../common/api.ts";
import { maximumPageSize, paged, pageOf, readPage as readPageNumber } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { badRequest, conflict, done, made, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentListedPage, presentWikiCommit, presentWikiPage } from "./present.ts";
import { CreateWikiPageOptions, WikiCommitList, WikiPage, WikiPageMetaData } from "./schema.ts";

const params = { pageName: t.String({ description: "The sub_url of a page, or its title" }) };

function editOf(body: Static<typeof CreateWikiPageOptions>, staged: StagedJson | null): PageEdit {
  const { title, content_base64: text, message } = body;
  const content = text === undefined ? undefined : (staged?.find(text) ?? decodeContent(text, "content_base64"));
  return { title, content, message };
}

/** The pages of a repository's wiki. Each change is a commit in it. */
export function wikiRoutes({ forge, group }: Api) {
  const { addresses } = forge;

  return group("/repos/:owner/:repo/wiki", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "wiki" },
  })
    .post(
      "/new",
      {
        operationId: "repoCreateWikiPage",
        summary: "Create a wiki page",
        body: CreateWikiPageOptions,
        bodyLimit: "content",
        stages: "content_base64",
        responses: { ...made(WikiPage, "The page"), ...badRequest, ...conflict },
      },
      async ({ doer, repository, body, staged }) =>
        created(
          presentWikiPage(addresses, repository, await createPage(forge, doer, repository, editOf(body, staged))),
        ),
    )
    .get(
      "/page/:pageName",
      {
        operationId: "repoGetWikiPage",
        summary: "Get a wiki page",
        may: { on: "repository", do: "read", unit: "wiki" },
        params,
        responses: ok(WikiPage, "The page"),
      },
      async ({ repository, params: { pageName }, signal }) =>
        presentWikiPage(addresses, repository, await readPage(forge, repository, pageName, signal)),
    )
    .patch(
      "/page/:pageName",
      {
        operationId: "repoEditWikiPage",
        summary: "Change the content of a wiki page, its title, or both",
        params,
        body: CreateWikiPageOptions,
        bodyLimit: "content",
        stages: "content_base64",
        responses: { ...ok(WikiPage, "The page"), ...badRequest, ...conflict },
      },
      async ({ doer, repository, params: { pageName }, body, staged }) =>
        presentWikiPage(addresses, repository, await editPage(forge, doer, repository, pageName, editOf(body, staged))),
    )
    .delete(
      "/page/:pageName",
      {
        operationId: "repoDeleteWikiPage",
        summary: "Delete a wiki page",
        params,
        responses: { ...done, ...conflict },
      },
      async ({ doer, repository, params: { pageName } }) => {
        await deletePage(forge, doer, repository, pageName);
        return empty();
      },
    )
    .get(
      "/pages",
      {
        operationId: "repoGetWikiPages",
        summary: "List the pages of the wiki, in the order of git",
        may: { on: "repository", do: "read", unit: "wiki" },
        query: pagingQuery,
        responses: ok(t.Array(WikiPageMetaData), "The pages"),
      },
      async ({ repository, query, request, signal }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => listPages(forge, repository, page, signal),
          (row) => presentListedPage(addresses, repository, row),
        ),
    )
    .get(
      "/revisions/:pageName",
      {
        operationId: "repoGetWikiPageRevisions",
        summary: "List the commits that changed a wiki page, the latest first",
        may: { on: "repository", do: "read", unit: "wiki" },
        params,
        query: { page: pagingQuery.page },
        responses: ok(WikiCommitList, "The commits"),
      },
      async ({ repository, params: { pageName }, query, request, signal }) => {
        const page = readPageNumber({ ...query, limit: maximumPageSize });
        const { rows, total } = await listRevisions(forge, repository, pageName, page, signal);
        return paged({ request, base: addresses.base }, page, total, {
          commits: rows.map(presentWikiCommit),
          count: total,
        });
      },
    );
}
