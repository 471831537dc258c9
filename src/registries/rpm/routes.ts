import { Elysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { deleteFile } from "../../domain/packages/edit-package.ts";
import { editStanzas } from "../../domain/packages/edit-stanzas.ts";
import { findIndexFile, findIndexFileByDigest, listStanzas } from "../../domain/packages/index-queries.ts";
import { findFile, findVersion, listFiles, type FileRow, type FoundVersion } from "../../domain/packages/queries.ts";
import { readJson } from "../../http/json-body.ts";
import { notModified } from "../../http/not-modified.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip, showValue } from "../../lib/show-value.ts";
import type { PackageReader } from "../package-reader.ts";
import { openPackages, type OpenedPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { RegistryRefusal } from "../shared/refusals.ts";
import { prepareRoute, refuseMethod, type RegistryParams } from "../shared/route.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { sendIndexFile, sendIndexRow } from "../shared/send-index-file.ts";
import {
  addAdvisories,
  mergeAdvisories,
  parseAdvisories,
  readAdvisories,
  writeAdvisories,
  type Advisory,
} from "./errata.ts";
import { advisoriesPart, rpmKey } from "./index.ts";
import { parseRpmPath, type RpmPath } from "./paths.ts";
import { preparePublishRpm, type RpmFileMetadata } from "./publish-rpm.ts";
import { repoFile } from "./repo-file.ts";

type PathOf<What extends RpmPath["what"]> = Extract<RpmPath, { what: What }>;
type Handle<Path> = (request: Request, params: RegistryParams, path: Path) => Promise<Response>;
/** The methods of one kind of address. HEAD is as GET. */
type Methods<Path> = Readonly<Partial<Record<"GET" | "PUT" | "POST" | "DELETE", Handle<Path>>>>;

const noContent = () => new Response(null, { status: 204 });
const plainText = "text/plain; charset=utf-8";
const mostErrataBytes = 4 * 1024 * 1024;
/** The generations of which clients have read repomd.xml: about 10,000 of them. */
const rememberedBytes = 2 * 1024 * 1024;
/** The number of no generation. */
const none = 0;

const indexOf = ({ owner }: OpenedPackages, group: string) => ({
  ownerId: owner.id,
  type: "rpm" as const,
  name: group,
});

/** The registry of rpm packages: README.md has the addresses. */
export function rpmRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const publish = preparePublishRpm(forge, packages);
  const served = new ByteCache<number>(rememberedBytes);
  const { db } = forge.database;

  const open = (request: Request, params: RegistryParams, level: "read" | "write") =>
    openPackages(forge, request, params["owner"] ?? "", level);
  const rootOf = ({ owner }: OpenedPackages) => forge.addresses.packages(owner.name, "rpm");

  async function getVersion(
    { owner, viewer }: OpenedPackages,
    { name, version }: { name: string; version: string },
  ): Promise<FoundVersion> {
    const found = await findVersion(db, viewer, owner.id, { type: "rpm", name, version });
    if (found === null) {
      throw new NotFound("version of a package", clip(`${name}/${version}`, 80));
    }
    return found;
  }

  const key: Methods<PathOf<"key">> = {
    GET: async (request, params) => {
      const { owner } = await open(request, params, "read");
      const { publicKey } = await rpmKey(forge.packageKeys, owner.id, (name) => packages.makePair(name));
      return sendText(request, publicKey, "application/pgp-keys");
    },
  };

  const repo: Methods<PathOf<"repo">> = {
    GET: async (request, params, { group }) => {
      const opened = await open(request, params, "read");
      return sendText(request, repoFile(opened.owner.name, group, rootOf(opened)), plainText);
    },
  };

  const upload: Methods<PathOf<"upload">> = {
    PUT: async (request, params, { group }) => {
      const { owner, doer } = await open(request, params, "write");
      const isToBeSigned = readFlag(request, "sign");
      await using blob = await receive(request);
      await publish(owner, doer, { group, blob, isToBeSigned }, request.signal);
      return new Response(null, { status: 201 });
    },
  };

  const fileAt = ({ group, name, version, arch }: PathOf<"package">) => ({
    name: `${name}-${version}.${arch}.rpm`,
    place: group,
  });

  const file: Methods<PathOf<"package">> = {
    GET: async (request, params, path) => {
      const opened = await open(request, params, "read");
      const { version } = await getVersion(opened, path);
      const asked = fileAt(path);
      const row = await findFile(db, version.id, asked);
      if (row === null) {
        throw new NotFound("file", clip(asked.name, 80));
      }
      return sendPackageFile(forge, request, row, "application/x-rpm");
    },
    DELETE: async (request, params, path) => {
      const opened = await open(request, params, "write");
      const found = await getVersion(opened, path);
      await forge.change(opened.doer, (work) => deleteFile(work, opened.owner, found, fileAt(path)));
      await forge.packageIndexes.settle(indexOf(opened, path.group));
      return noContent();
    },
  };

  /** A list of any generation that is kept. */
  async function findListRow(opened: OpenedPackages, { group, file: path }: PathOf<"index">, sha256: string) {
    const asked = { digest: "sha256", hash: Buffer.from(sha256, "hex"), audience: opened.audience } as const;
    const found = await findIndexFileByDigest(db, indexOf(opened, group), asked);
    return found?.path === path ? found : null;
  }

  /** The same client's repomd.xml and its signature are of one generation, whatever is published between its two requests. */
  async function findRepomdRow(request: Request, opened: OpenedPackages, { group, file: path }: PathOf<"index">) {
    const { audience } = opened;
    const name = indexOf(opened, group);
    const client = `${remoteAddressOf(request)} ${name.ownerId} ${audience} ${group}`;
    const generation = path === "repomd.xml" ? undefined : served.get(client);
    const row =
      (generation === undefined ? null : await findIndexFile(db, name, { path, audience, generation })) ??
      (await findIndexFile(db, name, { path, audience }));
    if (path === "repomd.xml") {
      served.set(client, row?.generation ?? none, 8);
    }
    return row;
  }

  const index: Methods<PathOf<"index">> = {
    GET: async (request, params, path) => {
      const opened = await open(request, params, "read");
      const type = contentTypeOf(path.file);
      if (path.sha256 !== null) {
        return sendIndexRow(forge, request, await findListRow(opened, path, path.sha256), type);
      }
      if (path.file === "repomd.xml" || path.file === "repomd.xml.asc") {
        return sendIndexRow(forge, request, await findRepomdRow(request, opened, path), type);
      }
      return sendIndexFile(forge, request, opened, { type: "rpm", index: path.group, path: path.file }, type);
    },
  };

  const errata: Methods<PathOf<"errata">> = {
    GET: async (request, params, path) => {
      const advisories = await readErrata(await open(request, params, "read"), path);
      return Response.json(path.id === null ? advisories : advisories[0], { headers: { "cache-control": "no-store" } });
    },
    POST: async (request, params, path) => {
      const opened = await open(request, params, "write");
      if (path.id !== null) {
        throw new RegistryRefusal(405, "POST is not possible here", { allow: "GET, HEAD, DELETE" });
      }
      const added = await readAdvisories(await readJson(forge.json, request, mostErrataBytes), new Date());
      await editErrata(opened, path, (row, before) => addAdvisories(before, added, packageOf(path.name, row)));
      return new Response(null, { status: 201 });
    },
    DELETE: async (request, params, path) => {
      const opened = await open(request, params, "write");
      await readErrata(opened, path);
      await editErrata(opened, path, (_, before) => before.filter(({ id }) => path.id !== null && id !== path.id));
      return noContent();
    },
  };

  /** The advisories of a version in a group, or the one that is asked for. Throws NotFound. */
  async function readErrata(opened: OpenedPackages, { group, id, ...named }: PathOf<"errata">): Promise<Advisory[]> {
    const { version } = await getVersion(opened, named);
    const files = (await listFiles(db, version.id)).filter(({ place }) => place === group);
    if (files.length === 0) {
      throw new NotFound("version of a package", clip(`${named.name}/${named.version}`, 80));
    }
    const stanzas = await listStanzas(db, { versionId: version.id, indexName: group, part: advisoriesPart });
    const found = new Map<string, Advisory>();
    for (const advisory of [...stanzas.values()].flatMap(parseAdvisories)) {
      const before = found.get(advisory.id);
      found.set(advisory.id, before === undefined ? advisory : mergeAdvisories(before, advisory));
    }
    const asked = [...found.values()].filter((advisory) => id === null || advisory.id === id);
    if (id !== null && asked.length === 0) {
      throw new NotFound("advisory", clip(id, 80));
    }
    return asked;
  }

  async function editErrata(
    opened: OpenedPackages,
    { group, name, version }: PathOf<"errata">,
    edit: (row: FileRow, before: Advisory[]) => Advisory[],
  ): Promise<void> {
    const found = await getVersion(opened, { name, version });
    const place = { indexName: group, part: advisoriesPart };
    await forge.change(opened.doer, (work) =>
      editStanzas(work, opened.owner, found, group, place, (row, before) =>
        writeAdvisories(edit(row, parseAdvisories(before))),
      ),
    );
    await forge.packageIndexes.settle(indexOf(opened, group));
  }

  const handlers = { key, repo, upload, package: file, index, errata };

  const answer = async (request: Request, params: RegistryParams, path: RpmPath | null): Promise<Response> => {
    if (path === null) {
      throw new RegistryRefusal(404, "The RPM registry has nothing at this address");
    }
    const methods = handlers[path.what] as Methods<RpmPath>;
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handle = Object.hasOwn(methods, method) ? methods[method as keyof typeof methods] : undefined;
    if (handle === undefined) {
      const allowed = Object.keys(methods).flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each]));
      return refuseMethod(allowed)(request, params);
    }
    return handle(request, params, path);
  };

  const raw = { parse: "none" } as const;
  return new Elysia({ name: "rpm" })
    .all(
      "/rpm.repo",
      route(async (request, params) => answer(request, params, { what: "repo", group: "" })),
      raw,
    )
    .all(
      "/rpm/*",
      route(async (request, params) => answer(request, params, parseRpmPath(params["*"] ?? ""))),
      raw,
    );
}

