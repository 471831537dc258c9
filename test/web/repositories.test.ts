import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, comparable } from "../support/web-visitor.ts";
import { Scratch, mustGit } from "../support/git.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const nobody = new WebVisitor(app.url);

interface Commit {
  sha: string;
  html_url: string;
}

async function write(
  repository: string,
  path: string,
  text: string,
  fields: Record<string, unknown> = {},
): Promise<Commit> {
  const body = { content: Buffer.from(text).toString("base64"), message: `Add ${path}`, ...fields };
  return (
    await alice.api.post<{ commit: Commit }>(
      `/repos/alice/${repository}/contents/${path.split("/").map(encodeURIComponent).join("/")}`,
      body,
    )
  ).body.commit;
}

await app.repository(alice, "tour", { description: "<i>A tour</i>", auto_init: true, website: "javascript:alert(1)" });
await write(
  "tour",
  "docs/guide.md",
  "# Guide\n\n![a picture](shot.png) [up](../README.md) <script>alert(1)</script>\n",
);
await write("tour", "docs/ä #?%.txt", "odd <name>\n");
await write("tour", "feature.txt", "x\n", { branch: "main", new_branch: "feature/one" });
await write("tour", "page.html", "<script>alert(1)</script>\n");
await app.repository(alice, "closed", { private: true, auto_init: true });
await app.repository(alice, "empty");

/** What differs between two answers for a reason: the address asked for, in the link to sign in, and the request's own id. */
function plain({ status, headers, text }: { status: number; headers: Headers; text: string }) {
  const { "x-request-id": _id, date: _date, "content-length": _length, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, text: comparable(text) };
}

describe("what may not be seen", () => {
  test("is answered as what is not there, on every page of it", async () => {
    await app.user("bob");
    const bob = new WebVisitor(app.url);
    await bob.signIn("bob", testPassword);
    for (const visitor of [nobody, bob]) {
      for (const rest of [
        "",
        "/src/branch/main",
        "/src/branch/main/README.md",
        "/raw/branch/main/README.md",
        `/commit/${"a".repeat(40)}`,
        "/issues/1",
        "/nothing/at/all",
      ]) {
        const [hidden, missing] = [
          await visitor.get(`/alice/closed${rest}`),
          await visitor.get(`/alice/missing${rest}`),
        ];
        expect(hidden.status).toBe(404);
        expect(plain(hidden)).toEqual(plain(missing));
      }
    }
    expect((await nobody.get("/")).text).not.toContain("closed");
    expect((await nobody.get("/alice")).text).not.toContain("closed");
    const owner = new WebVisitor(app.url);
    await owner.signIn("alice", testPassword);
    for (const rest of ["", "/src/branch/main/README.md", "/raw/branch/main/README.md"]) {
      const page = await owner.get(`/alice/closed${rest}`);
      expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    }
    expect((await owner.get("/")).text).toContain("closed");
  });

  test("hidden users and organizations are absent, too", async () => {
    await app.organization("secretive", alice, { visibility: "private" });
    expect(plain(await nobody.get("/secretive"))).toEqual(plain(await nobody.get("/missing")));
    // A form without its token is refused before it is asked who may see the owner.
    const refused = await nobody.post("/secretive", {});
    expect(refused.status).toBe(403);
    expect(plain(refused)).toEqual(plain(await nobody.post("/missing", {})));
  });
});

