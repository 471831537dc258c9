import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { apiRoutes } from "../../src/api/index.ts";
import { productDocument, forgeWithoutLimits } from "./product-document.ts";

const base = "http://forge.example";
const api = apiRoutes(forgeWithoutLimits(base));
const get = (path: string, headers: Record<string, string> = {}) =>
  api.handle(new Request(`${base}${path}`, { headers }));

describe("the page", () => {
  test("loads everything from this server", async () => {
    const html = await (await get("/api/swagger")).text();
    const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? "");
    expect(addresses.length).toBe(2);
    expect(html).not.toMatch(/https?:\/\//);
    for (const address of addresses) {
      const asset = await get(address);
      expect({ address, status: asset.status }).toEqual({ address, status: 200 });
      expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50_000);
      expect(asset.headers.get("cache-control")).toContain("immutable");
    }
  });

  test("allows its own scripts only", async () => {
    const response = await get("/api/swagger");
    const policy = response.headers.get("content-security-policy") ?? "";
    const inline = /<script>([^]*?)<\/script>/.exec(await response.text())?.[1] ?? "";
    expect(inline).toContain("/api/swagger/json");
    expect(policy).toContain(`script-src 'self' 'sha256-${createHash("sha256").update(inline).digest("base64")}';`);
    expect(policy).toStartWith("default-src 'none';");
    expect(policy).not.toMatch(/https?:|\*/);
  });

  test("stands at the same address with a final slash, and under a path of a proxy", async () => {
    expect((await get("/api/swagger/")).status).toBe(200);
    const proxied = apiRoutes(forgeWithoutLimits("https://example.com/git"));
    const html = await (await proxied.handle(new Request("http://inside.example/api/swagger"))).text();
    expect(html).toContain('"url":"/git/api/swagger/json"');
    expect(html).toContain('src="/git/api/swagger/assets/');
  });
});

describe.each([
  ["/api/swagger/json", "openapi", "3.0.3"],
  ["/swagger.v1.json", "swagger", "2.0"],
])("%s", (path, key, version) => {
  test("is JSON of the version that it says", async () => {
    const response = await get(path);
    expect(response.headers.get("content-type")).toBe("application/json;charset=utf-8");
    const document = (await response.json()) as Record<string, unknown> & { info: { version: string }; paths: object };
    expect(document[key]).toBe(version);
    expect(document.info.version).toBe("1.1.1");
    expect(Object.keys(document.paths)).toEqual(Object.keys(productDocument().paths));
  });

  test("is sent once and then confirmed", async () => {
    const etag = (await get(path)).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await get(path, { "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });
});
