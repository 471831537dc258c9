import { beforeAll, describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

/** What forms of a wiki change, and what a browser shows of its history. */

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");
await app.user("bob");
const nobody = new WebVisitor(app.url);
const [owner, reader] = [new WebVisitor(app.url), new WebVisitor(app.url)];
const wiki = "/alice/tour/wiki";
const encode = (text: string) => Buffer.from(text).toString("base64");
const write = (repository: string, title: string, text: string) =>
  alice.api.post(`/repos/alice/${repository}/wiki/new`, { title, content_base64: encode(text) });
const change = (title: string, text: string, message = "") =>
  alice.api.patch(`/repos/alice/tour/wiki/page/${title}`, { content_base64: encode(text), message });
const read = async (path: string) => (await nobody.get(`${wiki}/raw/${path}`)).text;
const revisions = async (title: string) =>
  (await alice.api.get<{ commits: { sha: string }[] }>(`/repos/alice/tour/wiki/revisions/${title}`)).body.commits.map(
    ({ sha }) => sha,
  );

beforeAll(async () => {
  for (const [name, fields] of [
    ["tour", {}],
    ["old", {}],
    ["everybodys", { globally_editable_wiki: true }],
    ["empty", {}],
  ] as const) {
    await app.repository(alice, name);
    await alice.api.patch(`/repos/alice/${name}`, fields);
  }
  await write("tour", "Home", "One\n\nTwo\n\nThree\n");
  await write("old", "Home", "Old\n");
  await alice.api.patch("/repos/alice/old", { archived: true });
  await owner.signIn("alice", testPassword);
  await reader.signIn("bob", testPassword);
});

describe("who may not write", () => {
  test("is offered no form", async () => {
    for (const visitor of [nobody, reader]) {
      expect((await visitor.get(wiki)).text).not.toMatch(/_new|_edit|_delete/);
    }
    expect((await owner.get(wiki)).text).toContain(`${wiki}/_edit/Home`);
    expect((await owner.get("/alice/old/wiki")).text).not.toContain("_edit");
    expect((await owner.get("/alice/empty/wiki")).text).toContain("_new?title=Home");
    expect((await nobody.get("/alice/empty/wiki")).text).not.toContain("_new");
  });

  test.each(["_new", "_edit/Home", "_delete/Home"])("is refused: %s", async (form) => {
    const token = hiddenFields((await reader.get("/user/settings/appearance")).text, "/user/settings/appearance");
    const fields = { ...token, title: "Mine", content: "text" };
    expect((await reader.get(`${wiki}/${form}`)).status).toBe(403);
    expect((await reader.post(`${wiki}/${form}`, fields)).status).toBe(403);
    expect((await nobody.get(`${wiki}/${form}`)).location).toContain("/user/login");
    const own = hiddenFields((await owner.get(`${wiki}/_new`)).text, `${wiki}/_new`);
    expect((await owner.post(`/alice/old/wiki/${form}`, { ...own, title: "Mine", content: "text" })).status).toBe(423);
    expect(await read("Home.md")).toBe("One\n\nTwo\n\nThree\n");
  });

  test("writes to a wiki that is everybody's", async () => {
    const sent = await reader.submit("/alice/everybodys/wiki/_new", { title: "Mine", content: "text" });
    expect([sent.status, sent.location]).toEqual([303, "/alice/everybodys/wiki/Mine"]);
  });
});

describe("a page", () => {
  test("is written, previewed and linked", async () => {
    const text = "[[Home]] [[the home|Home#Some Words]] [[<b>No</b>]] [[Not there]] `[[code]]`\r\n";
    const shown = await owner.submit(`${wiki}/_new`, { title: "A page", content: text, preview: "1" });
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(`class="missing"`)]);
    const sent = await owner.submit(`${wiki}/_new`, { title: "A page", content: text, message: "Say it" });
    expect(sent.location).toBe(`${wiki}/A-page`);
    const page = (await owner.get(sent.location)).text;
    expect(page).toContain(`<a href="${wiki}/Home" rel="nofollow">Home</a>`);
    expect(page).toContain(`<a href="${wiki}/Home#user-content-some-words" rel="nofollow">the home</a>`);
    expect(page).toContain(`href="${wiki}/_new?title=Not+there"`);
    expect(page).toContain("<code>[[code]]</code>");
    expect(page).not.toContain("<b>No</b>");
    expect((await nobody.get(sent.location)).text).toContain(`href="${wiki}/Not%20there"`);
    expect((await nobody.get(`${wiki}/_pages/history`)).text).toContain("Say it");
  });

  test.each([
    ["no title", { title: " " }],
    ["a title that is a way out", { title: "../x" }],
    ["a title that is taken", { title: "home" }],
    ["a title of the addresses", { title: "_pages" }],
  ])("keeps what was typed after %s", async (_, fields) => {
    const sent = await owner.submit(`${wiki}/_new`, { content: "kept <text>", ...fields });
    expect([sent.status, sent.text]).toEqual([422, expect.stringContaining("kept &lt;text&gt;</textarea>")]);
    expect(sent.text).toMatch(/id="title"[^>]*aria-invalid="true"/);
  });

  test("that is missing leads to the form", async () => {
    const { status, text } = await owner.get(`${wiki}/Not-there`);
    expect([status, text]).toEqual([404, expect.stringContaining("_new?title=Not+there")]);
    expect((await nobody.get(`${wiki}/Not-there`)).text).not.toContain("_new");
  });

  test("is renamed, and keeps the line ends of its file", async () => {
    await write("tour", "Ends", "a\r\nb\r\n");
    const sent = await owner.submit(`${wiki}/_edit/Ends`, { title: "New ends", content: "a\r\nc\r\n" });
    expect(sent.location).toBe(`${wiki}/New-ends`);
    expect(await read("New-ends.md")).toBe("a\r\nc\r\n");
    expect((await nobody.get(`${wiki}/Ends`)).status).toBe(404);
  });

  test("comes with files, which are linked", async () => {
    const body = new FormData();
    const page = (await owner.get(`${wiki}/_edit/A-page`)).text;
    for (const [name, value] of Object.entries({
      ...hiddenFields(page, `${wiki}/_edit/A-page`),
      title: "A page",
      content: "Look\n",
    })) {
      body.append(name, value);
    }
    body.append("files", new Blob(["png"]), "a shot.png");
    body.append("files", new Blob(["pdf"]), "b.pdf");
    expect((await owner.request("POST", `${wiki}/_edit/A-page`, { body })).status).toBe(303);
    expect(await read("A-page.md")).toBe("Look\n\n![a shot.png](images/a%20shot.png)\n[b.pdf](raw/images/b.pdf)\n");
    const shown = (await nobody.get(`${wiki}/A-page`)).text;
    expect(shown).toContain(`src="${app.url}${wiki}/raw/images/a%20shot.png"`);
    expect(await read("images/b.pdf")).toBe("pdf");
  });

  test("of hostile files and titles does nothing", async () => {
    const sent = await owner.submit(`${wiki}/_new`, {
      title: '"><img src=x>',
      content: '[[a|javascript:alert(1)]] [[x"onclick="y]] ![[[z]]](q)\n',
    });
    expect(sent.status).toBe(303);
    const page = (await owner.get(sent.location)).text;
    expect(page).not.toContain("<img src=x>");
    expect(page).not.toMatch(/href="javascript:|\sonclick=/);
    await owner
      .submit(`${wiki}/_delete/${encodeURIComponent(sent.location.split("/").at(-1) ?? "")}`, {})
      .catch(() => null);
  });
});

