import { describe, expect, test } from "bun:test";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** Long enough for what is refused for other reasons, on a machine that is busy. */
const app = await useTestApp({ markdown: { time_limit_milliseconds: 60_000 } });

describe("POST /markdown", () => {
  test("renders for anybody, as HTML", async () => {
    const { status, headers, body } = await app.anonymous.post("/markdown", { Text: "# Hi *there*" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(body).toBe('<h1 id="user-content-hi-there">Hi <em>there</em></h1>\n');
  });

  test("takes its fields in lower case too", async () => {
    const { body } = await app.anonymous.post("/markdown", { text: "a\nb", mode: "gfm" });
    expect(body).toBe("<p>a<br />b</p>\n");
  });

  test("makes addresses relative to the context", async () => {
    const render = async (fields: object) =>
      (await app.anonymous.post<string>("/markdown", { Text: "[a](b.md) ![c](d.png)", ...fields })).body;
    expect(await render({ Context: "alice/site/src/branch/main" })).toBe(
      `<p><a href="${app.url}/alice/site/src/branch/main/b.md" rel="nofollow">a</a> <img src="${app.url}/alice/site/raw/branch/main/d.png" alt="c" /></p>\n`,
    );
    expect(await render({ Context: "https://other.example/x" })).toContain('href="https://other.example/x/b.md"');
    expect(await render({ Context: "/alice/site", Wiki: true })).toContain(`href="${app.url}/alice/site/wiki/b.md"`);
    expect(await render({})).toContain('href="b.md"');
  });

  test("knows every mode", async () => {
    for (const [Mode, breaks] of [
      ["", false],
      ["markdown", false],
      ["file", false],
      ["wiki", false],
      ["gfm", true],
      ["comment", true],
    ] as const) {
      const { body } = await app.anonymous.post<string>("/markdown", { Text: "a\nb", Mode });
      expect([Mode, body.includes("<br />")]).toEqual([Mode, breaks]);
    }
  });

  test("names the field that is wrong", async () => {
    const { status, body } = await app.anonymous.post<{ message: string }>("/markdown", { Text: "a", Mode: "latex" });
    expect(status).toBe(422);
    expect(body.message).toContain("Mode must be one of");
  });

  test("leaves out what runs", async () => {
    const { body } = await app.anonymous.post("/markdown", {
      Text: "<script>alert(1)</script>\n\n[x](javascript:alert(1))",
    });
    expect(body).toBe('<p><a rel="nofollow">x</a></p>\n');
  });
});

describe("names in a text", () => {
  test("are links for those who may know of them, and stay text for others", async () => {
    const [alice, bob] = [await app.user("alice"), await app.user("bob")];
    await app.user("hidden");
    await app.forge.database.sql`update owner set visibility = 'private' where lower_name = 'hidden'`;
    await app.organization("forge", alice);
    const text = "Ask @Alice, @forge, @hidden or @nobody.";
    const link = (name: string, shown = name) =>
      `<a href="${app.url}/${name}" class="mention" rel="nofollow">@${shown}</a>`;
    const expected = `<p>Ask ${link("alice", "Alice")}, ${link("forge")}, @hidden or @nobody.</p>\n`;
    for (const client of [app.anonymous, bob.api]) {
      expect((await client.post("/markdown", { Text: text })).body).toBe(expected);
    }
    const headers = { "content-type": "text/plain" };
    expect((await app.anonymous.request("POST", "/markdown/raw", { headers, body: text })).body).toBe(expected);
    await app.admin("root");
    const seen = await app.withPassword("root").post<string>("/markdown", { Text: text });
    expect(seen.body).toContain(link("hidden"));
    expect(seen.body).not.toContain(link("nobody"));
  });
});

describe("numbers of issues in a text", () => {
  test("are links for those who may read them, and stay text for others", async () => {
    const [olga, paul] = [await app.user("olga"), await app.user("paul")];
    await app.repository(olga, "open");
    await app.repository(olga, "closed", { private: true });
    for (const name of ["open", "closed"]) {
      expect((await olga.api.post(`/repos/olga/${name}/issues`, { title: "Broken" })).status).toBe(201);
    }
    const at = (name: string) => `${app.url}/olga/${name}/issues/1`;
    const Text = `#1 !1 #2 olga/CLOSED#1 olga/none#1 ${at("open")}#issuecomment-7 ${at("closed")}`;
    const render = async (client: typeof app.anonymous, fields: object) =>
      (await client.post<string>("/markdown", { Text, Mode: "comment", ...fields })).body;
    const link = (name: string, text: string, hash = "") =>
      `<a href="${at(name)}${hash}" class="ref-issue" rel="nofollow">${text}</a>`;
    const plain = (name: string) => `<a href="${at(name)}" rel="nofollow">${at(name)}</a>`;
    const comment = (text: string) => link("open", `${text} (comment)`, "#issuecomment-7");

    expect(await render(paul.api, { Context: "olga/open" })).toBe(
      `<p>${link("open", "#1")} !1 #2 olga/CLOSED#1 olga/none#1 ${comment("#1")} ${plain("closed")}</p>\n`,
    );
    expect(await render(olga.api, { Context: "/olga/closed/src/branch/main" })).toBe(
      `<p>${link("closed", "#1")} !1 #2 ${link("closed", "olga/CLOSED#1")} olga/none#1 ${comment("olga/open#1")} ${link("closed", "#1")}</p>\n`,
    );
    expect(await render(paul.api, { Context: "olga/closed" })).toStartWith("<p>#1 !1 #2 olga/CLOSED#1 ");
    // In a document "#1" is a number of its own.
    expect(await render(olga.api, { Mode: "", Context: "olga/open" })).toStartWith(
      `<p>#1 !1 #2 ${link("closed", "olga/CLOSED#1")}`,
    );
    expect(await render(olga.api, {})).toStartWith("<p>#1 !1 #2 ");
    const inside = await olga.api.post<string>("/repos/olga/open/markdown", { Text: "#1", Mode: "gfm" });
    expect(inside.body).toBe(`<p>${link("open", "#1")}</p>\n`);
    // Switched off, nobody reads them.
    await olga.api.patch("/repos/olga/open", { has_issues: false });
    expect(await render(olga.api, { Context: "olga/open" })).toStartWith("<p>#1 !1 ");
  });
});

describe("POST /markup", () => {
  const render = (fields: object) =>
    app.anonymous.post<string>("/markup", { Text: "[a](b.md) [t](/c.md) ![c](d.png)", ...fields });

  test("renders for anybody, and what the file's name says", async () => {
    const { status, headers, body } = await render({
      Mode: "file",
      FilePath: "docs/guide.md",
      Context: "alice/site/src/branch/main/docs",
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(body).toContain(`href="${app.url}/alice/site/src/branch/main/docs/b.md"`);
    expect((await render({ Mode: "gfm", Text: "a\nb" })).body).toBe("<p>a<br />b</p>\n");
    expect((await render({ mode: "markdown", text: "a\nb", Text: undefined })).body).toBe("<p>a\nb</p>\n");
  });

  test("takes the branch and the path apart from the repository", async () => {
    const { body } = await render({
      Mode: "file",
      FilePath: "docs/guide.md",
      Context: "/alice/site",
      BranchPath: "branch/feature/x y",
    });
    expect(body).toBe(
      `<p><a href="${app.url}/alice/site/src/branch/feature/x%20y/docs/b.md" rel="nofollow">a</a> <a href="${app.url}/alice/site/src/branch/feature/x%20y/c.md" rel="nofollow">t</a> <img src="${app.url}/alice/site/raw/branch/feature/x%20y/docs/d.png" alt="c" /></p>\n`,
    );
  });

  test.each([
    [
      { Mode: "file", FilePath: "paper.tex" },
      'FilePath must be that of a Markdown file, such as README.md, not "paper.tex"',
    ],
    [{ Mode: "file" }, 'FilePath must be that of a Markdown file, such as README.md, not ""'],
    [{ Mode: "latex" }, "Mode must be one of"],
  ])("refuses %p", async (fields, message) => {
    const { status, body } = await app.anonymous.post<{ message: string }>("/markup", { Text: "a", ...fields });
    expect(status).toBe(422);
    expect(body.message).toStartWith(message);
  });
});

describe("POST /markdown/raw", () => {
  test("renders a text", async () => {
    const { status, body } = await app.anonymous.request("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: "*a*",
    });
    expect({ status, body }).toEqual({ status: 200, body: "<p><em>a</em></p>\n" });
  });

  test.each(["/markdown", "/markup"])("%s answers a body that is not JSON with 422", async (path) => {
    const { status, body } = await app.anonymous.request<{ message: string }>("POST", path, { body: "# Title" });
    expect(status).toBe(422);
    expect(body.message).toStartWith("The body cannot be read: it is not JSON");
  });

  test("gives up on texts that cost too much, and others do not wait for the server", async () => {
    await using hurried = await TestApp.start({ markdown: { time_limit_milliseconds: 5000 } });
    const hostile = hurried.anonymous.request<{ message: string }>("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: `${"a".repeat(1_000_000)}@`,
    });
    let isOver = false;
    void hostile.then(() => (isOver = true));
    expect((await hurried.anonymous.get("/version")).status).toBe(200);
    expect(isOver).toBe(false);
    const { status, body } = await hostile;
    expect(status).toBe(422);
    expect(body.message).toBe("The text cannot be rendered: it takes too long");
    expect((await hurried.anonymous.post("/markdown", { Text: "a" })).body).toBe("<p>a</p>\n");
  });

  /** Each asks for gigabytes of HTML. */
  test.each([
    [
      "an address that is defined once and linked often",
      `[a]: http://x/${"y".repeat(30_000)}\n\n${"[a]".repeat(20_000)}`,
    ],
    ["a title that is defined once and shown often", `[a]: b '${"y".repeat(30_000)}'\n\n${"![a]".repeat(20_000)}`],
    ["a table of many columns", `|${"a|".repeat(10_000)}\n|${"-|".repeat(10_000)}\n${"|\n".repeat(10_000)}`],
  ])("refuses %s", async (_, body) => {
    const headers = { "content-type": "text/plain" };
    const answer = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", { headers, body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe("The text cannot be rendered: it is too large");
  });

  test("refuses a text of more than a mebibyte", async () => {
    const headers = { "content-type": "text/plain" };
    const body = "a".repeat(1024 * 1024 + 1);
    const answer = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", { headers, body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      "The text cannot be rendered: it has 1048577 characters, and 1048576 are the most",
    );
  });

  test("says that a text is nested too deeply", async () => {
    const { status, body } = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: ">".repeat(15_000),
    });
    expect(status).toBe(422);
    expect(body.message).toBe("The text cannot be rendered: it is nested too deeply");
  });
});

