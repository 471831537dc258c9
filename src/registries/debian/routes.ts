import { Elysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { deleteFile } from "../../domain/packages/edit-package.ts";
import { findIndexFileByDigest, listPartsWithout } from "../../domain/packages/index-queries.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { findFile, findVersion, type FoundVersion } from "../../domain/packages/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { PackageReader } from "../package-reader.ts";
import { archiveLimits } from "../shared/inflate.ts";
import { openPackages, type OpenedPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod, type RegistryParams } from "../shared/route.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { sendIndexFile, sendIndexRow } from "../shared/send-index-file.ts";
import { debianKey, listedBytes, partOf, readPart } from "./build.ts";
import { aboutDeb, writeStanza } from "./index.ts";
import { parsePoolFile, poolFile, type PoolName } from "./parse.ts";
import { checkPlace, type PoolPlace } from "./place.ts";

/** Components times architectures: a build writes a list for each, twice. */
const mostLists = 100;
/** A control archive of this size describes any real package. Only the entries up to the control file are unpacked. */
const largestControlArchive = 16 * 1024 * 1024;
const digests = { MD5Sum: "md5", SHA1: "sha1", SHA256: "sha256", SHA512: "sha512" } as const;
const byHash = /(?:^|\/)by-hash\/(MD5Sum|SHA1|SHA256|SHA512)\/((?:[0-9a-f]{2}){16,64})$/;

const placeOf = ({ distribution = "", component = "" }: RegistryParams): PoolPlace => ({ distribution, component });
/** Where a file is, as the file's row says it. A bar is in no name. */
const placeText = ({ distribution, component }: PoolPlace): string => `${distribution}|${component}`;

/** Distributions of Debian packages, as apt reads them: README.md has the addresses. */
export function debianRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const limits = archiveLimits(forge);
  const controlLimits = { ...limits, bytes: Math.min(limits.bytes, largestControlArchive) };
  const raw = { parse: "none" } as const;
  const open = (request: Request, { owner = "" }: RegistryParams, level: "read" | "write") =>
    openPackages(forge, request, owner, level);

  async function getVersion({ owner, viewer }: OpenedPackages, { name, version }: PoolName): Promise<FoundVersion> {
    const found = await findVersion(forge.database.db, viewer, owner.id, { type: "debian", name, version });
    if (found === null) {
      throw new NotFound("version of a package", clip(`${name}/${version}`, 80));
    }
    return found;
  }

  const getKey = (ownerId: number) => debianKey(forge.packageKeys, ownerId, (name) => packages.makePair(name));

  const publishIndex = (ownerId: number, { distribution }: PoolPlace) =>
    forge.packageIndexes.settle({ ownerId, type: "debian", name: distribution });

  /** Throws InvalidInput where one more part would be too much for a distribution. */
  async function checkLists(ownerId: number, { distribution }: PoolPlace, part: string): Promise<void> {
    const index = { ownerId, type: "debian", name: distribution } as const;
    const parts = await listPartsWithout(forge.database.db, index, part);
    const named = [part, ...(parts ?? [])].map(readPart);
    const components = new Set(named.map(({ component }) => component));
    const architectures = new Set(named.map(({ architecture }) => architecture));
    if (components.size * architectures.size > mostLists) {
      throw new InvalidInput(`A distribution has at most ${mostLists} lists: its components times its architectures`);
    }
  }

  const upload = route(async (request, params) => {
    const { owner, doer } = await open(request, params, "write");
    const place = placeOf(params);
    checkPlace(place);
    await using blob = await receive(request);
    const parsed = await packages.read(request.signal, "debian", blob.content, controlLimits);
    const name = poolFile(parsed);
    const { md5 = "", sha1 = "", sha512 = "" } = blob.digests;
    const path = `pool/${place.distribution}/${place.component}/${name}`;
    const part = partOf(place.component, parsed.architecture);
    await checkLists(owner.id, place, part);
    await getKey(owner.id);
    const stanza = {
      indexName: place.distribution,
      part,
      sort: `${parsed.name} ${parsed.version}`,
      content: writeStanza(parsed, { path, bytes: blob.bytes, md5, sha1, sha256: blob.sha256, sha512 }),
    };
    await forge.change(doer, { blobs: [blob] }, (work) =>
      publishFile(
        work,
        owner,
        { type: "debian", name: parsed.name, version: parsed.version },
        { name, place: placeText(place), blob, about: aboutDeb(parsed), stanzas: [stanza], listedBytes },
      ),
    );
    await publishIndex(owner.id, place);
    return new Response(null, { status: 201 });
  });

  const sendPackage = route(async (request, params) => {
    const opened = await open(request, params, "read");
    const { name: file = "" } = params;
    const named = parsePoolFile(file);
    const row =
      named === null
        ? null
        : await findFile(forge.database.db, (await getVersion(opened, named)).version.id, {
            name: file,
            place: placeText(placeOf(params)),
          });
    if (row === null) {
      throw new NotFound("file", clip(file, 80));
    }
    return sendPackageFile(forge, request, row, "application/vnd.debian.binary-package");
  });

  const remove = route(async (request, params) => {
    const opened = await open(request, params, "write");
    const { name = "", version = "", architecture = "" } = params;
    const named = { name, version, architecture };
    const place = placeOf(params);
    const found = await getVersion(opened, named);
    const asked = { name: poolFile(named), place: placeText(place) };
    await forge.change(opened.doer, (work) => deleteFile(work, opened.owner, found, asked));
    await publishIndex(opened.owner.id, place);
    return new Response(null, { status: 204 });
  });

  const sendIndex = route(async (request, params) => {
    const opened = await open(request, params, "read");
    const { distribution: index = "", "*": path = "" } = params;
    const [, digest, hex] = byHash.exec(path) ?? [];
    if (digest === undefined || hex === undefined) {
      return sendIndexFile(forge, request, opened, { type: "debian", index, path }, typeOf(path));
    }
    // Of every generation that is kept: a client that has read one Release gets the files that it names, whatever came since.
    const name = { ownerId: opened.owner.id, type: "debian", name: index } as const;
    const row = await findIndexFileByDigest(forge.database.db, name, {
      digest: digests[digest as keyof typeof digests],
      hash: Buffer.from(hex, "hex"),
      audience: opened.audience,
    });
    return sendIndexRow(forge, request, row, typeOf(row?.path ?? path));
  });

  const sendKey = route(async (request, params) => {
    const { owner } = await open(request, params, "read");
    const { publicKey } = await getKey(owner.id);
    return new Response(request.method === "HEAD" ? null : publicKey, {
      headers: {
        "content-type": "application/pgp-keys",
        "content-disposition": 'attachment; filename="repository.key"',
        "cache-control": "private, no-cache",
      },
    });
  });

  const pool = "/debian/pool/:distribution/:component";
  return new Elysia({ name: "debian" })
    .get("/debian/repository.key", sendKey, raw)
    .head("/debian/repository.key", sendKey, raw)
    .all("/debian/repository.key", route(refuseMethod(["GET", "HEAD"])), raw)
    .put(`${pool}/upload`, upload, raw)
    .all(`${pool}/upload`, route(refuseMethod(["PUT"])), raw)
    .get(`${pool}/:name`, sendPackage, raw)
    .head(`${pool}/:name`, sendPackage, raw)
    .all(`${pool}/:name`, route(refuseMethod(["GET", "HEAD"])), raw)
    .delete(`${pool}/:name/:version/:architecture`, remove, raw)
    .all(`${pool}/:name/:version/:architecture`, route(refuseMethod(["DELETE"])), raw)
    .get("/debian/dists/:distribution/*", sendIndex, raw)
    .head("/debian/dists/:distribution/*", sendIndex, raw)
    .all("/debian/dists/:distribution/*", route(refuseMethod(["GET", "HEAD"])), raw);
}

function typeOf(path: string): string {
  if (path.endsWith(".gz")) {
    return "application/gzip";
  }
  return path.endsWith(".gpg") ? "application/pgp-signature" : "text/plain; charset=utf-8";
}
