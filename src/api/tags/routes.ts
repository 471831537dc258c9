import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { archiveDownloadsOf, type ArchiveDownloads } from "../../domain/git/archives/download-queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { signatureOfTag } from "../../domain/git/signatures/tag-signature.ts";
import { createTag } from "../../domain/repos/tags/create-tag.ts";
import { deleteTag } from "../../domain/repos/tags/delete-tag.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { Ref } from "../../git/refs/ref.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, ok, protectedTag } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { placeOf } from "../commits/present.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { presentAnnotatedTag, presentTag } from "./present.ts";
import { AnnotatedTag, CreateTagOption, Tag } from "./schema.ts";

const prefix = "refs/tags/";
/** Larger tag objects are told without what their signature signs. */
const largestSignedTag = 1024 * 1024;

export function tagRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);

  async function presentAll(access: RepositoryAccess, view: RepositoryView, refs: readonly Ref[]) {
    const commits = await forge.git.commits.find(
      view,
      refs.map((ref) => ref.peeled ?? ref.oid),
    );
    const downloads = await downloadsOf(
      access,
      refs.map(({ name }) => name.slice(prefix.length)),
    );
    return Promise.all(
      refs.map((ref) =>
        present(access, view, ref, commits.get(ref.peeled ?? ref.oid), downloads.get(ref.name.slice(prefix.length))),
      ),
    );
  }

  const downloadsOf = ({ repository }: RepositoryAccess, tags: readonly string[]) =>
    archiveDownloadsOf(forge.database.db, repository.id, tags);

  async function present(
    access: RepositoryAccess,
    view: RepositoryView,
    ref: Ref,
    commit: CommitRecord | undefined,
    downloads: ArchiveDownloads | undefined,
  ) {
    const annotated = ref.peeled === null ? null : await forge.git.commits.findTag(view, ref.oid);
    return presentTag(placeOf(forge.addresses, access), ref, annotated, commit, downloads);
  }

  async function presentOne(access: RepositoryAccess, view: RepositoryView, ref: Ref) {
    const oid = ref.peeled ?? ref.oid;
    const name = ref.name.slice(prefix.length);
    const downloads = (await downloadsOf(access, [name])).get(name);
    return present(access, view, ref, (await forge.git.commits.find(view, [oid])).get(oid), downloads);
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/tags",
      {
        operationId: "repoListTags",
        summary: "List tags, by name",
        query: pagingQuery,
        responses: ok(t.Array(Tag), "The tags"),
      },
      async ({ repository, query, request }) => {
        const page = readPage(query);
        const { rows, total, view } = await forge.git.revisions.page(repository.repository, prefix, page);
        return paged({ request, base: forge.addresses.base }, page, total, await presentAll(repository, view, rows));
      },
    )
    .post(
      "/tags",
      {
        operationId: "repoCreateTag",
        summary: "Create a tag, an annotated one if there is a message",
        may: { on: "repository", do: "write", unit: "code" },
        body: CreateTagOption,
        responses: { ...made(Tag, "The tag"), ...conflict, ...protectedTag },
      },
      async ({ doer, repository, body }) => {
        const ref = await createTag(forge, doer, repository, {
          name: body.tag_name,
          target: body.target,
          message: body.message,
        });
        const view = await forge.git.views.current(repository.repository);
        return created(await presentOne(repository, view, ref));
      },
    )
    .get(
      "/tags/:tag+",
      {
        operationId: "repoGetTag",
        summary: "Get a tag",
        params: { tag: t.String({ description: "Name of the tag; a slash in it as %2F or as it is" }) },
        responses: ok(Tag, "The tag"),
      },
      async ({ repository, params }) => {
        const name = params.tag;
        const ref = await forge.git.refs.findRef(repository.repository.id, prefix + name);
        if (ref === null) {
          throw new NotFound("tag", name);
        }
        const view = await forge.git.views.view({ ...repository.repository, generation: ref.generation });
        return presentOne(repository, view, ref);
      },
    )
    .delete(
      "/tags/:tag+",
      {
        operationId: "repoDeleteTag",
        summary: "Delete a tag",
        may: { on: "repository", do: "write", unit: "code" },
        params: { tag: t.String({ description: "Name of the tag; a slash in it as %2F or as it is" }) },
        responses: { ...done, ...conflict, ...protectedTag },
      },
      async ({ doer, repository, params }) => {
        await deleteTag(forge, doer, repository, params.tag);
        return empty();
      },
    )
    .get(
      "/git/tags/:sha",
      {
        operationId: "GetAnnotatedTag",
        summary: "Get an annotated tag by the oid of its object",
        params: { sha: t.String({ description: "Oid of the tag object, not of what it names" }) },
        responses: ok(AnnotatedTag, "The tag"),
      },
      async ({ actor, credential, repository, params }) => {
        const found = await forge.git.revisions.findObject(repository.repository, params.sha);
        const tag = found === null ? null : await forge.git.commits.findTag(found.view, found.object.oid);
        if (found === null || tag === null) {
          throw new NotFound("annotated tag", params.sha);
        }
        const object = await forge.git.engine.call(found.view, "readObject", {
          oid: tag.oid,
          maxBytes: largestSignedTag,
        });
        const text = object?.bytes == null ? null : Buffer.from(object.bytes).toString("utf8");
        const verification = await people.ofSignature(signatureOfTag(tag, text), tag.tagger, { actor, credential });
        const downloads = (await downloadsOf(repository, [tag.name])).get(tag.name);
        return presentAnnotatedTag(placeOf(forge.addresses, repository), tag, verification, downloads);
      },
    );
}
