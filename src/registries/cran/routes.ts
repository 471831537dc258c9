import { Elysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { findFile, findVersion } from "../../domain/packages/queries.ts";
import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";
import type { PackageReader } from "../package-reader.ts";
import { archiveLimits } from "../shared/inflate.ts";
import { openPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod, type RegistryParams } from "../shared/route.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { sendIndexFile } from "../shared/send-index-file.ts";
import { aboutCran, indexNameOf, stanzaOf, type Kind } from "./index.ts";
import { fileNameOf, parseAskedFile, parseFileName, readKind, type AskedFile } from "./paths.ts";
import { packingOf } from "./read-package.ts";

/** The media types of the files of an index. */
const indexTypes: Readonly<Record<string, string>> = {
  PACKAGES: "text/plain; charset=utf-8",
  "PACKAGES.gz": "application/x-gzip",
};

/** Packages of R, as `install.packages` and its like ask for them: README.md has the addresses. */
export function cranRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const limits = archiveLimits(forge);
  const raw = { parse: "none" } as const;

  async function publish(request: Request, params: RegistryParams, kind: () => Kind): Promise<Response> {
    const { owner, doer } = await openPackages(forge, request, params["owner"] ?? "", "write");
    const of = kind();
    await using blob = await receive(request);
    const packing = await packingOf(blob.content);
    const description = await packages.read(request.signal, "cran", blob.content, packing, limits);
    if (of === "source" && packing !== "tar.gz") {
      throw new BadPackage("The sources of a package come as .tar.gz, as `R CMD build` makes them");
    }
    const { name, version, ...metadata } = description;
    const place = indexNameOf(of);
    const stanzas = [stanzaOf(description, of, blob.digests.md5 ?? "")];
    const file = {
      name: fileNameOf(description, of, packing),
      place,
      blob,
      metadata,
      about: aboutCran(description),
      stanzas,
    };
    await forge.change(doer, { blobs: [blob] }, (work) =>
      publishFile(work, owner, { type: "cran", name, version }, file),
    );
    await forge.packageIndexes.settle({ ownerId: owner.id, type: "cran", name: place });
    return new Response(null, { status: 201 });
  }

  const send = (top: "src" | "bin") =>
    route(async (request, params) => {
      const opened = await openPackages(forge, request, params["owner"] ?? "", "read");
      const asked = parseAskedFile(top, params["*"] ?? "");
      if (asked === null) {
        throw new NotFound("file", clip(`${top}/${params["*"]}`, 80));
      }
      const type = indexTypes[asked.file];
      if (type !== undefined && asked.archiveOf === null) {
        const index = indexNameOf(asked.kind);
        return sendIndexFile(forge, request, opened, { type: "cran", index, path: asked.file }, type);
      }
      return sendPackageFile(forge, request, await getFile(opened, asked));
    });

  async function getFile({ owner, viewer }: Awaited<ReturnType<typeof openPackages>>, asked: AskedFile) {
    const { file, kind, archiveOf } = asked;
    const named = parseFileName(file);
    const isOfPackage = archiveOf === null || archiveOf.toLowerCase() === named?.name.toLowerCase();
    const found =
      named === null || !isOfPackage
        ? null
        : await findVersion(forge.database.db, viewer, owner.id, { type: "cran", ...named });
    const place = indexNameOf(kind);
    const row = found === null ? null : await findFile(forge.database.db, found.version.id, { name: file, place });
    if (row === null) {
      throw new NotFound("file", clip(file, 80));
    }
    return row;
  }

  return new Elysia({ name: "cran" })
    .put(
      "/cran/src",
      route((request, params) => publish(request, params, () => "source")),
      raw,
    )
    .all("/cran/src", route(refuseMethod(["PUT"])), raw)
    .put(
      "/cran/bin",
      route((request, params) => publish(request, params, () => readKind(new URL(request.url).searchParams))),
      raw,
    )
    .all("/cran/bin", route(refuseMethod(["PUT"])), raw)
    .get("/cran/src/*", send("src"), raw)
    .head("/cran/src/*", send("src"), raw)
    .all("/cran/src/*", route(refuseMethod(["GET", "HEAD"])), raw)
    .get("/cran/bin/*", send("bin"), raw)
    .head("/cran/bin/*", send("bin"), raw)
    .all("/cran/bin/*", route(refuseMethod(["GET", "HEAD"])), raw);
}
