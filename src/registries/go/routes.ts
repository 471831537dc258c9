import { Elysia } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { latestVersion } from "../../domain/go-modules/semver.ts";
import { findNameOfVersion } from "../../domain/packages/version-queries.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { archiveLimits } from "../shared/inflate.ts";
import { openPackages } from "../shared/open-packages.ts";
import { prepareReceiveFile } from "../shared/receive-file.ts";
import { prepareRoute, refuseMethod } from "../shared/route.ts";
import { checkModuleZip } from "./check-module-zip.ts";
import { parseModuleAddress, type ModuleQuestion } from "./module-address.ts";
import type { ModuleSource } from "./module-source.ts";
import { findUploadedModule, zipName, type ZipMetadata } from "./uploaded-module.ts";

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
export function goRoutes(forge: Forge) {
  const route = prepareRoute(forge);
  const receive = prepareReceiveFile(forge);
  const limits = archiveLimits(forge);
  const raw = { parse: "none" } as const;

  const upload = route(async (request, params) => {
    const { owner, doer } = await openPackages(forge, request, params["owner"] ?? "", "write");
    await using blob = await receive(request);
    const { module, version, goMod } = await checkModuleZip(blob.content, limits);
    const metadata: ZipMetadata = { goMod };
    await forge.change(doer, { blobs: [blob] }, async (work) => {
      const name = { type: "go" as const, name: module, version };
      const row = await publishFile(work, owner, name, { name: zipName(version), blob, metadata: { ...metadata } });
      const stored = await findNameOfVersion(work.tx, row.versionId);
      if (stored !== null && stored !== module) {
        throw new ModuleDiffersInCase(module, stored);
      }
    });
    return new Response(null, { status: 201 });
  });

  const serve = route(async (request, params) => {
    const path = params["*"] ?? "";
    const address = parseModuleAddress(path);
    const opened = await openPackages(forge, request, params["owner"] ?? "", "read");
    const source = address === null ? null : await findUploadedModule(forge, opened, address.module);
    const answer = address === null || source === null ? null : await answerQuestion(request, source, address.asked);
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
  source: ModuleSource,
  { what, version: asked }: ModuleQuestion,
): Promise<Response | null> {
  if (what === "list") {
    const versions = await source.list();
    return versions.length === 0 ? null : text(versions.map((version) => `${version}\n`).join(""));
  }
  const version = asked ?? latestVersion(await source.list());
  const found = version === null ? null : await source.find(version);
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

const headers = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };

function text(body: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}
