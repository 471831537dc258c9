import { Elysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { deleteFile } from "../../domain/packages/edit-package.ts";
import { findIndexFile, listPartsWithout } from "../../domain/packages/index-queries.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { findFile, findVersion, type FileRow, type FoundVersion } from "../../domain/packages/queries.ts";
import { contentDisposition } from "../../http/content-type.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { PackageReader } from "../package-reader.ts";
import { archiveLimits } from "../shared/inflate.ts";
import { openPackages, type OpenedPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod, type RegistryParams } from "../shared/route.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { sendIndexRow } from "../shared/send-index-file.ts";
import { alpineKey, indexFileName, listedBytes } from "./build.ts";
import { anyArchitecture } from "./index.ts";

const plain = /^[A-Za-z0-9][A-Za-z0-9._+~-]{0,99}$/;
/** "NAME-VERSION.apk": a version begins with the digit behind the last dash but that of its revision. */
const fileForm = /^(.+)-([0-9][^-]*(?:-r[0-9]+)?)\.apk$/;

/** A build writes an index for each of them. */
const mostArchitectures = 32;

/** A repository of packages of an owner, such as "main" of "v3.20". */
interface Place {
  readonly branch: string;
  readonly repository: string;
}

const placeOf = ({ branch = "", repository = "" }: RegistryParams): Place => ({ branch, repository });
const indexOf = ({ branch, repository }: Place): string => `${branch}/${repository}`;
/** Where a file is, as the file's row says it. A bar is in no name. */
const placeText = ({ branch, repository }: Place, architecture: string): string =>
  `${branch}|${repository}|${architecture}`;

/** Throws InvalidInput for a branch or repository that clients could not ask for. */
function checkPlace({ branch, repository }: Place): void {
  for (const [what, text] of [
    ["branch", branch],
    ["repository", repository],
  ] as const) {
    if (!plain.test(text)) {
      throw new InvalidInput(
        `"${clip(text, 80)}" is no name of a ${what}: it has 1 to 100 of the characters A-Z a-z 0-9 . _ + ~ - and begins with a letter or a digit`,
      );
    }
  }
}

/** Repositories of Alpine's packages, as apk reads them: README.md has the addresses. */
export function alpineRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const limits = archiveLimits(forge);
  const { db } = forge.database;
  const raw = { parse: "none" } as const;
  const open = (request: Request, { owner = "" }: RegistryParams, level: "read" | "write") =>
    openPackages(forge, request, owner, level);
  const publishIndex = (ownerId: number, place: Place) =>
    forge.packageIndexes.settle({ ownerId, type: "alpine", name: indexOf(place) });

  /** Throws InvalidInput where one more architecture would be too much for a repository. */
  async function checkArchitectures(ownerId: number, place: Place, architecture: string): Promise<void> {
    const index = { ownerId, type: "alpine", name: indexOf(place) } as const;
    const others = await listPartsWithout(db, index, architecture);
    if (others !== null && others.length >= mostArchitectures) {
      throw new InvalidInput(`A repository has packages of at most ${mostArchitectures} architectures`);
    }
  }

  const upload = route(async (request, params) => {
    const { owner, doer } = await open(request, params, "write");
    const place = placeOf(params);
    checkPlace(place);
    await using blob = await receive(request);
    const { name, version, architecture, record, about } = await packages.read(
      request.signal,
      "alpine",
      blob.content,
      limits,
    );
    await checkArchitectures(owner.id, place, architecture);
    // It takes seconds to make, and the index is to have the owner's name in it.
    await alpineKey(forge.packageKeys, owner.id, owner.name);
    const stanza = {
      indexName: indexOf(place),
      part: architecture,
      sort: `${name} ${version}`,
      content: record,
    };
    const file = {
      name: `${name}-${version}.apk`,
      place: placeText(place, architecture),
      blob,
      about,
      stanzas: [stanza],
      listedBytes,
    };
    await forge.change(doer, { blobs: [blob] }, (work) =>
      publishFile(work, owner, { type: "alpine", name, version }, file),
    );
    await publishIndex(owner.id, place);
    return new Response(null, { status: 201 });
  });

  /** The file of the architecture, else the one that is for all of them. Throws NotFound. */
  async function getFile(
    { owner, viewer }: OpenedPackages,
    params: RegistryParams,
  ): Promise<{ found: FoundVersion; row: FileRow }> {
    const { file = "", architecture = "" } = params;
    const [, name, version] = fileForm.exec(file) ?? [];
    const found =
      name === undefined || version === undefined
        ? null
        : await findVersion(db, viewer, owner.id, { type: "alpine", name, version });
    if (found !== null) {
      for (const one of [architecture, anyArchitecture]) {
        const row = await findFile(db, found.version.id, { name: file, place: placeText(placeOf(params), one) });
        if (row !== null) {
          return { found, row };
        }
      }
    }
    throw new NotFound("file", clip(file, 80));
  }

  const send = route(async (request, params) => {
    const opened = await open(request, params, "read");
    const { file = "", architecture = "" } = params;
    if (file !== indexFileName) {
      const { row } = await getFile(opened, params);
      return sendPackageFile(forge, request, row);
    }
    const index = { ownerId: opened.owner.id, type: "alpine", name: indexOf(placeOf(params)) } as const;
    const find = (one: string) =>
      findIndexFile(db, index, { path: `${one}/${indexFileName}`, audience: opened.audience });
    // An architecture without packages of its own has those that are for all.
    const row = (await find(architecture)) ?? (await find(anyArchitecture));
    return sendIndexRow(forge, request, row, "application/gzip");
  });

  const remove = route(async (request, params) => {
    const opened = await open(request, params, "write");
    const { found, row } = await getFile(opened, params);
    await forge.change(opened.doer, (work) => deleteFile(work, opened.owner, found, row));
    await publishIndex(opened.owner.id, placeOf(params));
    return new Response(null, { status: 204 });
  });

  const sendKey = route(async (request, params) => {
    const { owner } = await open(request, params, "read");
    const { fileName, publicKey } = await alpineKey(forge.packageKeys, owner.id, owner.name);
    return new Response(request.method === "HEAD" ? null : publicKey, {
      headers: {
        "content-type": "application/x-pem-file",
        "content-disposition": contentDisposition("application/octet-stream", fileName),
        "cache-control": "private, no-cache",
      },
    });
  });

  const files = "/alpine/:branch/:repository/:architecture/:file";
  return new Elysia({ name: "alpine" })
    .get("/alpine/key", sendKey, raw)
    .head("/alpine/key", sendKey, raw)
    .all("/alpine/key", route(refuseMethod(["GET", "HEAD"])), raw)
    .put("/alpine/:branch/:repository", upload, raw)
    .all("/alpine/:branch/:repository", route(refuseMethod(["PUT"])), raw)
    .get(files, send, raw)
    .head(files, send, raw)
    .delete(files, remove, raw)
    .all(files, route(refuseMethod(["GET", "HEAD", "DELETE"])), raw);
}