/** Throws InvalidInput, so that no client believes a package signed that is not. */
function readFlag(request: Request, name: string): boolean {
  const value = new URL(request.url).searchParams.get(name);
  if (value !== null && !["true", "1", "false", "0"].includes(value)) {
    throw new InvalidInput(`${name} is ${showValue(value)}, and may be true or false`, name);
  }
  return value === "true" || value === "1";
}

function contentTypeOf(file: string): string {
  return file.endsWith(".gz")
    ? "application/gzip"
    : file.endsWith(".asc")
      ? "application/pgp-signature"
      : file.endsWith(".key")
        ? "application/pgp-keys"
        : "text/xml; charset=utf-8";
}

function packageOf(name: string, row: FileRow) {
  const { epoch, version, release, arch, sourceRpm } = row.metadata as unknown as RpmFileMetadata;
  return { name, version, release, epoch: String(epoch), arch, src: sourceRpm, filename: row.name };
}

/** A small text, with an ETag. */
function sendText(request: Request, text: string, contentType: string): Response {
  const headers: Record<string, string> = { "content-type": contentType, "x-content-type-options": "nosniff" };
  const etag = `"${new Bun.CryptoHasher("sha256").update(text).digest("hex")}"`;
  const unchanged = notModified(request, etag, headers);
  const isHead = request.method === "HEAD";
  return (
    unchanged ??
    new Response(isHead ? null : text, {
      headers: isHead ? { ...headers, "content-length": String(Buffer.byteLength(text)) } : headers,
    })
  );
}
