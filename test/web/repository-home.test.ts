import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const nobody = new WebVisitor(app.url);
const encode = (text: string) => Buffer.from(text).toString("base64");

async function browserOf({ name }: TestUser): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

const aliceBrowser = await browserOf(alice);
const bobBrowser = await browserOf(bob);

async function addFile(by: TestUser, repository: string, path: string, text: string, branch?: string): Promise<string> {
  const { status, body } = await by.api.post<{ commit: { sha: string } }>(`/repos/${repository}/contents/${path}`, {
    content: encode(text),
    message: `Add ${path}`,
    ...(branch === undefined ? {} : { new_branch: branch }),
  });
  expect(status).toBe(201);
  return body.commit.sha;
}

/** The page without its frame. */
const mainOf = (text: string) => text.slice(text.indexOf("<main"), text.indexOf("</main>"));

describe("the front page", () => {
  test("has the figures, the state of the last commit, and the outline of the README", async () => {
    await app.repository(alice, "tour", { description: "A <b>tour</b>" });
    await addFile(alice, "alice/tour", "README.md", "# One\n\n## A & <b>B</b>\n\n```\ncode\n```\n");
    const sha = await addFile(alice, "alice/tour", "two.txt", "2");
    await alice.api.post(`/repos/alice/tour/statuses/${sha}`, { state: "failure", context: "ci" });
    const page = mainOf((await nobody.get("/alice/tour")).text);
    expect(page).toContain('<b class="text num">2</b> commits');
    expect(page).toContain('<a class="mark red" title="A check failed"');
    expect(page).toContain("A &lt;b&gt;tour&lt;/b&gt;");
    expect(page).toContain('<a class="level-2" href="#user-content-a--b"><span class="cut">A &amp; B</span></a>');
    expect(page).toContain('<pre tabindex="0">');
    expect(page).toContain('value="http://');
    expect(page).toContain("vscode://vscode.git/clone?url=http%3A%2F%2F");
    expect(page).toContain("/alice/tour/archive/main.bundle");
    expect(page).toMatch(/<h2>People<\/h2><ul class="line flow"><li><a href="\/alice"/);
    // What changes files is offered to those who may.
    expect(page).not.toContain("/_new/");
    expect(mainOf((await bobBrowser.get("/alice/tour")).text)).not.toContain("/_new/");
    const own = mainOf((await aliceBrowser.get("/alice/tour")).text);
    expect(own).toContain('href="/alice/tour/_new/main"');
    expect(own).toContain('href="/alice/tour/_edit/main/README.md"');
  });

  test("guides through the first push, whatever the branch is called", async () => {
    await app.repository(alice, "empty", { default_branch: "it's" });
    const own = mainOf((await aliceBrowser.get("/alice/empty")).text);
    expect(own).toContain("git push -u origin &#x27;it&#x27;\\&#x27;&#x27;s&#x27;");
    expect(mainOf((await nobody.get("/alice/empty")).text)).not.toContain("git push");
  });

  test("offers what was just pushed for a pull request, to those who pushed it", async () => {
    await addFile(alice, "alice/tour", "three.txt", "3", "topic/three");
    const own = mainOf((await aliceBrowser.get("/alice/tour")).text);
    expect(own).toContain('You pushed to <span class="ref">topic/three</span>');
    expect(own).toContain('href="/alice/tour/compare/main...topic/three"');
    expect(mainOf((await bobBrowser.get("/alice/tour")).text)).not.toContain("You pushed");
    await alice.api.post("/repos/alice/tour/pulls", { title: "Three", head: "topic/three", base: "main" });
    expect(mainOf((await aliceBrowser.get("/alice/tour")).text)).not.toContain("You pushed");
  });
});

describe("a fork", () => {
  test("says how it stands to its parent, and is brought up to it by those who may write", async () => {
    await app.repository(alice, "parent", { auto_init: true });
    await bob.api.post("/repos/alice/parent/forks", {});
    expect(mainOf((await nobody.get("/bob/parent")).text)).toContain('Forked from <a href="/alice/parent">');
    await addFile(alice, "alice/parent", "new.txt", "new");
    const page = mainOf((await aliceBrowser.get("/bob/parent")).text);
    expect(page).toContain("is 1 commit behind of its");
    expect(page).not.toContain("/sync_fork");
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await aliceBrowser.get("/")).text)?.[1] ?? "";
    expect((await aliceBrowser.post("/bob/parent/sync_fork", { _csrf: csrf })).status).toBe(403);
    const synced = await bobBrowser.submit("/bob/parent", {}, "/bob/parent/sync_fork");
    expect([synced.status, synced.location]).toEqual([303, "/bob/parent"]);
    expect((await bobBrowser.get("/bob/parent")).text).toContain("The branch has the new commits of its parent");
    expect((await bob.api.get("/repos/bob/parent/contents/new.txt")).status).toBe(200);
  });

  test("that cannot be merged says so on its page", async () => {
    await addFile(alice, "alice/parent", "same.txt", "alice");
    await addFile(bob, "bob/parent", "same.txt", "bob");
    expect(mainOf((await bobBrowser.get("/bob/parent")).text)).toContain("1 commit ahead and 1 commit behind");
    const failed = await bobBrowser.submit("/bob/parent", {}, "/bob/parent/sync_fork");
    expect(failed.status).toBe(409);
    expect(mainOf(failed.text)).toContain('<div class="note bad" role="alert">');
  });

  test("does not name a parent that its reader may not see", async () => {
    await alice.api.patch("/repos/alice/parent", { private: true });
    expect(mainOf((await bobBrowser.get("/bob/parent")).text)).not.toMatch(/Forked from|alice\/parent/);
    await alice.api.patch("/repos/alice/parent", { private: false });
  });
});

describe("an offer to a new owner", () => {
  test("is answered by those whom it is made to", async () => {
    const carol = await app.user("carol");
    const carolBrowser = await browserOf(carol);
    await app.repository(alice, "gift");
    await alice.api.post("/repos/alice/gift/transfer", { new_owner: "bob" });
    expect((await carolBrowser.get("/alice/gift")).text).not.toContain("offers this repository");
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await carolBrowser.get("/")).text)?.[1] ?? "";
    for (const answer of ["accept", "reject"]) {
      expect((await carolBrowser.post(`/alice/gift/action/${answer}_transfer`, { _csrf: csrf })).status).toBe(403);
    }
    expect((await aliceBrowser.get("/alice/gift")).text).toContain("Withdraw the offer");
    const rejected = await bobBrowser.submit("/alice/gift", {}, "/alice/gift/action/reject_transfer");
    expect([rejected.status, rejected.location]).toEqual([303, "/"]);
    expect((await bobBrowser.get("/alice/gift")).text).not.toContain("offers this repository");
    await alice.api.post("/repos/alice/gift/transfer", { new_owner: "bob" });
    const accepted = await bobBrowser.submit("/alice/gift", {}, "/alice/gift/action/accept_transfer");
    expect([accepted.status, accepted.location]).toEqual([303, "/bob/gift"]);
    expect((await bob.api.get<{ owner: { login: string } }>("/repos/bob/gift")).body.owner.login).toBe("bob");
  });
});

test("only a mirror is synchronized", async () => {
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await aliceBrowser.get("/")).text)?.[1] ?? "";
  const answer = await aliceBrowser.post("/alice/tour/mirror-sync", { _csrf: csrf });
  expect(answer.status).toBe(422);
  expect(mainOf(answer.text)).toContain("is not a mirror");
});
