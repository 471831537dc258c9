import { t } from "elysia";
import { createRelease } from "../../domain/repos/releases/create-release.ts";
import { deleteRelease } from "../../domain/repos/releases/delete-release.ts";
import { editRelease } from "../../domain/repos/releases/edit-release.ts";
import { getRelease, seesDrafts } from "../../domain/repos/releases/get-release.ts";
import { findLatestRelease, pageOfReleases } from "../../domain/repos/releases/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, ok } from "../common/responses.ts";
import { pagingQuery, rowId, searchText } from "../common/schema.ts";
import { presentOneRelease, presentReleases } from "./present-releases.ts";
import { CreateReleaseOption, EditReleaseOption, Release } from "./schema.ts";

const id = rowId("Id of the release");
const tag = t.String({ description: "Name of the tag; a slash in it as %2F or as it is" });

export function releaseRoutes({ forge, group }: Api) {
  const write = { on: "repository", do: "write", unit: "releases" } as const;

  return group("/repos/:owner/:repo/releases", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "releases" },
  })
    .get(
      "",
      {
        operationId: "repoListReleases",
        summary: "List releases, the newest first",
        description:
          "Only those who may write releases are shown drafts. A page has 5,000 files at most, those of its first releases: each release is whole where it is asked for alone.",
        query: {
          draft: t.Optional(t.Boolean({ description: "Only drafts, or none" })),
          "pre-release": t.Optional(t.Boolean({ description: "Only prereleases, or none" })),
          q: searchText("A part of the tag or of the title, or words of the text, of which the last may be cut short"),
          ...pagingQuery,
        },
        responses: ok(t.Array(Release), "The releases"),
      },
      async ({ repository, query, request, actor, credential }) => {
        const viewer = { actor, credential };
        const page = readPage(query);
        const { draft, "pre-release": prerelease, q: search } = query;
        const filter = { showsDrafts: seesDrafts(repository), draft, prerelease, search };
        const { rows, total } = await pageOfReleases(forge.database.db, viewer, repository.repository.id, filter, page);
        const releases = await presentReleases(forge, viewer, repository, rows);
        return paged({ request, base: forge.addresses.base }, page, total, releases);
      },
    )
    .post(
      "",
      {
        operationId: "repoCreateRelease",
        summary: "Create a release",
        description: "Its tag is created if it does not exist, unless the release is a draft.",
        may: write,
        body: CreateReleaseOption,
        responses: { ...made(Release, "The release"), ...conflict },
      },
      async ({ doer, repository, body, actor, credential }) => {
        const releaseId = await createRelease(forge, doer, repository, {
          tagName: body.tag_name,
          target: body.target_commitish || null,
          title: body.name ?? "",
          body: body.body ?? "",
          draft: body.draft ?? false,
          prerelease: body.prerelease ?? false,
          hideArchiveLinks: body.hide_archive_links ?? false,
        });
        const viewer = { actor, credential };
        const found = await getRelease(forge, viewer, repository, { id: releaseId });
        return created(await presentOneRelease(forge, viewer, repository, found));
      },
    )
    .get(
      "/latest",
      {
        operationId: "repoGetLatestRelease",
        summary: "Get the newest release that is neither a draft nor a prerelease",
        responses: ok(Release, "The release"),
      },
      async ({ repository, actor, credential }) => {
        const viewer = { actor, credential };
        const found = await findLatestRelease(forge.database.db, viewer, repository.repository.id);
        if (found === null) {
          throw new NotFound("release", "latest");
        }
        return presentOneRelease(forge, viewer, repository, found);
      },
    )
    .get(
      "/tags/:tag+",
      {
        operationId: "repoGetReleaseByTag",
        summary: "Get the release of a tag",
        params: { tag },
        responses: ok(Release, "The release"),
      },
      async ({ repository, params, actor, credential }) => {
        const viewer = { actor, credential };
        const found = await getRelease(forge, viewer, repository, { tag: params.tag });
        return presentOneRelease(forge, viewer, repository, found);
      },
    )
    .delete(
      "/tags/:tag+",
      {
        operationId: "repoDeleteReleaseByTag",
        summary: "Delete the release of a tag with its files; the tag stays",
        may: write,
        params: { tag },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteRelease(work, repository, { tag: params.tag }));
        return empty();
      },
    )
    .get(
      "/:id",
      {
        operationId: "repoGetRelease",
        summary: "Get a release",
        params: { id },
        responses: ok(Release, "The release"),
      },
      async ({ repository, params, actor, credential }) => {
        const viewer = { actor, credential };
        const found = await getRelease(forge, viewer, repository, { id: params.id });
        return presentOneRelease(forge, viewer, repository, found);
      },
    )
    .patch(
      "/:id",
      {
        operationId: "repoEditRelease",
        summary: "Change a release, or publish a draft",
        may: write,
        params: { id },
        body: EditReleaseOption,
        responses: { ...ok(Release, "The release"), ...conflict },
      },
      async ({ doer, repository, params, body, actor, credential }) => {
        await editRelease(forge, doer, repository, params.id, {
          ...(body.tag_name ? { tagName: body.tag_name } : {}),
          ...(body.target_commitish ? { target: body.target_commitish } : {}),
          ...(body.name ? { title: body.name } : {}),
          ...(body.body ? { body: body.body } : {}),
          ...(body.draft === undefined ? {} : { draft: body.draft }),
          ...(body.prerelease === undefined ? {} : { prerelease: body.prerelease }),
          ...(body.hide_archive_links === undefined ? {} : { hideArchiveLinks: body.hide_archive_links }),
        });
        const viewer = { actor, credential };
        const found = await getRelease(forge, viewer, repository, { id: params.id });
        return presentOneRelease(forge, viewer, repository, found);
      },
    )
    .delete(
      "/:id",
      {
        operationId: "repoDeleteRelease",
        summary: "Delete a release with its files; the tag stays",
        may: write,
        params: { id },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteRelease(work, repository, { id: params.id }));
        return empty();
      },
    );
}