describe("texts of a repository", () => {
  const paths = ["markdown", "markdown/raw", "markup"] as const;
  const send = (
    client: typeof app.anonymous,
    repository: string,
    path: (typeof paths)[number],
    text: string,
    fields = {},
  ) =>
    path === "markdown/raw"
      ? client.request<string>("POST", `/repos/${repository}/${path}`, {
          headers: { "content-type": "text/plain" },
          body: text,
        })
      : client.post<string>(`/repos/${repository}/${path}`, { Text: text, ...fields });

  test("are rendered for those who may read it and are signed in, archived or not", async () => {
    const [owner, stranger] = [await app.user("owner"), await app.user("stranger")];
    await app.repository(owner, "secret", { private: true, auto_init: true });
    await app.repository(owner, "open", { auto_init: true });
    for (const path of paths) {
      expect((await send(app.anonymous, "owner/open", path, "a")).status).toBe(401);
      expect((await send(stranger.api, "owner/secret", path, "a")).status).toBe(404);
      expect((await send(await app.scoped(owner, "read:repository"), "owner/open", path, "a")).status).toBe(403);
      expect((await send(owner.api, "owner/secret", path, "*a*")).body).toBe("<p><em>a</em></p>\n");
      expect((await send(stranger.api, "owner/open", path, "*a*")).body).toBe("<p><em>a</em></p>\n");
    }
    await owner.api.patch("/repos/owner/open", { archived: true });
    expect((await send(stranger.api, "owner/open", "markup", "a")).status).toBe(200);
  });

  test("have links into it: files of the default branch, and commits that are there", async () => {
    const owner = await app.user("writer");
    await app.repository(owner, "book", { auto_init: true });
    await app.repository(owner, "other", { auto_init: true, readme: "Default" });
    const commits = async (name: string) =>
      (await owner.api.get<{ sha: string }[]>(`/repos/writer/${name}/commits`)).body.map(({ sha }) => sha);
    const [[sha = ""], [foreign = ""]] = [await commits("book"), await commits("other")];
    const blob = (await owner.api.get<{ sha: string }>("/repos/writer/book/contents/README.md")).body.sha;
    const text = `See ${sha.slice(0, 8)}, ${sha}, ${blob.slice(0, 10)}, ${"0".repeat(40)} and [a](b.md).`;
    const link = `<a href="${app.url}/writer/book/commit/${sha}" class="commit" rel="nofollow"><code>`;
    const expected = `<p>See ${link}${sha.slice(0, 8)}</code></a>, ${link}${sha.slice(0, 10)}</code></a>, ${blob.slice(0, 10)}, ${"0".repeat(40)} and <a href="${app.url}/writer/book/src/branch/main/b.md" rel="nofollow">a</a>.</p>\n`;
    for (const path of paths) {
      expect((await send(owner.api, "writer/book", path, text)).body).toBe(expected);
    }
    expect(sha).not.toBe(foreign);
    const fields = { content: "", message: "x", new_branch: "gone" };
    const made = await owner.api.post<{ commit: { sha: string } }>("/repos/writer/book/contents/x", fields);
    const gone = made.body.commit.sha;
    expect((await send(owner.api, "writer/book", "markdown", gone)).body).toContain(`/commit/${gone}"`);
    expect((await owner.api.delete("/repos/writer/book/branches/gone")).status).toBe(204);
    expect((await send(owner.api, "writer/book", "markdown", gone)).body).toBe(`<p>${gone}</p>\n`);
    expect((await send(owner.api, "writer/book", "markdown", foreign)).body).toBe(`<p>${foreign}</p>\n`);
    const elsewhere = await send(owner.api, "writer/book", "markdown", "[a](b.md)", {
      Context: "writer/other/src/tag/v1",
    });
    expect(elsewhere.body).toContain(`href="${app.url}/writer/other/src/tag/v1/b.md"`);
    const wiki = await send(owner.api, "writer/book", "markdown", "[a](b)", { Wiki: true });
    expect(wiki.body).toContain(`href="${app.url}/writer/book/wiki/b"`);
    const inFolder = await send(owner.api, "writer/book", "markup", "[a](b.md)", {
      Mode: "file",
      FilePath: "docs/x.md",
    });
    expect(inFolder.body).toContain(`href="${app.url}/writer/book/src/branch/main/docs/b.md"`);
  });

  test("do not tell of commits to who may not read the code", async () => {
    const [owner, reader] = [await app.user("keeper"), await app.user("reader")];
    await app.repository(owner, "closed", { auto_init: true });
    const { body } = await owner.api.get<{ sha: string }[]>("/repos/keeper/closed/commits");
    const sha = body[0]?.sha ?? "";
    expect((await send(reader.api, "keeper/closed", "markdown", sha)).body).toContain('class="commit"');
    await owner.api.patch("/repos/keeper/closed", { has_code: false });
    expect((await send(reader.api, "keeper/closed", "markdown", sha)).body).toBe(`<p>${sha}</p>\n`);
  });
});