describe("a repository", () => {
  test("shows what it is and where it is cloned from, with nothing of it taken for markup", async () => {
    const { status, text } = await nobody.get("/alice/tour");
    expect(status).toBe(200);
    expect(text).toContain("&lt;i&gt;A tour&lt;/i&gt;");
    expect(text).toContain(`value="${app.url}/alice/tour.git"`);
    expect(text).toContain('<article class="document"><h1');
    expect(text).not.toContain("javascript:");
    expect((await nobody.get("/ALICE/Tour.git")).status).toBe(200);
    expect((await nobody.get("/alice/empty")).text).toContain("Nothing was pushed to the branch");
  });

  test("leads from a former name to today's, to those only who may see it", async () => {
    await app.repository(alice, "before", { auto_init: true });
    await app.repository(alice, "hidden-before", { private: true });
    await alice.api.patch("/repos/alice/before", { name: "after" });
    await alice.api.patch("/repos/alice/hidden-before", { name: "hidden-after" });
    expect((await nobody.get("/alice/before/src/branch/main?a=b")).location).toBe("/alice/after/src/branch/main?a=b");
    expect(plain(await nobody.get("/alice/hidden-before"))).toEqual(plain(await nobody.get("/alice/missing")));

    const gus = await app.user("gus");
    await app.repository(gus, "tools", { auto_init: true });
    await (await app.admin()).api.post("/admin/users/gus/rename", { new_username: "gustav" });
    expect((await nobody.get("/gus")).location).toBe("/gustav");
    expect((await nobody.get("/gus/tools/src/branch/main")).location).toBe("/gustav/tools/src/branch/main");
  });

  test("shows files and directories of branches with slashes in their names, tags and commits", async () => {
    const { sha } = await write("tour", "tagged.txt", "tagged\n");
    await alice.api.post("/repos/alice/tour/tags", { tag_name: "v1/rc", target: sha });
    expect((await nobody.get("/alice/tour/src/branch/feature/one")).text).toContain("feature.txt");
    expect((await nobody.get("/alice/tour/src/branch/feature%2Fone/feature.txt")).status).toBe(200);
    expect((await nobody.get("/alice/tour/src/tag/v1/rc/tagged.txt")).text).toContain(
      'data-n="1" tabindex="-1" aria-hidden="true"></a>tagged\n</span>',
    );
    expect((await nobody.get(`/alice/tour/src/commit/${sha}/docs`)).text).toContain("guide.md");
    for (const rest of [
      "src/branch/none",
      "src/branch/main/none",
      "src/branch/feature",
      "src/tag/main",
      "src/commit/main",
      `src/commit/${"0".repeat(40)}`,
      "src/else/main",
      "src/branch/main/../..",
      "src/branch/%00",
    ]) {
      expect((await fetch(`${app.url}/alice/tour/${rest}`, { redirect: "manual" })).status).not.toBe(500);
    }
    expect((await nobody.get("/alice/tour/src/branch/none")).status).toBe(404);
    expect((await nobody.get("/alice/tour/src/branch/main/none")).status).toBe(404);
  });

  test("renders Markdown without what runs, with links and pictures of the same commit; other files as text", async () => {
    const { text } = await nobody.get("/alice/tour/src/branch/main/docs/guide.md");
    expect(text).not.toContain("alert(1)");
    expect(text).toContain(`src="${app.url}/alice/tour/raw/branch/main/docs/shot.png"`);
    expect(text).toContain(`href="${app.url}/alice/tour/src/branch/main/README.md"`);
    const odd =
      /href="([^"]*)"><svg[^>]*><use[^>]*><\/svg><span class="cut">ä #\?%\.txt</.exec(
        (await nobody.get("/alice/tour/src/branch/main/docs")).text,
      )?.[1] ?? "";
    expect((await nobody.get(odd)).text).toContain("odd &lt;name&gt;");
    const raw = await nobody.get("/alice/tour/raw/branch/main/page.html");
    expect([raw.headers.get("content-type"), raw.headers.get("content-security-policy")]).toEqual([
      "text/plain; charset=utf-8",
      "sandbox; default-src 'none'",
    ]);
  });

  test("renders Markdown with colours, footnotes, and links to people and commits that there are", async () => {
    const commit = await write("tour", "docs/first.txt", "first\n");
    const text = `By @alice and @nobody-at-all[^1], in ${commit.sha.slice(0, 10)} but not ${"f".repeat(40)}; [top](/README.md).\n\n\`\`\`js\nlet a;\n\`\`\`\n\n[^1]: A note\n`;
    await write("tour", "docs/rich.md", text);
    const page = (await nobody.get("/alice/tour/src/branch/main/docs/rich.md")).text;
    expect(page).toContain(
      `By <a href="${app.url}/alice" class="mention" rel="nofollow">@alice</a> and @nobody-at-all`,
    );
    expect(page).toContain(
      `<a href="${commit.html_url}" class="commit" rel="nofollow"><code>${commit.sha.slice(0, 10)}</code></a>`,
    );
    expect(page).toContain(`not ${"f".repeat(40)};`);
    expect(page).toContain(`<a href="${app.url}/alice/tour/src/branch/main/README.md" rel="nofollow">top</a>`);
    expect(page).toContain('<i class="k">let</i>');
    expect(page).toContain('<section class="footnotes">');
  });

  test("shows commits with their patch", async () => {
    const { sha, html_url } = await write("tour", "new.txt", "<b>new</b>\n", {
      message: "Add <new>\n\nBecause of & that\n",
    });
    expect(html_url).toBe(`${app.url}/alice/tour/commit/${sha}`);
    const { text } = await nobody.get(html_url);
    expect(text).toContain('<h1 dir="auto">Add &lt;new&gt;</h1>');
    expect(text).toContain("<tr class=a><td><td data-n=1><td>&lt;b&gt;new&lt;/b&gt;");
    expect((await nobody.get(`/alice/tour/commit/${sha}.diff`)).text).toContain("+<b>new</b>");
    expect((await nobody.get(`/alice/tour/commit/${sha}.patch`)).text).toStartWith(`From ${sha}`);
    expect((await nobody.get(`/alice/tour/commit/${"0".repeat(40)}`)).status).toBe(404);
    expect((await nobody.get("/alice/tour/commit/main")).status).toBe(404);
  });
});

