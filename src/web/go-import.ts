import type { Forge } from "../domain/spine/forge.ts";
import { html } from "./html.ts";

const name = /^[A-Za-z0-9_.-]{1,100}$/;

/**
 * Answers the question of `go` where the code of an import path is: `go` requests the path itself with `?go-get=1`.
 * Undefined for any other request. Every repository's address is answered alike, whether there is one or not: only
 * git's own answer tells. Source: the Go modules reference, "Finding a repository for a module path".
 */
export function goImportResponse(forge: Forge, request: Request): Response | undefined {
  const { pathname, searchParams } = new URL(request.url);
  const [, owner = "", repository = ""] = pathname.split("/");
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || searchParams.get("go-get") !== "1" || !name.test(owner) || !name.test(repository)) {
    return undefined;
  }
  const bare = repository.replace(/\.git$/, "");
  const base = new URL(forge.addresses.base);
  const path = `${base.hostname}${base.pathname.replace(/\/$/, "")}/${owner}/${repository}`;
  const page = html`<!doctype html><html><head><meta name="go-import" content="${path} git ${forge.addresses.clone(owner, bare)}"></head><body>go get ${path}</body></html>`;
  return new Response(request.method === "HEAD" ? null : page.text, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
