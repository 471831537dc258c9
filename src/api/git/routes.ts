import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { largestInlineFile } from "../../domain/git/contents/content-reader.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { findRefTypes } from "../../domain/git/refs/ref-types.ts";
import type { Ref } from "../../git/refs/ref.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { presentLate } from "../../lib/json/write-json.ts";
import type { Api } from "../common/api.ts";
import { treePageSize } from "../common/paging.ts";
import { invalid, ok } from "../common/responses.ts";
import { integer } from "../common/schema.ts";
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
export function gitRoutes({ forge, group }: Api) {
  async function presentRefs(access: RepositoryAccess, prefix: string) {
    const rows = await forge.git.revisions.listBelow(access.repository, prefix);
    const types = await findRefTypes(forge.git.engine, await forge.git.views.current(access.repository), rows);
    const { addresses, owner, name } = placeOf(forge.addresses, access);
    return rows.length === 0
      ? null
      : presentLate(rows, (ref: Ref) => {
          const type = types.get(ref.oid) ?? "commit";
          return {
            ref: ref.name,
            url: addresses.gitApi(owner, name, "refs", ref.name.slice("refs/".length)),
            object: { type, sha: ref.oid, url: addresses.gitApi(owner, name, `${type}s`, ref.oid) },
          };
        });
  }

  /** A tree by its oid, or that of a commit, a branch or a tag; or with `{name}:{path}` a directory below it, as git writes it. Throws NotFound. */
  async function findTree(access: RepositoryAccess, named: string, signal: AbortSignal) {
    // No name of a ref has a colon.
    const colon = named.indexOf(":");
    const root = await findRoot(access, colon < 0 ? named : named.slice(0, colon));
    const path = colon < 0 ? "" : named.slice(colon + 1).replace(/\/$/, "");
    if (path === "") {
      return root;
    }
    const item = await forge.git.engine.call(
      root.view,
      "readPath",
      { commit: root.treeish, path, maxBytes: 0 },
      signal,
    );
    if (item?.type !== "tree") {
      throw new NotFound("tree", named);
    }
    return { treeish: item.oid, view: root.view };
  }

  async function findRoot(access: RepositoryAccess, name: string) {
    const revision = name === "" ? null : await forge.git.revisions.find(access.repository, name);
    if (revision !== null) {
      return { treeish: revision.commit, view: revision.view };
    }
    const found = await forge.git.revisions.findObject(access.repository, name);
    if (found === null || found.object.peeledType !== "tree") {
      throw new NotFound("tree", name);
    }
    return { treeish: found.object.peeled, view: found.view };
  }

  return group("/repos/:owner/:repo/git", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/refs",
      { operationId: "repoListAllGitRefs", summary: "List all refs", responses: ok(t.Array(Reference), "The refs") },
      async ({ repository }) => (await presentRefs(repository, "refs/")) ?? [],
    )
    .get(
      "/refs/:ref+",
      {
        operationId: "repoListGitRefs",
        summary: "List the refs whose names begin so",
        params: { ref: t.String({ description: "The beginning of names, without refs/, such as heads/main" }) },
        responses: ok(t.Array(Reference), "The refs"),
      },
      async ({ repository, params }) => {
        const beginning = params.ref.replace(/^refs\//, "");
        const refs = await presentRefs(repository, `refs/${beginning}`);
        if (refs === null) {
          throw new NotFound("ref", beginning);
        }
        return refs;
      },
    )
    .get(
      "/trees/:sha+",
      {
        operationId: "GetTree",
        summary: "Get a tree, page by page",
        params: {
          sha: t.String({
            description:
              "Oid of a tree or commit, or a branch or tag; with a colon and a path after it, the directory there, such as main:docs",
          }),
        },
        query: {
          recursive: t.Optional(t.Boolean({ description: "Also list all that is in the directories" })),
          page: t.Optional(integer({ description: "Number of the page, from 1" })),
          per_page: t.Optional(integer({ description: "Entries on a page, at most 1000, which is also the default" })),
        },
        responses: ok(GitTreeResponse, "The tree"),
      },
      async ({ repository, params, query, signal }) => {
        const { treeish, view } = await findTree(repository, params.sha, signal);
        const limit =
          query.per_page === undefined || query.per_page < 1 ? treePageSize : Math.min(query.per_page, treePageSize);
        const page = Math.max(1, query.page ?? 1);
        const args = {
          commit: treeish,
          path: "",
          recursive: query.recursive ?? false,
          lastCommits: false,
          skip: (page - 1) * limit,
          limit,
        };
        const listed = await forge.git.engine.call(view, "listTree", args, signal);
        if (listed === null) {
          throw new NotFound("tree", params.sha);
        }
        const place = placeOf(forge.addresses, repository);
        return {
          sha: listed.oid,
          url: forge.addresses.gitApi(place.owner, place.name, "trees", listed.oid),
          tree: presentLate(listed.entries, (entry) => presentEntry(place, entry)),
          truncated: page * limit < listed.total,
          page,
          total_count: listed.total,
        };
      },
    )
    .get(
      "/blobs/:sha",
      {
        operationId: "GetBlob",
        summary: "Get a blob of at most 10 MiB",
        params: { sha: t.String({ description: "The oid of a blob" }) },
        responses: { ...ok(GitBlobResponse, "The blob"), ...invalid },
      },
      async ({ repository, params, signal }) => {
        const found = await forge.git.revisions.findObject(repository.repository, params.sha);
        const blob =
          found === null
            ? null
            : await forge.git.engine.call(
                found.view,
                "readObject",
                { oid: found.object.oid, maxBytes: largestInlineFile },
                signal,
              );
        if (blob === null || blob.type !== "blob") {
          throw new NotFound("blob", params.sha);
        }
        if (blob.bytes === null) {
          throw new InvalidInput(
            `The blob "${blob.oid}" has ${blob.size} bytes; so large ones are read with /raw`,
            "sha",
          );
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
    );
}
