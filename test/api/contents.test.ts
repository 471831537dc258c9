import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

interface Entry {
  name: string;
  path: string;
  sha: string;
  type: string;
  size: number;
  content: string | null;
  target: string | null;
  submodule_git_url: string | null;
  last_commit_sha: string;
  download_url: string | null;
}

const app = await useTestApp();
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());

const oddNames = [
  "with space.txt",
  "grün/straße ✓.txt",
  "100%25.txt",
  "a#b?c&d.txt",
  "plus+sign.txt",
  "semi;colon,comma.txt",
  "quote'\".txt",
  "-dash",
  "new\nline.txt",
];
const binary = Uint8Array.from({ length: 3000 }, (_, index) => (index * 7) & 0xff);
let alice: TestUser;
let first = "";
let second = "";
const base = "/repos/alice/files";
const encode = (path: string) => path.split("/").map(encodeURIComponent).join("/");

beforeAll(async () => {
  alice = await app.user("alice");
  await app.repository(alice, "files");
  for (const name of oddNames) {
    await work.write(name, `I am ${name}\n`);
  }
  await work.write("README.md", "# Files\n");
  await work.write("docs/guide/one.md", "one\n");
  await work.write("binary.bin", binary);
  await work.write("large.txt", "0123456789\n".repeat(30_000));
  await work.write("page.html", "<script>alert(1)</script>\n");
  await work.link("link", "docs/guide/one.md");
  await work.write(".gitmodules", '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.com/lib.git\n');
  await work.submodule("vendor/lib", "1".repeat(40));
  first = await work.commit("first");
  await work.git("tag", "v1");
  await work.write("docs/guide/one.md", "one, again\n");
  await work.write("docs/two.md", "two\n");
  second = await work.commit("second");
  await work.push(`${app.url}/alice/files.git`, alice.token, "main", "v1");
});

describe("who may read", () => {
  test("a private repository answers like one that does not exist, and reveals nothing by its files", async () => {
    await app.repository(alice, "secret", { private: true, auto_init: true });
    for (const path of [
      "contents",
      "contents/README.md",
      "raw/README.md",
      "media/README.md",
      "commits",
      "branches",
      "tags",
      "git/refs",
      "git/trees/main",
    ]) {
      for (const client of [app.anonymous, (await stranger()).api]) {
        const hidden = await client.get<{ message: string }>(`/repos/alice/secret/${path}`);
        const missing = await client.get<{ message: string }>(`/repos/alice/nothing/${path}`);
        expect([path, hidden.status]).toEqual([path, 404]);
        expect(hidden.body.message.replaceAll("secret", "nothing")).toBe(missing.body.message);
      }
    }
    expect((await alice.api.get("/repos/alice/secret/contents/README.md")).status).toBe(200);
  });

  test("a token needs the scope", async () => {
    const client = await app.scoped(alice, "read:user");
    expect((await client.get(`${base}/contents`)).status).toBe(403);
    expect((await client.get(`${base}/raw/README.md`)).status).toBe(403);
  });
});

let bob: TestUser | null = null;
async function stranger(): Promise<TestUser> {
  bob ??= await app.user("bob");
  return bob;
}

describe("a file", () => {
  test("whole, with its content and addresses", async () => {
    const { status, body, headers } = await app.anonymous.get(`${base}/contents/docs/guide/one.md`);
    expect(status).toBe(200);
    expect(headers.get("etag")).toBeTruthy();
    expect(redact(body)).toEqual({
      name: "one.md",
      path: "docs/guide/one.md",
      sha: await work.git("rev-parse", "HEAD:docs/guide/one.md"),
      last_commit_sha: second,
      last_commit_when: "<time>",
      type: "file",
      size: 11,
      encoding: "base64",
      content: btoa("one, again\n"),
      target: null,
      url: "<url>/api/v1/repos/alice/files/contents/docs/guide/one.md?ref=main",
      html_url: "<url>/alice/files/src/branch/main/docs/guide/one.md",
      git_url: `<url>/api/v1/repos/alice/files/git/blobs/${await work.git("rev-parse", "HEAD:docs/guide/one.md")}`,
      download_url: "<url>/api/v1/repos/alice/files/raw/docs/guide/one.md?ref=main",
      submodule_git_url: null,
      _links: {
        self: "<url>/api/v1/repos/alice/files/contents/docs/guide/one.md?ref=main",
        git: `<url>/api/v1/repos/alice/files/git/blobs/${await work.git("rev-parse", "HEAD:docs/guide/one.md")}`,
        html: "<url>/alice/files/src/branch/main/docs/guide/one.md",
      },
    });
    const again = await app.anonymous
      .with({ "if-none-match": headers.get("etag") ?? "" })
      .get(`${base}/contents/docs/guide/one.md`);
    expect(again.status).toBe(304);
  });

  test("at a branch, a tag, a commit and the first digits of one", async () => {
    for (const [ref, content] of [
      ["main", "one, again\n"],
      ["v1", "one\n"],
      ["refs/tags/v1", "one\n"],
      [first, "one\n"],
      [first.slice(0, 8), "one\n"],
    ] as const) {
      const { body } = await app.anonymous.get<Entry>(
        `${base}/contents/docs/guide/one.md?ref=${encodeURIComponent(ref)}`,
      );
      expect([ref, atob(body.content ?? "")]).toEqual([ref, content]);
    }
    expect((await app.anonymous.get(`${base}/contents/README.md?ref=nothing`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/contents/docs/none.md`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/contents/README.md/below`)).status).toBe(404);
  });

  test("with an odd name, at the addresses that the listing gives", async () => {
    for (const path of oddNames) {
      const { status, body } = await app.anonymous.get<Entry>(`${base}/contents/${encode(path)}`);
      expect([path, status]).toEqual([path, 200]);
      expect([body.path, Buffer.from(body.content ?? "", "base64").toString()]).toEqual([path, `I am ${path}\n`]);
      const raw = await fetch(body.download_url ?? "");
      expect([path, raw.status, await raw.text()]).toEqual([path, 200, `I am ${path}\n`]);
    }
    expect((await app.anonymous.get<Entry>(`${base}/contents/docs%2Fguide%2Fone.md`)).body.path).toBe(
      "docs/guide/one.md",
    );
  });

  test("that is a link, a submodule or binary", async () => {
    const link = await app.anonymous.get<Entry>(`${base}/contents/link`);
    expect(link.body).toMatchObject({ type: "symlink", target: "docs/guide/one.md", content: null });
    const module = await app.anonymous.get<Entry>(`${base}/contents/vendor/lib`);
    expect(module.body).toMatchObject({
      type: "submodule",
      submodule_git_url: "https://example.com/lib.git",
      sha: "1".repeat(40),
      download_url: null,
    });
    const file = await app.anonymous.get<Entry>(`${base}/contents/binary.bin`);
    expect(Buffer.from(file.body.content ?? "", "base64").equals(Buffer.from(binary))).toBe(true);
  });
});