describe("two who write at once", () => {
  test("both have their lines in the text, and nothing is lost", async () => {
    const form = `${wiki}/_edit/Home`;
    const fields = hiddenFields((await owner.get(form)).text, form);
    await change("Home", "One of theirs\n\nTwo\n\nThree\n");
    const merged = await owner.post(form, { ...fields, title: "Home", content: "One\n\nTwo\n\nThree of mine\n" });
    expect([merged.status, merged.text]).toEqual([
      409,
      expect.stringContaining("One of theirs\n\nTwo\n\nThree of mine\n</textarea>"),
    ]);
    const saved = await owner.post(form, {
      ...hiddenFields(merged.text, form),
      title: "Home",
      content: "One of theirs\n\nTwo\n\nThree of mine\n",
    });
    expect(saved.status).toBe(303);
    expect(await read("Home.md")).toBe("One of theirs\n\nTwo\n\nThree of mine\n");
  });

  test("are shown marks where both changed a line, which are not saved", async () => {
    const form = `${wiki}/_edit/Home`;
    const fields = hiddenFields((await owner.get(form)).text, form);
    await change("Home", "Theirs\n");
    const merged = await owner.post(form, { ...fields, title: "Home", content: "Mine\n" });
    expect([merged.status, merged.text]).toEqual([
      409,
      expect.stringContaining("&lt;&lt;&lt;&lt;&lt;&lt;&lt; your text"),
    ]);
    const refused = await owner.post(form, {
      ...hiddenFields(merged.text, form),
      title: "Home",
      content: "<<<<<<< your text\nMine\n",
    });
    expect([refused.status, await read("Home.md")]).toEqual([422, "Theirs\n"]);
  });

  test("are told when the page was deleted, and can write it again", async () => {
    await write("tour", "Short", "Short\n");
    const form = `${wiki}/_edit/Short`;
    const fields = hiddenFields((await owner.get(form)).text, form);
    await alice.api.delete("/repos/alice/tour/wiki/page/Short");
    const told = await owner.post(form, { ...fields, title: "Short", content: "Mine\n" });
    expect([told.status, told.text]).toEqual([409, expect.stringContaining("Mine\n</textarea>")]);
    const saved = await owner.post(form, { ...hiddenFields(told.text, form), title: "Short", content: "Mine\n" });
    expect([saved.status, await read("Short.md")]).toEqual([303, "Mine\n"]);
  });
});

