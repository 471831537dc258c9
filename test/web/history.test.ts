import { afterAll, describe, expect, test } from "bun:test";
import { Scratch, mustGit } from "../support/git.ts";
import { WebVisitor } from "../support/web-visitor.ts";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
const nobody = new WebVisitor(app.url);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await app.repository(alice, "empty");
await alice.api.post("/repos/alice/tour/issues", { title: "An issue" });

async function write(path: string, text: string, message: string, branch = "main"): Promise<string> {
  const body = { content: Buffer.from(text).toString("base64"), message, branch };
  const { commit } = (
    await alice.api.post<{ commit: { sha: string } }>(`/repos/alice/tour/contents/${encodeURIComponent(path)}`, body)
  ).body;
  return commit.sha;
}

const first = await write("one.txt", "anvil anvil\n", "Add <b>one</b> for #1\n\nA hammer, too");
await write("two.txt", "tongs\n", "Add two");

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}

const titles = (text: string) =>
  [...text.matchAll(/<div class="titled" dir="auto">(.*?)<\/div>/g)].map(([, title = ""]) =>
    title.replaceAll(/<[^>]*>/g, ""),
  );

describe("commits", () => {
  const commits = "/alice/tour/commits/branch/main";

  test("of a hidden repository are for those who may read it", async () => {
    const hidden = "/alice/closed/commits/branch/main";
    expect((await nobody.get(hidden)).status).toBe(404);
    expect((await (await signedIn("bob")).get(`${hidden}?q=x`)).status).toBe(404);
    expect((await (await signedIn("alice")).get(hidden)).status).toBe(200);
  });

  test("are a page that crawlers leave", async () => {
    expect((await nobody.get(commits)).headers.get("x-robots-tag")).toBe("noindex, nofollow");
  });

  test("are for users where the operator says so", async () => {
    await using other = await TestApp.start({ web: { history: "signed-in" } });
    const carol = await other.user("carol");
    await other.repository(carol, "tour", { auto_init: true });
    const stranger = new WebVisitor(other.url);
    const [tip] = (await carol.api.get<{ sha: string }[]>("/repos/carol/tour/commits")).body;
    expect((await stranger.get(`/carol/tour/commit/${tip?.sha}`)).status).toBe(303);
    const page = await stranger.get("/carol/tour/commits/branch/main");
    expect([page.status, page.location]).toEqual([
      303,
      "/user/login?redirect_to=%2Fcarol%2Ftour%2Fcommits%2Fbranch%2Fmain",
    ]);
    const browser = new WebVisitor(other.url);
    await browser.signIn("carol", testPassword);
    expect((await browser.get("/carol/tour/commits/branch/main")).status).toBe(200);
  });

  test("say what they are, link what they refer to, and their markup is text", async () => {
    await alice.api.post(`/repos/alice/tour/statuses/${first}`, { context: "ci", state: "failure" });
    const { text } = await nobody.get(commits);
    expect(titles(text)).toEqual(["Add two", "Add &lt;b&gt;one&lt;/b&gt; for #1", "Initial commit"]);
    expect(text).toContain(`href="${app.url}/alice/tour/issues/1" class="ref-issue"`);
    expect(text).toContain(`href="/alice/tour/src/commit/${first}"`);
    expect(text.match(/A check failed/g)?.length).toBe(2);
  });

  test.each([
    ["add", ["Add two", "Add &lt;b&gt;one&lt;/b&gt; for #1"]],
    ["HAMMER", ["Add &lt;b&gt;one&lt;/b&gt; for #1"]],
    [first.slice(0, 8), ["Add &lt;b&gt;one&lt;/b&gt; for #1"]],
    ["changes:anvil", ["Add &lt;b&gt;one&lt;/b&gt; for #1"]],
    ["path:two.txt", ["Add two"]],
    ["author:nobody", []],
    ["author:ALICE two", ["Add two"]],
    ["before:2020-01-01", []],
    ["after:2020-01-01 two", ["Add two"]],
  ])("are searched for %p", async (query, expected) => {
    const page = await nobody.get(`${commits}?q=${encodeURIComponent(query)}`);
    expect([page.status, titles(page.text)]).toEqual([200, expected]);
  });

  test("a search that cannot be read says why and keeps what was typed", async () => {
    const page = await nobody.get(`${commits}?q=${encodeURIComponent('before:"<b>"')}`);
    expect(page.status).toBe(422);
    expect(page.text).toContain('value="before:&quot;&lt;b&gt;&quot;"');
    expect(page.text).toContain("before: takes a day such as 2026-01-31, not &quot;&lt;b&gt;&quot;");
  });

  test("of what is not there are not there, and odd pages are empty", async () => {
    for (const path of [
      "/alice/tour/commits/branch/none",
      "/alice/empty/commits/branch/main",
      "/alice/tour/commits/x",
    ]) {
      expect((await nobody.get(path)).status).toBe(404);
    }
    const near = await nobody.get("/alice/tour/commits/branch/mian/one.txt");
    expect([near.status, near.text.includes('href="/alice/tour/commits/branch/main/one.txt"')]).toEqual([404, true]);
    for (const query of ["page=999999", "page=-1", "page=x&q=add", "q=add&page=99", "q=%00%ff"]) {
      expect((await nobody.get(`${commits}?${query}`)).status).toBe(200);
    }
  });
});

