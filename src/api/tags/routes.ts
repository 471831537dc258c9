import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { createTag } from "../../domain/tags/create-tag.ts";
import { deleteTag } from "../../domain/tags/delete-tag.ts";
import type { Ref } from "../../git/refs/ref.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { archived, badRequest, conflict, done, invalid, made, notFound, ok } from "../common/responses.ts";
import { readSpreadName, spreadName, undocumented } from "../common/rest-of-path.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { placeOf } from "../commits/present.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { presentAnnotatedTag, presentTag, signatureOf } from "./present.ts";
import { AnnotatedTag, CreateTagOption, Tag } from "./schema.ts";

const prefix = "refs/tags/";
const tagParams = t.Object({ ...repositoryParams, ...spreadName("tag", "Name of the tag; a slash in it as %2F or as it is") });
/** Larger tag objects are told without what their signature signs. */
const largestSignedTag = 1024 * 1024;

export function tagRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);

  async function presentAll(access: RepositoryAccess, view: RepositoryView, refs: readonly Ref[]) {
    const commits = await forge.commits.find(view, refs.map((ref) => ref.peeled ?? ref.oid));
    const annotated = await Promise.all(refs.map((ref) => (ref.peeled === null ? null : forge.commits.findTag(view, ref.oid))));
    const place = placeOf(forge.addresses, access);
    return refs.map((ref, index) => presentTag(place, ref, annotated[index] ?? null, commits.get(ref.peeled ?? ref.oid)));
  }

  const get = endpoint(
    {
      operationId: "repoGetTag",
      tag: "repository",
      summary: "Get a tag",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: tagParams,
      responses: { ...ok(Tag, "The tag"), ...notFound },
    },
    async ({ repository, params }) => {
      const name = readSpreadName(params, "tag");
      const ref = await forge.refs.findRef(repository.repository.id, prefix + name);
      if (ref === null) {
        throw new NotFound("tag", name);
      }
      const view = await forge.views.view({ ...repository.repository, generation: ref.generation });
      return (await presentAll(repository, view, [ref]))[0];
    },
  );

  const remove = endpoint(
    {
      operationId: "repoDeleteTag",
      tag: "repository",
      summary: "Delete a tag",
      scopes: ["repository"],
      may: { on: "repository", do: "write", unit: "code" },
      signedIn: true,
      changes: true,
      params: tagParams,
      responses: { ...done, ...notFound, ...conflict, ...archived },
    },
    async ({ actor, repository, params }) => {
      await deleteTag(forge, repository.repository, actor, readSpreadName(params, "tag"));
      return empty();
    },
  );

  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .get(
      "/tags",
      ...endpoint(
        {
          operationId: "repoListTags",
          tag: "repository",
          summary: "List tags, by name",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object(repositoryParams),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(Tag), "The tags"), ...notFound },
        },
        async ({ repository, query, request }) => {
          const page = readPage(query);
          const { rows, total, view } = await forge.revisions.page(repository.repository, prefix, page);
          return paged({ request, base: forge.addresses.base }, page, total, await presentAll(repository, view, rows));
        },
      ),
    )
    .post(
      "/tags",
      ...endpoint(
        {
          operationId: "repoCreateTag",
          tag: "repository",
          summary: "Create a tag, an annotated one if there is a message",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: t.Object(repositoryParams),
          body: CreateTagOption,
          responses: { ...made(Tag, "The tag"), ...notFound, ...conflict, ...invalid, ...archived },
        },
        async ({ actor, repository, body }) => {
          const ref = await createTag(forge, repository.repository, actor, { name: body.tag_name, target: body.target, message: body.message });
          const view = await forge.views.current(repository.repository);
          return created((await presentAll(repository, view, [ref]))[0]);
        },
      ),
    )
    .get("/tags/:tag", ...get)
    .get("/tags/*", undocumented(get[0]), get[1])
    .delete("/tags/:tag", ...remove)
    .delete("/tags/*", undocumented(remove[0]), remove[1])
    .get(
      "/git/tags/:sha",
      ...endpoint(
        {
          operationId: "GetAnnotatedTag",
          tag: "repository",
          summary: "Get an annotated tag by the oid of its object",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object({ ...repositoryParams, sha: t.String({ description: "Oid of the tag object, not of what it names" }) }),
          responses: { ...ok(AnnotatedTag, "The tag"), ...badRequest, ...notFound },
        },
        async ({ actor, repository, params }) => {
          const found = await forge.revisions.findObject(repository.repository, params.sha);
          const tag = found === null ? null : await forge.commits.findTag(found.view, found.object.oid);
          if (found === null || tag === null) {
            throw new NotFound("annotated tag", params.sha);
          }
          const object = await forge.git.call(found.view, "readObject", { oid: tag.oid, maxBytes: largestSignedTag });
          const text = object?.bytes == null ? null : Buffer.from(object.bytes).toString("utf8");
          const verification = await people.ofSignature(signatureOf(tag, text), tag.tagger, actor);
          return presentAnnotatedTag(placeOf(forge.addresses, repository), tag, verification);
        },
      ),
    );
}
