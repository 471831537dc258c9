import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { largestInlineFile } from "../../domain/contents/content-reader.ts";
import { NotFound } from "../../domain/errors.ts";
import { findRefTypes } from "../../domain/refs/ref-types.ts";
import type { Ref } from "../../git/refs/ref.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { treePageSize } from "../common/paging.ts";
import { badRequest, invalid, notFound, ok } from "../common/responses.ts";
import { readSpreadName, spreadName, undocumented } from "../common/rest-of-path.ts";
import { integer, repositoryParams } from "../common/schema.ts";
import { placeOf, type Place } from "../commits/present.ts";
import { GitBlobResponse, GitTreeResponse, Reference } from "./schema.ts";

const entryTypes = { blob: "blob", symlink: "blob", tree: "tree", submodule: "commit" } as const;

function presentEntry({ addresses, owner, name }: Place, entry: TreeItem) {
  const type = entryTypes[entry.type];
  return {
    path: entry.path,
    mode: entry.mode.toString(8).padStart(6, "0"),
    type,
    size: entry.size ?? 0,
    sha: entry.oid,
    // The commit of a submodule is in another repository.
    url: type === "commit" ? "" : addresses.gitApi(owner, name, `${type}s`, entry.oid),
  };
}

/** Git's own objects and refs. An object is only shown when the repository's own refs reach it. */
export function gitRoutes({ forge, endpoint }: Api) {
  async function presentRefs(access: RepositoryAccess, prefix: string) {
    const { id } = access.repository;
    const { rows } = await forge.refs.pageOfRefs(id, prefix, { size: Number.MAX_SAFE_INTEGER, offset: 0 });
    const types = await findRefTypes(forge.git, await forge.views.current(access.repository), rows);
    const { addresses, owner, name } = placeOf(forge.addresses, access);
    return rows.map((ref: Ref) => {
      const type = types.get(ref.oid) ?? "commit";
      return {
        ref: ref.name,
        url: addresses.gitApi(owner, name, "refs", ref.name.slice("refs/".length)),
        object: { type, sha: ref.oid, url: addresses.gitApi(owner, name, `${type}s`, ref.oid) },
      };
    });
  }

  /** A tree by its oid, or that of a commit, a branch or a tag. */
  async function findTree(access: RepositoryAccess, name: string) {
    const revision = await forge.revisions.find(access.repository, name);
    if (revision !== null) {
      return { treeish: revision.commit, view: revision.view };
    }
    const found = await forge.revisions.findObject(access.repository, name);
    if (found === null || found.object.peeledType !== "tree") {
      throw new NotFound("tree", name);
    }
    return { treeish: found.object.peeled, view: found.view };
  }

  const matchingRefs = endpoint(
    {
      operationId: "repoListGitRefs",
      tag: "repository",
      summary: "List the refs whose names begin so",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: t.Object({ ...repositoryParams, ...spreadName("ref", "The beginning of names, without refs/, such as heads/main") }),
      responses: { ...ok(t.Array(Reference), "The refs"), ...notFound },
    },
    async ({ repository, params }) => {
      const beginning = readSpreadName(params, "ref").replace(/^refs\//, "");
      const refs = await presentRefs(repository, `refs/${beginning}`);
      if (refs.length === 0) {
        throw new NotFound("ref", beginning);
      }
      return refs;
    },
  );

  return new Elysia({ prefix: "/repos/:owner/:repo/git" })
    .get(
      "/refs",
      ...endpoint(
        {
          operationId: "repoListAllGitRefs",
          tag: "repository",
          summary: "List all refs",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object(repositoryParams),
          responses: { ...ok(t.Array(Reference), "The refs"), ...notFound },
        },
        ({ repository }) => presentRefs(repository, "refs/"),
      ),
    )
    .get("/refs/:ref", ...matchingRefs)
    .get("/refs/*", undocumented(matchingRefs[0]), matchingRefs[1])
    .get(
      "/trees/:sha",
      ...endpoint(
        {
          operationId: "GetTree",
          tag: "repository",
          summary: "Get a tree, page by page",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object({ ...repositoryParams, sha: t.String({ description: "Oid of a tree or commit, or a branch or tag" }) }),
          query: t.Object({
            recursive: t.Optional(t.Boolean({ description: "Also list all that is in the directories" })),
            page: t.Optional(integer({ description: "Number of the page, from 1" })),
            per_page: t.Optional(integer({ description: "Entries on a page, at most 1000, which is also the default" })),
          }),
          responses: { ...ok(GitTreeResponse, "The tree"), ...badRequest, ...notFound },
        },
        async ({ repository, params, query, signal }) => {
          const { treeish, view } = await findTree(repository, params.sha);
          const limit = query.per_page === undefined || query.per_page < 1 ? treePageSize : Math.min(query.per_page, treePageSize);
          const page = Math.max(1, query.page ?? 1);
          const args = { commit: treeish, path: "", recursive: query.recursive ?? false, lastCommits: false, skip: (page - 1) * limit, limit };
          const listed = await forge.git.call(view, "listTree", args, signal);
          if (listed === null) {
            throw new NotFound("tree", params.sha);
          }
          const place = placeOf(forge.addresses, repository);
          return {
            sha: listed.oid,
            url: forge.addresses.gitApi(place.owner, place.name, "trees", listed.oid),
            tree: listed.entries.map((entry) => presentEntry(place, entry)),
            truncated: page * limit < listed.total,
            page,
            total_count: listed.total,
          };
        },
      ),
    )
    .get(
      "/blobs/:sha",
      ...endpoint(
        {
          operationId: "GetBlob",
          tag: "repository",
          summary: "Get a blob of at most 10 MiB",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params: t.Object({ ...repositoryParams, sha: t.String({ description: "The oid of a blob" }) }),
          responses: { ...ok(GitBlobResponse, "The blob"), ...badRequest, ...notFound, ...invalid },
        },
        async ({ repository, params, signal }) => {
          const found = await forge.revisions.findObject(repository.repository, params.sha);
          const blob = found === null ? null : await forge.git.call(found.view, "readObject", { oid: found.object.oid, maxBytes: largestInlineFile }, signal);
          if (blob === null || blob.type !== "blob") {
            throw new NotFound("blob", params.sha);
          }
          if (blob.bytes === null) {
            throw new InvalidInput(`The blob "${blob.oid}" has ${blob.size} bytes; so large ones are read with /raw`, "sha");
          }
          const { owner, name, addresses } = placeOf(forge.addresses, repository);
          return {
            content: Buffer.from(blob.bytes).toString("base64"),
            encoding: "base64",
            url: addresses.gitApi(owner, name, "blobs", blob.oid),
            sha: blob.oid,
            size: blob.size,
          };
        },
      ),
    );
}