describe("a directory", () => {
  test("has the entries that git ls-tree has, each with the commit that git log says changed it last", async () => {
    for (const directory of ["", "docs", "docs/guide", "grün", "vendor"]) {
      const { status, body } = await app.anonymous.get<Entry[]>(`${base}/contents/${encode(directory)}`);
      expect(status).toBe(200);
      const listed = (await work.git("ls-tree", "-z", `HEAD:${directory}`)).split("\0").filter(Boolean);
      const expected = [];
      for (const line of listed) {
        const [meta = "", name = ""] = line.split("\t");
        const path = directory === "" ? name : `${directory}/${name}`;
        expected.push([
          meta.split(" ")[2],
          path,
          await work.git("log", "-1", "--format=%H", "--", `:(literal)${path}`),
        ]);
      }
      expect(body.map((entry) => [entry.sha, entry.path, entry.last_commit_sha])).toEqual(expected as string[][]);
      expect(body.every((entry) => entry.content === null)).toBe(true);
    }
  });

  test("of an empty repository is empty", async () => {
    await app.repository(alice, "empty");
    expect((await alice.api.get("/repos/alice/empty/contents")).body).toEqual([]);
    expect((await alice.api.get("/repos/alice/empty/contents/x")).status).toBe(404);
    expect((await alice.api.get("/repos/alice/empty/raw/x")).status).toBe(404);
  });
});

describe("raw", () => {
  test("is the bytes, never something that a browser runs, with the blob as its ETag", async () => {
    const response = await app.anonymous.fetch("GET", `${base}/raw/page.html`);
    expect(await response.text()).toBe("<script>alert(1)</script>\n");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "content-disposition": `inline; filename="page.html"; filename*=UTF-8''page.html`,
      "content-length": "26",
      etag: `"${await work.git("rev-parse", "HEAD:page.html")}"`,
    });
    const bytes = await app.anonymous.fetch("GET", `${base}/media/binary.bin`);
    expect(bytes.headers.get("content-type")).toBe("application/octet-stream");
    expect(Buffer.from(await bytes.arrayBuffer()).equals(Buffer.from(binary))).toBe(true);
    expect(await (await app.anonymous.fetch("GET", `${base}/raw/docs/guide/one.md?ref=v1`)).text()).toBe("one\n");
  });

  test("answers 304, HEAD and ranges, for small files and for streamed ones", async () => {
    for (const path of ["binary.bin", "large.txt"]) {
      const whole = await work.run(["show", `HEAD:${path}`]);
      const etag = `"${await work.git("rev-parse", `HEAD:${path}`)}"`;
      const get = (headers: Record<string, string>, method = "GET") =>
        app.anonymous.fetch(method, `${base}/raw/${path}`, { headers });
      expect((await get({ "if-none-match": etag })).status).toBe(304);
      const full = await get({});
      expect(full.headers.get("accept-ranges")).toBe("bytes");
      expect(Buffer.from(await full.arrayBuffer()).equals(whole)).toBe(true);
      const head = await get({}, "HEAD");
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
        200,
        String(whole.length),
        "",
      ]);
      const part = await get({ range: "bytes=1000-1999" });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 1000-1999/${whole.length}`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(1000, 2000))).toBe(true);
      const end = await get({ range: "bytes=-10" });
      expect(Buffer.from(await end.arrayBuffer()).equals(whole.subarray(-10))).toBe(true);
      const beyond = await get({ range: `bytes=${whole.length}-` });
      expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.length}`]);
      expect((await get({ range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200);
      expect((await get({ range: "bytes=0-1", "if-range": etag })).status).toBe(206);
    }
  });

  test("of a directory, a submodule or nothing is 404", async () => {
    for (const path of ["docs", "vendor/lib", "nothing"]) {
      expect((await app.anonymous.get(`${base}/raw/${path}`)).status).toBe(404);
    }
  });
});
