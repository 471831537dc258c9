import type { swagger as plugin } from "@elysiajs/swagger";
import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import { version } from "swagger-ui-dist/package.json";
import { StithyError } from "../../lib/errors.ts";
import type { OpenApiDocument } from "./types.ts";

/** The page's assets: they come from this server, since it may have no way to any other. Names change with the version. */
export const pageAssets = [
  { name: `swagger-ui-${version}.js`, path: scriptPath, contentType: "text/javascript;charset=utf-8" },
  { name: `swagger-ui-${version}.css`, path: stylePath, contentType: "text/css;charset=utf-8" },
] as const;

const [script, style] = pageAssets;

export interface DocumentationPage {
  html: string;
  /** For this page: nothing but its own script and style, and requests to this server. */
  contentSecurityPolicy: string;
  /** The OpenAPI document as JSON. */
  json: string;
}

/** A new version of the plugin writes its page in another way than the one this was made for. */
class UnexpectedPage extends StithyError {
  constructor(what: string) {
    super("fault", "unexpected-page", `The page of @elysiajs/swagger does not contain ${what} exactly once`);
  }
}

function findOnce(html: string, pattern: RegExp, what: string): string {
  const [match, ...more] = html.matchAll(pattern);
  if (match?.[1] === undefined || more.length > 0) {
    throw new UnexpectedPage(what);
  }
  return match[1];
}

type Documentation = NonNullable<NonNullable<Parameters<typeof plugin>[0]>["documentation"]>;

/**
 * The page and the document's text, as the plugin makes them. The plugin takes the address of the style from us, but
 * its script it always loads from a CDN, so that one address is replaced. Throws UnexpectedPage.
 */
export async function renderPage(document: OpenApiDocument, basePath: string): Promise<DocumentationPage> {
  const assets = `${basePath}/api/swagger/assets`;
  const options = {
    url: `${basePath}/api/swagger/json`,
    deepLinking: true,
    docExpansion: "none" as const,
    filter: true,
    displayRequestDuration: true,
    validatorUrl: "none",
  };
  // It takes longer to load than most of what a start does, and most servers never show the page.
  const { swagger } = await import("@elysiajs/swagger");
  const pages = new Elysia().use(
    swagger({
      provider: "swagger-ui",
      documentation: document as unknown as Documentation,
      theme: `${assets}/${style.name}`,
      autoDarkMode: false,
      swaggerOptions: options,
    }),
  );
  const text = async (path: string): Promise<string> =>
    (await pages.handle(new Request(`http://localhost${path}`))).text();
  const original = await text("/swagger");
  const outside = findOnce(original, /<script src="(https:[^"]+)"/g, "a script from a CDN");
  const html = original.replace(outside, `${assets}/${script.name}`);
  const inline = findOnce(html, /<script>([^]*?)<\/script>/g, "an inline script");
  const hash = createHash("sha256").update(inline).digest("base64");
  return {
    html,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      // Swagger UI sets style attributes.
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    json: await text("/swagger/json"),
  };
}