describe("the graph", () => {
  const graph = "/alice/tour/graph";

  test("draws branches beside their commits, and only those that are chosen", async () => {
    const body = { content: "", message: "On <i>side</i>", new_branch: "side/<one>" };
    await alice.api.post("/repos/alice/tour/contents/side.txt", body);
    await write("three.txt", "x\n", "Add three");
    const all = await nobody.get(graph);
    expect([all.status, all.headers.get("x-robots-tag")]).toEqual([200, "noindex, nofollow"]);
    const circles = (text: string) => [...text.matchAll(/<circle class="lane(\d)"/g)].map(([, lane]) => lane);
    expect(circles(all.text)).toHaveLength(5);
    expect(new Set(circles(all.text))).toEqual(new Set(["0", "1"]));
    expect(all.text).toContain("On &lt;i&gt;side&lt;/i&gt;");
    expect(all.text).toContain('href="/alice/tour/src/branch/side/%3Cone%3E">side/&lt;one&gt;</a>');
    const one = await nobody.get(`${graph}?branch=main&branch=none`);
    expect(circles(one.text)).toEqual(["0", "0", "0", "0"]);
    expect(one.text).toContain("There is no branch called none.");
    expect(one.text).not.toContain("On &lt;i&gt;");
  });

  test("has no commit before its children, whatever their dates are", async () => {
    await app.repository(alice, "dates", { default_branch: "main" });
    const work = scratch.join("dates");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
    for (const year of [2026, 2020, 2019]) {
      const env = { GIT_COMMITTER_DATE: `${year}-01-01T00:00:00Z` };
      await mustGit(work, ["commit", "-q", "--allow-empty", "-m", `of ${year}`], { env });
      await mustGit(work, ["branch", `of-${year}`]);
    }
    const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/dates.git`;
    await mustGit(work, ["push", "-q", url, "--all"]);
    const { text } = await nobody.get("/alice/dates/graph");
    const shown = [...text.matchAll(/dir="auto">of (\d+)<\/a>/g)].map(([, year]) => year);
    expect(shown).toEqual(["2019", "2020", "2026"]);
  });

  test("has pages, and none of what is not there", async () => {
    for (const query of ["page=2", "page=9999999", "branch=%00", `branch=${"x".repeat(3000)}`]) {
      const page = await nobody.get(`${graph}?${query}`);
      expect([query.slice(0, 20), page.status]).toEqual([query.slice(0, 20), 200]);
    }
    expect((await nobody.get("/alice/empty/graph")).text).toContain("No commits");
    expect((await nobody.get("/alice/closed/graph")).status).toBe(404);
  });
});

describe("activity", () => {
  const activity = "/alice/tour/activity";

  test("says what happened within a period", async () => {
    await alice.api.post("/repos/alice/tour/issues", { title: "A <b>closed</b> one" });
    await alice.api.patch("/repos/alice/tour/issues/2", { state: "closed" });
    const body = { content: "", message: "For a pull request", new_branch: "offer" };
    await alice.api.post("/repos/alice/tour/contents/offer.txt", body);
    const pull = { title: "An <i>offer</i>", head: "offer", base: "main" };
    expect((await alice.api.post("/repos/alice/tour/pulls", pull)).status).toBe(201);
    expect((await alice.api.post("/repos/alice/tour/pulls/3/merge", { Do: "merge" })).status).toBe(200);
    await alice.api.post("/repos/alice/tour/releases", { tag_name: "v1", name: "The first", target_commitish: "main" });
    for (const period of ["", "?period=day", "?period=month", "?period=quarter", "?period=year", "?period=%00"]) {
      const { status, text } = await nobody.get(activity + period);
      expect([period, status]).toEqual([period, 200]);
      // The merge commit is none of them.
      expect(text).toContain(
        "5 commits by 1 author; 1 pull request merged, 1 opened; 1 issue closed, 2 opened; 1 release.",
      );
      expect(text).toContain("An &lt;i&gt;offer&lt;/i&gt;");
      expect(text).toContain("A &lt;b&gt;closed&lt;/b&gt; one");
      expect(text).toContain("The first");
      expect(text).toContain('<svg class="bars"');
    }
    const contributors = await nobody.get(`${activity}/contributors`);
    expect(contributors.text).toContain("5 commits by 1 author from");
    expect(contributors.text).toContain('href="/alice"><b>alice</b></a>');
  });

  test("is empty, hidden, and without what one may not read", async () => {
    expect((await nobody.get("/alice/empty/activity")).status).toBe(200);
    expect((await nobody.get("/alice/empty/activity/contributors")).text).toContain("No commits");
    for (const path of ["activity", "activity/contributors"]) {
      expect((await nobody.get(`/alice/closed/${path}`)).status).toBe(404);
      expect((await (await signedIn("bob")).get(`/alice/closed/${path}`)).status).toBe(404);
    }
    await alice.api.patch("/repos/alice/tour", { has_issues: false });
    const { text } = await nobody.get(activity);
    expect(text).not.toContain("A &lt;b&gt;closed");
    expect(text).toContain("An &lt;i&gt;offer");
  });
});

describe("the menu of branches and tags", () => {
  test("is searched without script, and leads to the same path", async () => {
    const page = await nobody.get("/alice/tour/refs?q=MAI&view=commits&path=one.txt");
    expect(page.status).toBe(200);
    expect(page.text).toContain('<a href="/alice/tour/commits/branch/main/one.txt">');
    expect(page.text).not.toContain("side/");
    const none = await nobody.get("/alice/tour/refs?q=<none>&view=javascript:&path=%00");
    expect([none.status, none.text.includes("No branch or tag is called like that")]).toEqual([200, true]);
    expect((await nobody.get("/alice/closed/refs")).status).toBe(404);
    const menu = (await nobody.get("/alice/tour/src/branch/main/one.txt")).text;
    expect(menu).toContain('<input type="hidden" name="path" value="one.txt">');
    expect(menu).not.toContain("New branch from here");
    expect((await (await signedIn("alice")).get("/alice/tour")).text).toContain("/branches/new?from=main");
  });
});
