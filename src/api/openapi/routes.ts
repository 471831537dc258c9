import { Elysia } from "elysia";
import type { Forge } from "../../domain/spine/forge.ts";
import { bytes } from "../common/reply.ts";
import { answer } from "../common/respond.ts";
import { describeApi, type Route } from "./describe-api.ts";
import { pageAssets, renderPage, type DocumentationPage } from "./page.ts";
import { toSwagger2 } from "./to-swagger2.ts";

const jsonType = "application/json;charset=utf-8";
const hardening = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
/** All callers get the same document. Clients ask again, since an update may change it. */
const documentCaching = "public, no-cache";

interface Documents extends DocumentationPage {
  swagger2: string;
}

/**
 * The API's description: a page, OpenAPI 3.0 and Swagger 2.0, from what the routes declare.
 * Made on the first request, when the server's public address is known, and kept.
 */
export function openApiRoutes(forge: Forge, routes: readonly Route[]) {
  let documents: Promise<Documents> | null = null;

  async function make(): Promise<Documents> {
    const basePath = new URL(forge.addresses.base).pathname.replace(/\/$/, "");
    const document = describeApi(routes, basePath);
    return { ...(await renderPage(document, basePath)), swagger2: JSON.stringify(toSwagger2(document)) };
  }

  const get = (): Promise<Documents> => (documents ??= make());
  const headers = { ...hardening, "cache-control": documentCaching };

  const app = new Elysia()
    .get("/api/swagger", async ({ request }) => {
      const { html, contentSecurityPolicy } = await get();
      return answer(forge, request, () =>
        bytes(html, "text/html;charset=utf-8", {
          headers: { ...headers, "content-security-policy": contentSecurityPolicy },
        }),
      );
    })
    .get("/api/swagger/json", ({ request }) =>
      answer(forge, request, async () => bytes((await get()).json, jsonType, { headers })),
    )
    .get("/swagger.v1.json", ({ request }) =>
      answer(forge, request, async () => bytes((await get()).swagger2, jsonType, { headers })),
    );
  for (const { name, path, contentType } of pageAssets) {
    // The name holds the version, so what it names never changes.
    const assetHeaders = {
      ...hardening,
      "content-type": contentType,
      "cache-control": "public, max-age=31536000, immutable",
    };
    app.get(`/api/swagger/assets/${name}`, () => new Response(Bun.file(path), { headers: assetHeaders }));
  }
  return app;
}
