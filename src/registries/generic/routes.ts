import { Elysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { deleteFile, deleteVersion } from "../../domain/packages/edit-package.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { findFile, findVersion, type FoundVersion } from "../../domain/packages/queries.ts";
import type { PackageName } from "../../domain/packages/types.ts";
import { clip } from "../../lib/show-value.ts";
import { openPackages, type OpenedPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod, type RegistryParams } from "../shared/route.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { checkGenericName } from "./parse.ts";

function nameOf({ name = "", version = "" }: RegistryParams): PackageName {
  return { type: "generic", name, version };
}

/** Files of any kind, each of a version of a package: README.md has the addresses. */
export function genericRoutes(forge: Forge) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const raw = { parse: "none" } as const;

  async function getVersion({ owner, viewer }: OpenedPackages, params: RegistryParams): Promise<FoundVersion> {
    const found = await findVersion(forge.database.db, viewer, owner.id, nameOf(params));
    if (found === null) {
      throw new NotFound("version of a package", clip(`${params["name"]}/${params["version"]}`, 80));
    }
    return found;
  }

  const send = route(async (request, params) => {
    const opened = await openPackages(forge, request, params["owner"] ?? "", "read");
    const found = await getVersion(opened, params);
    const row = await findFile(forge.database.db, found.version.id, { name: params["file"] ?? "" });
    if (row === null) {
      throw new NotFound("file", clip(params["file"] ?? "", 80));
    }
    return sendPackageFile(forge, request, row);
  });

  return new Elysia({ name: "generic" })
    .put(
      "/generic/:name/:version/:file",
      route(async (request, params) => {
        const { owner, doer } = await openPackages(forge, request, params["owner"] ?? "", "write");
        const name = nameOf(params);
        const file = params["file"] ?? "";
        checkGenericName(name, file);
        await using blob = await receive(request);
        await forge.change(doer, { blobs: [blob] }, (work) => publishFile(work, owner, name, { name: file, blob }));
        return new Response(null, { status: 201 });
      }),
      raw,
    )
    .get("/generic/:name/:version/:file", send, raw)
    .head("/generic/:name/:version/:file", send, raw)
    .delete(
      "/generic/:name/:version/:file",
      route(async (request, params) => {
        const opened = await openPackages(forge, request, params["owner"] ?? "", "write");
        const found = await getVersion(opened, params);
        const asked = { name: params["file"] ?? "" };
        await forge.change(opened.doer, (work) => deleteFile(work, opened.owner, found, asked));
        return new Response(null, { status: 204 });
      }),
      raw,
    )
    .all("/generic/:name/:version/:file", route(refuseMethod(["GET", "HEAD", "PUT", "DELETE"])), raw)
    .delete(
      "/generic/:name/:version",
      route(async (request, params) => {
        const opened = await openPackages(forge, request, params["owner"] ?? "", "write");
        const found = await getVersion(opened, params);
        await forge.change(opened.doer, (work) => deleteVersion(work, opened.owner, found));
        return new Response(null, { status: 204 });
      }),
      raw,
    )
    .all("/generic/:name/:version", route(refuseMethod(["DELETE"])), raw);
}