describe("history", () => {
  test("shows revisions, compares two, and takes one back", async () => {
    await write("tour", "Log", "a\n\nb\n\nc\n");
    await change("Log", "a\n\nB\n\nc\n", "Make it large");
    await change("Log", "a\n\nB\n\nc\n\nd\n", "More");
    const [last = "", middle = "", first = ""] = await revisions("Log");
    const { text } = await nobody.get(`${wiki}/_history/Log`);
    expect(text).toContain("Make it large");
    expect((await nobody.get(`${wiki}/Log?at=${first}`)).text).toContain("<p>b</p>");
    const compared = await nobody.get(`${wiki}/_pages/compare?from=${first}&to=${last}&file=Log.md`);
    const diff = await nobody.get(compared.location);
    expect([diff.status, diff.text]).toEqual([200, expect.stringContaining(`${wiki}/Log?at=${last}`)]);
    const commit = (await nobody.get(`${wiki}/commit/${middle}`)).text;
    expect(commit).toContain('<h1 dir="auto">Make it large</h1>');
    expect((await nobody.get(`${wiki}/commit/${middle}.patch`)).text).toContain("Subject: [PATCH] Make it large");
    const form = `${wiki}/_edit/Log`;
    const reverted = await owner.get(`${form}?revert=${middle}`);
    expect(reverted.text).toContain("a\n\nb\n\nc\n\nd\n</textarea>");
    expect((await owner.get(`${form}?restore=${first}`)).text).toContain("a\n\nb\n\nc\n</textarea>");
  });

  test("outlives the page, whose text can be brought back", async () => {
    await write("tour", "Gone page", "Text\n");
    await owner.submit(`${wiki}/_delete/Gone-page`, {});
    expect((await nobody.get(`${wiki}/Gone-page`)).status).toBe(404);
    const { text } = await owner.get(`${wiki}/_history/Gone-page`);
    expect(text).toContain(">deleted<");
    const [, link = ""] =
      /href="([^"]*_new\?title=Gone\+page&amp;restore=[0-9a-f]+)"[^>]*>(?:(?!<a ).)*Bring this text back/s.exec(text) ??
      [];
    const last =
      text
        .match(/_new\?title=Gone\+page&amp;restore=[0-9a-f]+/g)
        ?.at(-1)
        ?.replace("&amp;", "&") ?? link;
    expect((await owner.get(`${wiki}/${last}`)).text).toContain("Text\n</textarea>");
  });

  test.each([
    "/commit/0000000000000000000000000000000000000000",
    "/commit/x",
    "/_compare/a...b",
    "/_compare/x",
    "/_history/No-such-page",
    "/_pages/compare?from=x&to=y",
    "/Home?at=0000000",
    "/_edit/No-such-page",
  ])("answers 404 to what is not there: %s", async (rest) => {
    expect((await owner.get(wiki + rest)).status).toBe(404);
  });

  test("does not show commits of the code as its own", async () => {
    await alice.api.post("/repos/alice/tour/contents/a.md", { content: encode("a"), message: "code" });
    const { body } = await alice.api.get<{ commit: { id: string } }>("/repos/alice/tour/branches/main");
    expect((await nobody.get(`${wiki}/commit/${body.commit.id}`)).status).toBe(404);
  });
});

test("the search finds titles and lines", async () => {
  await write("tour", "Needle", "nothing\n");
  await write("tour", "Hay", "a NEEDLE <b>\n");
  const { text } = await nobody.get(`${wiki}/_pages?q=needle`);
  expect(text).toContain(`href="${wiki}/Needle"`);
  expect(text).toContain("a NEEDLE &lt;b&gt;");
  expect((await nobody.get(`${wiki}/_pages?q=${encodeURIComponent("no such text")}`)).text).toContain(
    "No page matches",
  );
  expect((await nobody.get(`${wiki}/search?q=needle`)).location).toBe(`${wiki}/_pages?q=needle`);
  expect((await owner.get(`${wiki}/Home?action=_edit`)).location).toBe(`${wiki}/_edit/Home`);
});
