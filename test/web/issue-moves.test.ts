import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields, type WebPage } from "../support/web-visitor.ts";

/** References, quotations, the graph of dependencies, and the transfer to another repository. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "other", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await app.repository(bob, "bobs", { auto_init: true });
const nobody = new WebVisitor(app.url);

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const owner = await signedIn("alice");
const stranger = await signedIn("bob");

interface Issue {
  id: number;
  number: number;
  title: string;
  body: string;
  user: { login: string };
  labels: { name: string }[];
  milestone: { title: string } | null;
}

async function open(title: string, body = "", repository = "tour"): Promise<string> {
  const made = await alice.api.post<Issue>(`/repos/alice/${repository}/issues`, { title, body });
  return `/alice/${repository}/issues/${made.body.number}`;
}
const numberOf = (page: string) => Number(page.split("/").at(-1));

async function send(visitor: WebVisitor, page: string, act: string, fields: Record<string, string>): Promise<WebPage> {
  const { text } = await visitor.get(page);
  const to = `${page}/${act}`;
  const form = text.includes(`action="${to}"`) ? to : "/user/logout";
  return visitor.post(to, { ...hiddenFields(text, form), ...fields });
}

describe("what a reference shows", () => {
  test("is of what one may see", async () => {
    const hidden = await open("Hidden <b>", "hidden text", "closed");
    for (const rest of ["info", "source", "dependencies"]) {
      expect([rest, (await stranger.get(`${hidden}/${rest}`)).status]).toEqual([rest, 404]);
    }
    const shown = await owner.get(`${hidden}/info`);
    expect(shown.text).toContain("Hidden &lt;b&gt;");
    expect(shown.text).toContain('title="Open"');
    expect(shown.headers.get("content-type")).toContain("text/html");
    expect((await nobody.get("/alice/tour/issues/999/info")).status).toBe(404);
  });

  test("the Markdown of a text is plain text", async () => {
    const page = await open("Source", "<script>1</script> **b**");
    const source = await nobody.get(`${page}/source`);
    expect([source.text, source.headers.get("content-type")]).toEqual([
      "<script>1</script> **b**",
      "text/plain; charset=utf-8",
    ]);
    const { body } = await bob.api.post<{ id: number }>(`/repos${page}/comments`, { body: "mine" });
    expect((await nobody.get(`${page}/source?comment=${body.id}`)).text).toBe("mine");
    const elsewhere = await open("Elsewhere");
    expect((await nobody.get(`${elsewhere}/source?comment=${body.id}`)).status).toBe(404);
    expect((await nobody.get(`${page}/source?comment=x`)).status).toBe(404);
  });
});

test("a text is quoted in an answer and in a new issue", async () => {
  const page = await open("Quoted", "one </textarea>\n\ntwo");
  expect((await stranger.get(`${page}?quote=issue`)).text).toContain(
    "> one &lt;/textarea&gt;\n&gt;\n&gt; two\n\n</textarea>".replace("> one", "&gt; one"),
  );
  const fresh = await stranger.get(`/alice/tour/issues/new?from=${numberOf(page)}`);
  expect(fresh.text).toContain(`&gt; two\n\nFrom ${app.url}${page}\n</textarea>`);
  expect((await stranger.get(`${page}?quote=999999`)).status).toBe(404);
});

test("the graph of dependencies shows what one may see", async () => {
  const [one, two, three] = [await open("One"), await open("Two <b>"), await open("Three", "", "closed")];
  const depend = (page: string, repo: string, on: string) =>
    alice.api.post(`/repos${page}/dependencies`, { owner: "alice", repo, index: numberOf(on) });
  await depend(two, "tour", one);
  await depend(two, "closed", three);
  const shown = await owner.get(`${one}/dependencies`);
  expect(shown.text).toContain("Two &lt;b&gt;");
  expect(shown.text).toContain(`alice/closed#${numberOf(three)}`);
  const seen = await nobody.get(`${one}/dependencies`);
  expect(seen.text).toContain("depends on");
  expect(seen.text).not.toContain("Three");
  expect((await nobody.get(await open("Alone").then((page) => `${page}/dependencies`))).text).toContain(
    "depends on nothing",
  );
});

describe("a transfer", () => {
  test("is only for those who may write to both", async () => {
    const page = await open("Mine");
    expect((await stranger.get(`${page}/transfer`)).status).toBe(403);
    expect((await send(stranger, page, "transfer", { to: "bob/bobs" })).status).toBe(403);
    for (const to of ["bob/bobs", "alice/tour", "alice/nothing", "nothing", "", 'a/"><b>', "alice/other/x"]) {
      const refused = await send(owner, page, "transfer", { to });
      expect([to, refused.status >= 400 && refused.status < 500]).toEqual([to, true]);
    }
    expect((await owner.get(`${page}/transfer?to=alice/nothing`)).text).toContain("There is no such repository");
    expect((await owner.get(page)).status).toBe(200);
  });

  test("says before what cannot come along", async () => {
    await alice.api.post("/repos/alice/tour/labels", { name: "only here <b>", color: "ff0000" });
    const page = await open("Told", "", "tour");
    const labels = (await alice.api.get<{ id: number; name: string }[]>("/repos/alice/tour/labels")).body;
    await alice.api.post(`/repos${page}/labels`, { labels: labels.map(({ id }) => id) });
    const { text } = await owner.get(`${page}/transfer?to=alice/other`);
    expect(text).toContain("only here &lt;b&gt;");
    const secret = await open("Secret", "", "closed");
    expect((await owner.get(`${secret}/transfer?to=alice/other`)).text).toContain("Everybody can read it there");
  });

  test("moves texts, comments, files and what has the same name, and the old address leads there", async () => {
    const page = await open("Moved <b>", "text");
    for (const repository of ["tour", "other"]) {
      await alice.api.post(`/repos/alice/${repository}/labels`, { name: "both", color: "00ff00" });
      await alice.api.post(`/repos/alice/${repository}/milestones`, { title: "1.0" });
    }
    const own = (await alice.api.get<{ id: number; name: string }[]>("/repos/alice/tour/labels")).body;
    const stone = (await alice.api.get<{ id: number; title: string }[]>("/repos/alice/tour/milestones")).body;
    await alice.api.patch(`/repos${page}`, { milestone: stone.find(({ title }) => title === "1.0")?.id });
    await alice.api.post(`/repos${page}/labels`, {
      labels: own.filter(({ name }) => name === "both").map(({ id }) => id),
    });
    await bob.api.post(`/repos${page}/comments`, { body: "from bob" });
    await alice.api.patch(`/repos${page}`, { body: "text now" });
    const form = new FormData();
    const shown = await owner.get(page);
    for (const [name, value] of Object.entries({
      ...hiddenFields(shown.text, `${page}/comments`),
      body: "with a file",
    })) {
      form.set(name, value);
    }
    form.set("files", new Blob(["bytes"]), "a.txt");
    await owner.request("POST", `${page}/comments`, { body: form });
    type Comment = { body: string; user: { login: string }; assets: { uuid: string }[] };
    const commentsOf = async (at: string) => (await bob.api.get<Comment[]>(`/repos${at}/comments`)).body;
    const uuid = (await commentsOf(page)).at(-1)?.assets[0]?.uuid ?? "";
    const before = await owner.get("/alice/other/issues");
    expect(before.text).not.toContain("Moved");
    const sent = await send(owner, page, "transfer", { to: "alice/other" });
    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(/^\/alice\/other\/issues\/\d+$/);
    const moved = (await bob.api.get<Issue>(`/repos${sent.location}`)).body;
    expect([moved.title, moved.body, moved.user.login]).toEqual(["Moved <b>", "text now", "alice"]);
    expect([moved.labels.map(({ name }) => name), moved.milestone?.title]).toEqual([["both"], "1.0"]);
    expect((await nobody.get(`/attachments/${uuid}`)).text).toBe("bytes");
    const comments = await commentsOf(sent.location);
    expect(comments.map(({ body, user, assets }) => [body, user.login, assets.length])).toEqual([
      ["from bob", "bob", 0],
      ["with a file", "alice", 1],
    ]);
    expect((await nobody.get(`${sent.location}/history`)).text.replaceAll(/<[^>]*>/g, "")).toContain("text now");
    expect((await nobody.get(page)).location).toBe(sent.location);
    expect((await bob.api.get(`/repos${page}`)).status).toBe(404);
    expect((await nobody.get("/alice/tour/issues")).text).not.toContain("Moved");
    // And on: both old addresses lead to where it is now, for those who see it there.
    const again = await send(owner, sent.location, "transfer", { to: "alice/closed" });
    expect((await owner.get(page)).location).toBe(again.location);
    expect([(await nobody.get(page)).status, (await stranger.get(sent.location)).status]).toEqual([404, 404]);
  });
});
