import { createHash } from "node:crypto";
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import { version } from "swagger-ui-dist/package.json";
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
}

/** The page of Swagger UI that shows the document at `basePath`/api/swagger/json. */
export function renderPage(document: OpenApiDocument, basePath: string): DocumentationPage {
  const assets = `${basePath}/api/swagger/assets`;
  const options = JSON.stringify({
    url: `${basePath}/api/swagger/json`,
    dom_id: "#swagger-ui",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    displayRequestDuration: true,
    validatorUrl: "none",
  });
  const inline = `window.onload = () => { window.ui = SwaggerUIBundle(${options}); };`;
  const hash = createHash("sha256").update(inline).digest("base64");
  return {
    html: `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="stylesheet" href="${assets}/${style.name}">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${assets}/${script.name}"></script>
<script>${inline}</script>
</body>
</html>
`,
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
  };
}
