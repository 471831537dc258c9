import { describe, expect, test } from "bun:test";
import { rawRequest } from "../support/raw-request.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ api: { cors_origins: ["https://pages.example"] } });
const alice = await app.user("alice");
await app.repository(alice, "site");
for (let number = 1; number <= 7; number++) {
  await app.repository(alice, `page-${number}`);
}

interface Failure {
  message: string;
  url: string;
}

describe("bodies", () => {
  test.each(["{", "{'a': 1}", "nonsense", '{"name": "x"'])("what is no JSON is 400: %s", async (text) => {
    const { status, body } = await alice.api.request<Failure>("POST", "/user/repos", { body: text });
    expect(status).toBe(400);
    expect(body.message).toStartWith("The body cannot be read: it is not JSON");
    expect(body.url).toBe(`${app.url}/api/swagger`);
  });

  test("what is no UTF-8 is 400", async () => {
    const { status, body } = await alice.api.request<Failure>("POST", "/user/repos", {
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: "The body cannot be read: it is not UTF-8",
    });
  });

  test.each([
    ["[]", "The body"],
    ["7", "The body"],
    ['"text"', "The body"],
    ['{"name": 7}', "name"],
    ['{"name": "x", "private": "no"}', "private"],
    ["{}", "name is required"],
    ["", "name is required"],
  ])("what has the wrong type is 422 and named: %s", async (text, named) => {
    const { status, body } = await alice.api.request<Failure>("POST", "/user/repos", { body: text });
    expect(status).toBe(422);
    expect(body.message).toStartWith(named);
  });

  test("a NUL in a text is refused before the database would", async () => {
    const { status, body } = await alice.api.post<Failure>("/user/repos", { name: "nul", description: "a\0b" });
    expect({ status, message: body.message }).toEqual({ status: 422, message: "description contains a NUL character" });
    expect((await alice.api.post("/user/repos", { name: "no-nul", description: "\\u0000" })).status).toBe(201);
    expect((await app.anonymous.get("/repos/search?q=a%00b")).status).toBe(422);
  });

  test("a type is not asked for", async () => {
    const { status } = await alice.api.request("POST", "/markdown", {
      headers: { "content-type": "text/plain" },
      body: '{"Text":"a"}',
    });
    expect(status).toBe(200);
  });

  test("one that is declared too large is refused unread", async () => {
    const { status, sentBytes } = await rawRequest(
      app.url,
      `POST /api/v1/markdown HTTP/1.1\r\nHost: git\r\nContent-Length: 400000000\r\n\r\n`,
      [],
    );
    expect({ status, sentBytes }).toEqual({ status: 413, sentBytes: 0 });
  });

  test.each([
    ["/markdown/raw", 413, 32],
    ["/user/repos", 401, 32],
  ])("an endless one from nobody is answered early, and takes no memory: %s", async (path, expected, maxMegabytes) => {
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, "a"), Buffer.from("\r\n")]);
    const before = process.memoryUsage.rss();
    const { status, sentBytes } = await rawRequest(
      app.url,
      `POST /api/v1${path} HTTP/1.1\r\nHost: git\r\nTransfer-Encoding: chunked\r\n\r\n`,
      Array.from({ length: 6400 }, () => chunk),
    );
    expect(status).toBe(expected);
    expect(sentBytes).toBeLessThan(maxMegabytes * 1024 * 1024);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
    expect((await app.anonymous.get("/version")).status).toBe(200);
  });
});

