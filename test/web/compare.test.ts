import { afterAll, describe, expect, test } from "bun:test";
import { Scratch, mustGit } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const nobody = new WebVisitor(app.url);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const [asAlice, asBob] = [await signedIn("alice"), await signedIn("bob")];

await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await app.repository(alice, "closed", { private: true, auto_init: true, default_branch: "main" });
const urlOf = (owner: typeof alice, path: string) =>
  `${app.url.replace("://", `://${path.split("/")[0]}:${owner.token}@`)}/${path}.git`;
const work = scratch.join("work");
await mustGit(scratch.path, ["clone", "-q", urlOf(alice, "alice/tour"), work]);

async function commit(branch: string, file: string, text: string, subject: string): Promise<string> {
  await Bun.write(`${work}/${file}`, text);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", subject]);
  await mustGit(work, ["push", "-q", "origin", `HEAD:refs/heads/${branch}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

const first = await commit("main", "a.txt", "one\ntwo\nthree\n", "Begin");
const topic = await commit("feat/words", "a.txt", "one\n2 <b>\nthree\n", "Write <words>\n\nBecause of it.");
await mustGit(work, ["push", "-q", "origin", `${first}:refs/tags/v1`]);
await mustGit(work, ["checkout", "-q", "--orphan", "other"]);
await commit("other", "b.txt", "other\n", "Begin elsewhere");
await bob.api.post("/repos/alice/tour/forks", {});
const fork = scratch.join("fork");
await mustGit(scratch.path, ["clone", "-q", urlOf(bob, "bob/tour"), fork]);
await Bun.write(`${fork}/c.txt`, "of the fork\n");
await mustGit(fork, ["add", "-A"]);
await mustGit(fork, ["commit", "-q", "-m", "Add c"]);
await mustGit(fork, ["push", "-q", "origin", "HEAD:refs/heads/mine"]);

const home = "/alice/tour/compare";
const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
const pulls = async () => (await alice.api.get<unknown[]>("/repos/alice/tour/pulls?state=all")).body.length;

describe("what one may not do", () => {
  test("a private repository is hidden, and so are private forks", async () => {
    for (const path of ["", "/main...main", "/main"]) {
      expect((await nobody.get(`/alice/closed/compare${path}`)).status).toBe(404);
      expect((await asBob.get(`/alice/closed/compare${path}`)).status).toBe(404);
    }
    await app.repository(bob, "unrelated", { auto_init: true, default_branch: "main" });
    for (const head of ["alice/closed:main", "bob/unrelated:main", "carol:main", "bob/tour:nothing"]) {
      const { status, text } = await asBob.get(`${home}/main...${head}`);
      expect(status).toBe(404);
      expect(text).toContain("There is no branch, tag or commit");
    }
  });

  test("nobody opens a pull request without an account, or from what is no branch", async () => {
    const { text } = await nobody.get(`${home}/main...feat/words`);
    expect(text).not.toContain("Create pull request");
    const form = { _csrf: csrfOf((await asAlice.get("/")).text), title: "T", body: "" };
    expect((await nobody.post(`${home}/main...feat/words`, { ...form, _csrf: "x" })).status).toBe(403);
    for (const range of ["main...v1", "main...main", `main...${topic}`, "main...other", "v1...feat/words"]) {
      const answer = await asAlice.post(`${home}/${range}`, form);
      expect([range, answer.status >= 400 && answer.status < 500]).toEqual([range, true]);
    }
    expect(await pulls()).toBe(0);
  });
});

describe("a comparison", () => {
  test("shows commits and changes of branches with slashes, tags and oids", async () => {
    for (const range of [
      "main...feat/words",
      "v1...feat/words",
      `${first}..${topic}`,
      "feat/words",
      "main..feat/words",
    ]) {
      const { status, text, headers } = await nobody.get(`${home}/${range}`);
      expect([range, status]).toEqual([range, 200]);
      expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
      expect(text).toContain("Write &lt;words&gt;");
      expect(text).toContain("1 commit");
      expect(text).toContain("<tr class=d><td data-n=2><td><td>two");
      expect(text).toContain("<tr class=a><td><td data-n=2><td>2 &lt;b&gt;");
    }
  });

  test("shows what a fork has", async () => {
    for (const head of ["bob:mine", "bob/tour:mine", "BOB/TOUR:mine"]) {
      const { status, text } = await nobody.get(`${home}/main...${head}`);
      expect(status).toBe(200);
      expect(text).toContain("of the fork");
      expect(text).toContain("/bob/tour/src/commit/");
    }
    const { text } = await nobody.get("/bob/tour/compare/alice:main...mine");
    expect(text).toContain("of the fork");
  });

  test("says what there is where nothing can be compared", async () => {
    expect((await nobody.get(`${home}/main...main`)).text).toContain("There is nothing to compare");
    expect((await nobody.get(`${home}/feat/words...main`)).text).toContain("Compare the other way round");
    const unrelated = await nobody.get(`${home}/main...other`);
    expect(unrelated.text).toContain("no history in common");
    expect((await nobody.get(`${home}/main..other`)).text).toContain("b.txt");
    const missing = await nobody.get(`${home}/main...feat/wrods`);
    expect(missing.status).toBe(404);
    expect(missing.text).toContain('href="/alice/tour/compare/main...feat/words"');
    for (const odd of [
      "main...",
      "...",
      "..",
      "%2e%2e%2e%2e",
      "a..b..c",
      `main...${"x".repeat(3000)}`,
      "<b>...main",
      "a:b:c...d",
    ]) {
      expect([odd, (await nobody.get(`${home}/${odd}`)).status < 500]).toEqual([odd, true]);
    }
  });

  test("is chosen by a form", async () => {
    expect((await nobody.get(home)).text).toContain('<option value="feat/words">');
    expect((await nobody.get(`${home}?base=v1&head=feat%2Fwords`)).location).toBe(`${home}/v1...feat/words`);
    expect((await nobody.get(`${home}?head=bob:mine`)).location).toBe(`${home}/main...bob%3Amine`);
  });
});

describe("a pull request", () => {
  test("is refused without a title, and keeps what was typed", async () => {
    const page = await asAlice.get(`${home}/main...feat/words`);
    expect(page.text).toContain('value="Write &lt;words&gt;"');
    expect(page.text).toContain("\nBecause of it.</textarea>");
    const answer = await asAlice.post(`${home}/main...feat/words`, {
      _csrf: csrfOf(page.text),
      title: " ",
      body: "Kept <text>",
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('aria-invalid="true"');
    expect(answer.text).toContain("\nKept &lt;text&gt;</textarea>");
    expect(await pulls()).toBe(0);
  });

  test("proposes the template, shows the code owners, and previews the text", async () => {
    await alice.api.post("/repos/alice/tour/contents/.gitea/PULL_REQUEST_TEMPLATE.md", {
      content: btoa("---\nname: x\n---\n<!-- Say -->\nWhy?\n"),
      message: "Add a template",
      branch: "main",
    });
    await alice.api.post("/repos/alice/tour/contents/CODEOWNERS", {
      content: btoa(".* @bob\n"),
      message: "Add owners",
      branch: "main",
    });
    const page = await asAlice.get(`${home}/main...feat/words`);
    expect(page.text).toContain("Because of it.\n\n&lt;!-- Say --&gt;\nWhy?</textarea>");
    expect(page.text).toContain("Code owners of the changed files: <b>bob</b>");
    const form = { _csrf: csrfOf(page.text), title: "Kept", body: "*how* it looks", reviewers: "bob", preview: "1" };
    const preview = await asAlice.post(`${home}/main...feat/words`, form);
    expect([preview.status, preview.text.includes("<em>how</em> it looks"), await pulls()]).toEqual([200, true, 0]);
    expect(preview.text).toContain('value="Kept"');
  });

  test("is opened once", async () => {
    const page = await asAlice.get(`${home}/main...feat/words`);
    const form = { _csrf: csrfOf(page.text), title: "Words", body: "Text" };
    const answer = await asAlice.post(`${home}/main...feat/words`, form);
    expect([answer.status, answer.location]).toEqual([303, "/alice/tour/pulls/1"]);
    const after = await asAlice.get(`${home}/main...feat/words`);
    expect(after.text).toContain('<a href="/alice/tour/pulls/1">Pull request #1</a> is open');
    expect(after.text).not.toContain("Create pull request");
    expect((await asAlice.post(`${home}/main...feat/words`, form)).status).toBe(409);
    expect(await pulls()).toBe(1);
    await alice.api.patch("/repos/alice/tour", { has_pull_requests: false });
    for (const visitor of [nobody, asAlice]) {
      expect((await visitor.get(`${home}/main...feat/words`)).text).not.toContain("Pull request #1");
    }
    await alice.api.patch("/repos/alice/tour", { has_pull_requests: true });
  });

  test("is opened from a fork by who may only read the base", async () => {
    const page = await asBob.get(`${home}/main...bob:mine`);
    const answer = await asBob.post(`${home}/main...bob:mine`, { _csrf: csrfOf(page.text), title: "C", body: "" });
    expect(answer.status).toBe(303);
    const { body } = await alice.api.get<{ title: string; head: { repo: { full_name: string } } }>(
      "/repos/alice/tour/pulls/2",
    );
    expect([body.title, body.head.repo.full_name]).toEqual(["C", "bob/tour"]);
  });

  test("is opened with all that was chosen, or not at all", async () => {
    const label = await alice.api.post<{ id: number }>("/repos/alice/tour/labels", { name: "kind", color: "#336699" });
    const milestone = await alice.api.post<{ id: number }>("/repos/alice/tour/milestones", { title: "1.0" });
    await alice.api.post("/repos/alice/tour/branches", { new_branch_name: "chosen", old_ref_name: "feat/words" });
    await alice.api.post("/repos/alice/tour/branches", { new_branch_name: "base", old_ref_name: "main" });
    const at = `${home}/base...chosen`;
    const fields = {
      _csrf: csrfOf((await asAlice.get(at)).text),
      title: "Chosen",
      body: "",
      draft: "1",
      label: String(label.body.id),
      milestone: String(milestone.body.id),
      assignee: "alice",
    };
    const refused = await asAlice.post(at, { ...fields, reviewers: "@bob, nobody-there" });
    expect([refused.status, refused.text.includes('id="reviewers_problem"'), await pulls()]).toEqual([422, true, 2]);
    expect(refused.text).toContain('value="@bob, nobody-there"');
    const { location } = await asAlice.post(at, { ...fields, reviewers: "@bob" });
    const { body } = await alice.api.get(`/repos/alice/tour${location.slice("/alice/tour".length)}`);
    expect(body).toMatchObject({
      title: "WIP: Chosen",
      requested_reviewers: [{ login: "bob" }],
      labels: [{ name: "kind" }],
      assignees: [{ login: "alice" }],
      milestone: { title: "1.0" },
    });
  });
});