describe("the history", () => {
  test("lists commits of a branch with slashes, of a tag, of a commit, and of a path in them", async () => {
    const { sha } = await write("tour", "deep/er/file.txt", "x\n", { message: "Add <deep>\n\nmore\n" });
    for (const source of ["branch/main", `commit/${sha}`]) {
      const { status, text } = await nobody.get(`/alice/tour/commits/${source}/deep/er`);
      expect(status).toBe(200);
      expect(text).toContain(">Add &lt;deep&gt;</a>");
      expect([...text.matchAll(/class="oid not-narrow"/g)].length).toBe(1);
    }
    const all = (await nobody.get("/alice/tour/commits/branch/main")).text;
    const { body } = await alice.api.get<{ sha: string }[]>("/repos/alice/tour/commits?limit=30");
    expect(
      [...all.matchAll(/class="oid not-narrow" href="\/alice\/tour\/commit\/([0-9a-f]+)"/g)].map(([, oid]) => oid),
    ).toEqual(body.map((commit) => commit.sha));
    expect((await nobody.get("/alice/tour/commits/branch/feature/one")).text).toContain("feature.txt");
    expect((await nobody.get("/alice/tour/commits/branch/main/no/such/path")).text).toContain("No commits");
    for (const rest of ["branch/none", "main", "tag/main", `commit/${"0".repeat(40)}`]) {
      expect([rest, (await nobody.get(`/alice/tour/commits/${rest}`)).status]).toEqual([rest, 404]);
    }
  });

  test("pages say of branches and tags where they are", async () => {
    const { sha } = await write("tour", "for-tags.txt", "x\n", { message: "For tags" });
    await alice.api.post("/repos/alice/tour/tags", { tag_name: "list/v1", target: sha, message: "annotated" });
    const tags = (await nobody.get("/alice/tour/tags")).text;
    expect(tags).toContain('href="/alice/tour/src/tag/list/v1">list/v1</a>');
    expect(tags).toContain(`href="/alice/tour/commit/${sha}"`);
    const branches = (await nobody.get("/alice/tour/branches")).text;
    expect(branches).toContain('href="/alice/tour/src/branch/feature/one">feature/one</a>');
    expect(branches).toMatch(/>main<\/a>\s*<span class="tag">default<\/span>/);
    expect((await nobody.get("/alice/empty/branches")).text).toContain("No branches");
  });
});

test("a root with more entries than the API lists at once shows the first ones, and leads to the others", async () => {
  await app.repository(alice, "wide");
  using scratch = new Scratch();
  await mustGit(scratch.path, ["init", "-q", "-b", "main"]);
  const files = Array.from({ length: 10_001 }, (_, index) => `M 644 inline file-${index}\ndata 1\nx\n`);
  const input = `commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n${files.join("")}M 644 inline LICENSE\ndata 1\nx\n`;
  await mustGit(scratch.path, ["fast-import", "--quiet"], { input });
  await mustGit(scratch.path, [
    "push",
    "-q",
    `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/wide.git`,
    "main",
  ]);
  const { status, text } = await nobody.get("/alice/wide");
  expect([status, text.match(/<tr><td>/g)?.length]).toEqual([200, 1000]);
  expect(text).toContain('<a href="/alice/wide/src/branch/main?page=2">9,002 more</a>');
  expect((await nobody.get("/alice/wide/src/branch/main?page=11")).text.match(/<tr><td>/g)?.length).toBe(2);
});

test("every html_url that the API gives leads to a page", async () => {
  const pages = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(collect);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "html_url" && typeof inner === "string" && inner !== "") {
          pages.add(inner);
        }
        collect(inner);
      }
    }
  };
  const paths = [
    "/user",
    "/users/alice",
    "/repos/search",
    "/repos/alice/tour",
    "/repos/alice/tour/contents",
    "/repos/alice/tour/contents/docs",
    "/repos/alice/tour/contents/docs/guide.md?ref=main",
    "/repos/alice/tour/contents?ref=v1/rc",
    "/repos/alice/tour/contents?ref=feature/one",
    "/repos/alice/tour/commits",
    "/repos/alice/tour/branches",
    "/repos/alice/tour/tags",
    "/repos/alice/tour/compare/main...feature%2Fone",
  ];
  for (const path of paths) {
    const { status, body } = await alice.api.get(path);
    expect([path, status]).toEqual([path, 200]);
    collect(body);
  }
  expect(pages.size).toBeGreaterThan(15);
  const owner = new WebVisitor(app.url);
  await owner.signIn("alice", testPassword);
  for (const page of pages) {
    expect([page, (await owner.get(page)).status]).toEqual([page, 200]);
  }
});

test("what is no page is 404, and what belongs to programs is answered as before", async () => {
  expect((await nobody.get("/a/b/c/d")).status).toBe(404);
  expect((await nobody.request("DELETE", "/alice/tour")).status).toBe(404);
  expect((await nobody.post("/alice/tour", { a: "b" })).status).toBe(404);
  expect((await nobody.request("HEAD", "/alice/tour")).status).toBe(200);
  const api = await nobody.get("/api/v1/nothing");
  expect([api.status, api.headers.get("content-type")]).toEqual([404, "application/json;charset=utf-8"]);
  expect((await nobody.get("/alice/%ff")).status).toBe(400);
  const style = /href="(\/assets\/[^"]+)"/.exec((await nobody.get("/")).text)?.[1] ?? "";
  expect((await nobody.get(style)).headers.get("content-type")).toBe("text/css; charset=utf-8");
});