describe("addresses", () => {
  test.each(["/nothing", "/repos", "/repos/a/b/nothing/c", "/version/x"])(
    "%s leads nowhere: 404 as JSON",
    async (path) => {
      const { status, body, headers } = await app.anonymous.get<Failure>(path);
      expect({ status, body, type: headers.get("content-type") }).toEqual({
        status: 404,
        body: { message: `There is no address "/api/v1${path}"`, url: `${app.url}/api/swagger` },
        type: "application/json;charset=utf-8",
      });
    },
  );

  test("one slash at the end changes nothing", async () => {
    expect((await app.anonymous.get("/version/")).status).toBe(200);
    expect((await app.anonymous.get("/repos/alice/site/")).status).toBe(200);
    expect((await alice.api.post("/user/repos/", { name: "slashed" })).status).toBe(201);
    expect((await app.anonymous.get("/version//")).status).toBe(404);
  });

  test("%2F is part of its segment", async () => {
    const { status, body } = await app.anonymous.get<Failure>("/repos/alice/a%2Fb");
    expect({ status, message: body.message }).toEqual({ status: 404, message: 'There is no repository "alice/a/b"' });
    expect((await app.anonymous.get("/repos/alice%2Fsite")).status).toBe(404);
  });

  test.each(["/repos/alice/%", "/repos/alice/%zz", "/repos/%e0%a4/site", "/repos/alice/a%00b"])(
    "%s is no address: 400",
    async (path) => {
      const { text, status } = await rawRequest(
        app.url,
        `GET /api/v1${path} HTTP/1.1\r\nHost: git\r\nConnection: close\r\n\r\n`,
      );
      expect(status).toBe(400);
      expect(text).toContain("The address cannot be read");
    },
  );

  test.each(["g", "git", "git:3000", "forge.example.org"])("any host name will do: %s", async (host) => {
    const { status } = await rawRequest(
      app.url,
      `GET /api/v1/repos/alice/site HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(200);
  });
});

describe("methods", () => {
  test("another one on a known address is 405 and told", async () => {
    const { status, headers, body } = await app.anonymous.put<Failure>("/repos/alice/site", {});
    expect({ status, allow: headers.get("allow"), message: body.message }).toEqual({
      status: 405,
      allow: "GET, HEAD, PATCH, DELETE, OPTIONS",
      message: "PUT is not possible on /api/v1/repos/alice/site",
    });
    expect((await app.anonymous.post("/version")).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  test("OPTIONS tells them", async () => {
    const { status, headers, body } = await app.anonymous.request("OPTIONS", "/repos/alice/site");
    expect({ status, body, allow: headers.get("allow") }).toEqual({
      status: 204,
      body: null,
      allow: "GET, HEAD, PATCH, DELETE, OPTIONS",
    });
    expect((await app.anonymous.request("OPTIONS", "/nothing")).status).toBe(404);
  });

  test("HEAD is GET without a body, and refused alike", async () => {
    const get = await app.anonymous.get("/repos/alice/site");
    const head = await app.anonymous.request("HEAD", "/repos/alice/site");
    expect({
      status: head.status,
      body: head.body,
      etag: head.headers.get("etag"),
      type: head.headers.get("content-type"),
    }).toEqual({
      status: 200,
      body: null,
      etag: get.headers.get("etag"),
      type: get.headers.get("content-type"),
    });
    const { text } = await rawRequest(
      app.url,
      `HEAD /api/v1/repos/alice/site HTTP/1.1\r\nHost: ${new URL(app.url).host}\r\nConnection: close\r\n\r\n`,
    );
    expect(text.toLowerCase()).toContain(`content-length: ${JSON.stringify(get.body).length}\r\n`);
    expect((await app.anonymous.request("HEAD", "/repos/alice/nothing")).status).toBe(404);
    expect((await app.anonymous.request("HEAD", "/user")).status).toBe(401);
  });
});

test("no browser takes an answer for anything but its type, nor rendered Markdown for a page with rights", async () => {
  for (const path of [
    "/api/v1/version",
    "/api/v1/nothing",
    "/api/healthz",
    "/nothing",
    "/alice/site/info/refs?service=git-upload-pack",
  ]) {
    expect((await fetch(app.url + path)).headers.get("x-content-type-options")).toBe("nosniff");
  }
  const { headers } = await app.anonymous.request("POST", "/markdown/raw", { body: "*a*" });
  expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
});

describe("CORS", () => {
  test("a listed origin may read, and learns of the headers", async () => {
    const { headers } = await app.anonymous.get("/version", { origin: "https://pages.example" });
    expect(headers.get("access-control-allow-origin")).toBe("https://pages.example");
    expect(headers.get("access-control-expose-headers")).toContain("X-Total-Count");
    expect(headers.get("vary")).toContain("origin");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("answers to other origins vary too", async () => {
    const { headers } = await app.anonymous.get("/version", { origin: "https://other.example" });
    expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([null, "origin"]);
    expect((await app.anonymous.get("/version")).headers.get("vary")).toBe("origin");
  });

  test("a preflight is answered", async () => {
    const { status, headers } = await app.anonymous.request("OPTIONS", "/repos/alice/site", {
      headers: {
        origin: "https://pages.example",
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(headers.get("access-control-allow-headers")).toContain("Authorization");
  });

  test("another origin is not allowed", async () => {
    const { headers } = await app.anonymous.get("/version", { origin: "https://evil.example" });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("ETag", () => {
  test("answers 304 until something changes", async () => {
    const first = await alice.api.get("/repos/alice/site");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, body, headers } = await alice.api.get("/repos/alice/site", { "if-none-match": sent });
      expect({ status, body, etag: headers.get("etag") }).toEqual({ status: 304, body: null, etag });
    }
    await alice.api.patch("/repos/alice/site", { description: "changed" });
    expect((await alice.api.get("/repos/alice/site", { "if-none-match": etag })).status).toBe(200);
  });

  test("differs by who asks, and is not for shared caches", async () => {
    const mine = await alice.api.get("/repos/alice/site");
    const theirs = await app.anonymous.get("/repos/alice/site");
    expect(mine.headers.get("etag")).not.toBe(theirs.headers.get("etag"));
    expect(mine.headers.get("cache-control")).toBe("private, no-cache");
  });

  test("is not given for failures", async () => {
    expect((await app.anonymous.get("/repos/alice/nothing")).headers.get("etag")).toBeNull();
  });
});

describe("lists", () => {
  const links = (headers: Headers) =>
    Object.fromEntries(
      (headers.get("link") ?? "")
        .split(", ")
        .filter(Boolean)
        .map((link) => [/rel="(\w+)"/.exec(link)?.[1], redact(/<([^>]*)>/.exec(link)?.[1])]),
    );

  test("come in pages with their neighbours' addresses and the filters kept", async () => {
    const { headers, body } = await app.anonymous.get<unknown[]>("/repos/search?q=page&sort=id&limit=3&page=2");
    expect((body as unknown as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual([
      "page-4",
      "page-5",
      "page-6",
    ]);
    expect(headers.get("x-total-count")).toBe("7");
    const at = (page: number) => `<url>/api/v1/repos/search?q=page&sort=id&limit=3&page=${page}`;
    expect(links(headers)).toEqual({ first: at(1), prev: at(1), next: at(3), last: at(3) });
  });

  test("have no next after the last, and no previous before the first", async () => {
    expect(
      Object.keys(links((await app.anonymous.get("/repos/search?q=page&limit=3&page=3")).headers)).toSorted(),
    ).toEqual(["first", "prev"]);
    expect(Object.keys(links((await app.anonymous.get("/repos/search?q=page&limit=3")).headers)).toSorted()).toEqual([
      "last",
      "next",
    ]);
    expect((await app.anonymous.get("/repos/search?q=page")).headers.get("link")).toBeNull();
  });

  test("are empty beyond the last page", async () => {
    for (const page of ["1000000", "9007199254740991"]) {
      const { status, body, headers } = await app.anonymous.get(`/repos/search?q=page&page=${page}`);
      expect({ status, body, total: headers.get("x-total-count") }).toEqual({
        status: 200,
        body: { ok: true, data: [] },
        total: "7",
      });
    }
    const { headers } = await app.anonymous.get("/repos/search?q=page&limit=3&page=99");
    const at = (page: number) => `<url>/api/v1/repos/search?q=page&limit=3&page=${page}`;
    expect(links(headers)).toEqual({ first: at(1), prev: at(3) });
  });

  test("are clamped to 50, and 30 long where nothing sensible is asked for", async () => {
    await app.forge.database.sql`insert into repository (owner_id, name, lower_name, default_branch)
      select ${alice.id}, 'bulk-' || n, 'bulk-' || n, 'main' from generate_series(1, 60) n`;
    const lengthOf = async (query: string) =>
      (await app.anonymous.get<unknown[]>(`/users/alice/repos?${query}`)).body.length;
    expect([
      await lengthOf(""),
      await lengthOf("limit=0"),
      await lengthOf("limit=-1"),
      await lengthOf("limit=50"),
      await lengthOf("limit=500"),
    ]).toEqual([30, 30, 30, 50, 50]);
  });
});

test("every answer has an id of its own that the log has too", async () => {
  const ids = await Promise.all(
    ["/version", "/nothing", "/user"].map(async (path) => (await app.anonymous.get(path)).headers.get("x-request-id")),
  );
  expect(new Set(ids).size).toBe(3);
});
