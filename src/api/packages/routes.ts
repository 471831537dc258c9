import { t } from "elysia";
import { deleteVersion, linkPackage, unlinkPackage } from "../../domain/packages/edit-package.ts";
import { getPackage, getVersion } from "../../domain/packages/get-package.ts";
import { listFiles, listVersions } from "../../domain/packages/queries.ts";
import { packageTypes } from "../../db/schema/packages.ts";
import { knownPackageTypes } from "../../domain/packages/types.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { badRequest, done, notFound, ok } from "../common/responses.ts";
import { oneOf, pagingQuery, searchText } from "../common/schema.ts";
import { presentPackageFile, presentVersions } from "./present.ts";
import { Package, PackageFile } from "./schema.ts";

const type = oneOf(packageTypes, "Format of the package");
const name = t.String({ description: "Name of the package" });
const version = t.String({ description: "Version of the package" });

/** Packages of users and organizations: what their registries have, and to which repositories it belongs. */
export function packageRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const { db } = database;

  return group("/packages/:owner", { tag: "package", scopes: ["package"], may: { on: "owner", do: "read-packages" } })
    .get(
      "",
      {
        operationId: "listPackages",
        summary: "List the versions of an owner's packages, the newest first",
        query: {
          type: t.Optional(oneOf(knownPackageTypes, "Only packages of this format")),
          q: searchText("A part of the name of the package"),
          ...pagingQuery,
        },
        responses: { ...ok(t.Array(Package), "The versions"), ...notFound },
      },
      async ({ request, query, owner: access, actor, credential }) => {
        const viewer = { actor, credential };
        const page = readPage(query);
        const filter = { type: query.type ?? null, name: query.q ?? "" };
        const { rows, total } = await listVersions(db, viewer, access.owner.id, filter, page);
        const presented = await presentVersions(forge, viewer, access.owner, rows);
        return paged({ request, base: addresses.base }, page, total, presented);
      },
    )
    .get(
      "/:type/:name/:version",
      {
        operationId: "getPackage",
        summary: "Get a version of a package",
        params: { type, name, version },
        responses: { ...ok(Package, "The version"), ...notFound },
      },
      async ({ params, owner: access, actor, credential }) => {
        const viewer = { actor, credential };
        const found = await getVersion(db, viewer, access.owner.id, params);
        const [presented] = await presentVersions(forge, viewer, access.owner, [found]);
        if (presented === undefined) {
          throw new Error("A version was not presented");
        }
        return presented;
      },
    )
    .get(
      "/:type/:name/:version/files",
      {
        operationId: "listPackageFiles",
        summary: "List the files of a version",
        params: { type, name, version },
        responses: { ...ok(t.Array(PackageFile), "The files, by name"), ...notFound },
      },
      async ({ params, owner: access, actor, credential }) => {
        const found = await getVersion(db, { actor, credential }, access.owner.id, params);
        return (await listFiles(db, found.version.id)).map(presentPackageFile);
      },
    )
    .delete(
      "/:type/:name/:version",
      {
        operationId: "deletePackage",
        summary: "Delete a version with its files; the package goes with its last version",
        may: { on: "owner", do: "write-packages" },
        params: { type, name, version },
        responses: { ...done, ...notFound },
      },
      async ({ params, doer, owner: access, actor, credential }) => {
        const found = await getVersion(db, { actor, credential }, access.owner.id, params);
        await forge.change(doer, (work) => deleteVersion(work, access.owner, found));
        await forge.packageIndexes.settleAll(access.owner.id);
        return empty();
      },
    )
    .post(
      "/:type/:name/-/link/:repo_name",
      {
        operationId: "linkPackage",
        summary: "Link a package to a repository of its owner",
        description: "From then on the package is as private as the repository.",
        may: { on: "owner", do: "write-packages" },
        also: {
          to: {
            may: { on: "repository", do: "read", unit: "any" },
            named: { owner: "owner", repo: "repo_name" },
          },
        },
        params: { type, name, repo_name: t.String({ description: "Name of the repository" }) },
        responses: { 201: { description: "Linked" }, ...badRequest, ...notFound },
      },
      async ({ params, doer, also, owner: access, actor, credential }) => {
        const found = await getPackage(db, { actor, credential }, access.owner.id, params);
        await forge.change(doer, (work) => linkPackage(work, access.owner, found, also.to));
        await forge.packageIndexes.settleAll(access.owner.id);
        return empty(201);
      },
    )
    .post(
      "/:type/:name/-/unlink",
      {
        operationId: "unlinkPackage",
        summary: "Take a package's link to a repository away",
        may: { on: "owner", do: "write-packages" },
        params: { type, name },
        responses: { ...done, ...badRequest, ...notFound },
      },
      async ({ params, doer, owner: access, actor, credential }) => {
        const found = await getPackage(db, { actor, credential }, access.owner.id, params);
        await forge.change(doer, (work) => unlinkPackage(work, access.owner, found));
        await forge.packageIndexes.settleAll(access.owner.id);
        return empty();
      },
    );
}
