import { Elysia } from "elysia";
import { aboutPackage } from "../../domain/packages/about.ts";
import { requiredBy } from "../../domain/packages/go-modules/go-mod.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { latestVersion } from "../../domain/packages/go-modules/semver.ts";
import { findNameOfVersion } from "../../domain/packages/version-queries.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { PackageReader } from "../package-reader.ts";
import { archiveLimits } from "../shared/inflate.ts";
import { openPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod } from "../shared/route.ts";
import { parseModuleAddress, type ModuleQuestion } from "./module-address.ts";
import type { ModuleSource, ModuleVersion } from "./module-source.ts";
import { findTaggedModule } from "./tagged-module.ts";
import { findUploadedModule, goModIn, zipName, type ZipMetadata } from "./uploaded-module.ts";

/** The owner has a module whose path differs in nothing but case. */
class ModuleDiffersInCase extends StithyError {
  constructor(module: string, other: string) {
    super(
      "conflict",
      "module-differs-in-case",
      `The path "${clip(module, 80)}" differs only in case from "${clip(other, 80)}"`,
    );
  }
}

/** The registry of Go modules: README.md has the addresses. */
export function goRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const limits = archiveLimits(forge);
  const raw = { parse: "none" } as const;

  const upload = route(async (request, params) => {
    const { owner, doer } = await openPackages(forge, request, params["owner"] ?? "", "write");
    await using blob = await receive(request);
    const { module, version, goMod } = await packages.read(request.signal, "go", blob.content, limits);
    const metadata: ZipMetadata = { goMod };
    const required = goMod === null ? [] : requiredBy(await goModIn(blob.content, goMod));
    const about = aboutPackage({ relations: [{ kind: "require", names: required }] });
    await forge.change(doer, { blobs: [blob] }, async (work) => {
      const name = { type: "go" as const, name: module, version };
      const file = { name: zipName(version), blob, about, metadata: { ...metadata } };
      const row = await publishFile(work, owner, name, file);
      const stored = await findNameOfVersion(work.tx, row.versionId);
      if (stored !== null && stored !== module) {
        throw new ModuleDiffersInCase(module, stored);
      }
    });
    return new Response(null, { status: 201 });
  });

  /** The module as it was uploaded, and as tags of a repository have it: who may read the code needs no more than that. */
  async function findSources(request: Request, ownerName: string, module: string): Promise<ModuleSource[]> {
    const opened = await openPackages(forge, request, ownerName, "read").catch((error: unknown) => {
      if (error instanceof NotFound || error instanceof Forbidden) {
        return error;
      }
      throw error;
    });
    const tagged = await findTaggedModule(forge, request, ownerName, module);
    if (opened instanceof Error) {
      if (tagged === null) {
        throw opened;
      }
      return [tagged];
    }
    const uploaded = await findUploadedModule(forge, opened, module);
    return [uploaded, tagged].filter((source) => source !== null);
  }

  const serve = route(async (request, params) => {
    const path = params["*"] ?? "";
    const address = parseModuleAddress(path);
    const sources =
      address === null
        ? await openPackages(forge, request, params["owner"] ?? "", "read").then(() => [])
        : await findSources(request, params["owner"] ?? "", address.module);
    const answer = address === null ? null : await answerQuestion(request, sources, address.asked);
    if (answer === null) {
      throw new NotFound("module or version of a module", clip(path, 80));
    }
    return answer;
  });

  return new Elysia({ name: "go" })
    .put("/go/upload", upload, raw)
    .get("/go/*", serve, raw)
    .head("/go/*", serve, raw)
    .all("/go/upload", route(refuseMethod(["PUT"])), raw)
    .all("/go/*", route(refuseMethod(["GET", "HEAD"])), raw);
}

/** Null where there is no such version. */
async function answerQuestion(
  request: Request,
  sources: readonly ModuleSource[],
  { what, version: asked }: ModuleQuestion,
): Promise<Response | null> {
  const list = async () => [...new Set((await Promise.all(sources.map((source) => source.list()))).flat())];
  if (what === "list") {
    const versions = await list();
    return versions.length === 0 ? null : text(versions.map((version) => `${version}\n`).join(""));
  }
  const version = asked ?? latestVersion(await list());
  const found = version === null ? null : await findFirst(sources, version);
  if (found === null) {
    return null;
  }
  switch (what) {
    case "info":
      return Response.json({ Version: found.version, Time: found.time.toISOString() }, { headers });
    case "mod":
      return text(await found.goMod());
    case "zip":
      return found.sendZip(request);
  }
}

/** An uploaded version comes before a tag of the same version. */
async function findFirst(sources: readonly ModuleSource[], version: string): Promise<ModuleVersion | null> {
  for (const source of sources) {
    const found = await source.find(version);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

const headers = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };

function text(body: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}
