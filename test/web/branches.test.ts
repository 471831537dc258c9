import { afterAll, describe, expect, test } from "bun:test";
import { repackRepository, type Maintenance } from "../../src/domain/server/maintenance/repack-repository.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
const nobody = new WebVisitor(app.url);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const [asAlice, asBob] = [await signedIn("alice"), await signedIn("bob")];

const { id } = await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await app.repository(alice, "closed", { private: true, auto_init: true });
const home = "/alice/tour";
const urlOf = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;

const work = scratch.join("work");
await mustGit(scratch.path, ["clone", "-q", urlOf("tour"), work]);

/** Commits an empty change and pushes it to a branch. Answers its oid. */
async function push(branch: string, subject: string, ...options: string[]): Promise<string> {
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", subject]);
  await mustGit(work, ["push", "-q", ...options, "origin", `HEAD:refs/heads/${branch}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

const branchNames = (text: string) =>
  [...text.matchAll(/<a class="ref" href="[^"]*">([^<]*)<\/a>/g)].map(([, name]) => name);
const tipOf = async (branch: string) =>
  (await alice.api.get<{ commit: { id: string } }>(`/repos/alice/tour/branches/${encodeURIComponent(branch)}`)).body
    .commit?.id;

describe("what one may not do", () => {
  test("is offered to nobody, and refused", async () => {
    await push("readers", "For readers");
    for (const path of ["/branches/new", "/branches/rename", "/branches/lost", "/branches/lost/1", "/tags/new"]) {
      expect((await asBob.get(`/alice/closed${path}`)).status).toBe(404);
      expect((await nobody.get(home + path)).location).toStartWith("/user/login");
      expect((await asBob.get(home + path)).status).toBe(403);
    }
    const { text } = await asBob.get(`${home}/branches`);
    expect(text).not.toContain("/branches/new");
    expect(text).not.toContain("Delete");
    const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    for (const path of ["/branches/new", "/branches/rename", "/branches/delete", "/branches/lost/1", "/tags/delete"]) {
      expect((await asBob.post(home + path, { _csrf: csrf, name: "readers", old: "readers" })).status).toBe(403);
    }
    expect(await tipOf("readers")).toBeString();
  });

  test("is told before: the default branch and protected ones", async () => {
    await push("guarded/one", "Guarded");
    await alice.api.post("/repos/alice/tour/branch_protections", { rule_name: "guarded/*", enable_push: true });
    const { text } = await asAlice.get(`${home}/branches`);
    expect(text).toContain("It cannot be deleted: refusing to delete the default branch.");
    expect(text).toContain("It cannot be deleted: nobody may delete it.");
    expect(text).toContain("It cannot be renamed: nobody may delete it.");
    expect(text).toMatch(/guarded\/one<\/a>\s*<span class="tag"><svg[^>]*>.*?<\/svg>protected/);
  });
});

describe("the list", () => {
  test("has the default branch first, then the latest, how far they are from it, and their pull requests", async () => {
    await mustGit(work, ["reset", "-q", "--hard", "origin/main"]);
    await push("far", "One");
    const tip = await push("far", "Two <b>");
    await alice.api.post("/repos/alice/tour/pulls", { title: "Far", head: "far", base: "main" });
    await alice.api.post(`/repos/alice/tour/statuses/${tip}`, { context: "ci", state: "success" });
    const { text } = await nobody.get(`${home}/branches`);
    expect(branchNames(text)[0]).toBe("main");
    expect(text).toContain("2 ahead of main, 0 behind");
    expect(text).toContain("Two &lt;b&gt;");
    expect(text).toMatch(/href="\/alice\/tour\/pulls\/\d+">/);
    expect(text).toContain("All checks passed");
  });

  test("is searched, and shows one's own, active and stale ones", async () => {
    expect(branchNames((await nobody.get(`${home}/branches?q=FAR`)).text)).toEqual(["far"]);
    expect((await nobody.get(`${home}/branches?q=%00%25`)).text).toContain("No branch is like that");
    const yours = branchNames((await asAlice.get(`${home}/branches?view=yours`)).text);
    expect(yours).toContain("far");
    expect(branchNames((await asBob.get(`${home}/branches?view=yours`)).text)).toEqual([]);
    // The commits of this test are of a fixed day in January.
    expect(branchNames((await nobody.get(`${home}/branches?view=stale`)).text)).toContain("far");
    expect(branchNames((await nobody.get(`${home}/branches?view=active`)).text)).toEqual(["main"]);
  });

  test("shows names with every character that git allows", async () => {
    const odd = "a/<b>&\"'%20#$é…";
    await mustGit(work, ["push", "-q", "origin", `HEAD:refs/heads/${odd}`]);
    const { text } = await asAlice.get(`${home}/branches?q=${encodeURIComponent(odd)}`);
    const [, href = ""] = /<a class="ref" href="([^"]*)"/.exec(text.replaceAll("&#x27;", "'")) ?? [];
    expect((await nobody.get(href)).status).toBe(200);
    const form = { name: odd };
    expect((await asAlice.submit(`${home}/branches`, form, `${home}/branches/delete`)).status).toBe(303);
    expect((await nobody.get(href)).status).toBe(404);
  });
});

describe("forms", () => {
  test("make a branch from anything that there is", async () => {
    const page = `${home}/branches/new`;
    const made = await asAlice.submit(page, { name: "made/here", from: "far" });
    expect([made.status, made.location]).toEqual([303, "/alice/tour/src/branch/made/here"]);
    expect(await tipOf("made/here")).toBe(await tipOf("far"));
    const again = await asAlice.submit(page, { name: "made/here", from: "far" });
    expect([again.status, again.text.includes('value="made/here"')]).toEqual([409, true]);
    expect(again.text).toContain("The branch &quot;made/here&quot; exists already.");
    const bad = await asAlice.submit(page, { name: "a..<b", from: "none" });
    expect([bad.status, bad.text.includes('value="a..&lt;b"'), bad.text.includes('aria-invalid="true"')]).toEqual([
      422,
      true,
      true,
    ]);
    const lost = await asAlice.submit(page, { name: "x", from: "none" });
    // The name is right: what is wrong is told once, above the form.
    expect([lost.status, lost.text.includes('aria-invalid="true"'), lost.text.split("none&quot;").length]).toEqual([
      404,
      false,
      2,
    ]);
  });

  test("rename and delete one", async () => {
    const renamed = await asAlice.submit(`${home}/branches/rename?name=made/here`, { name: "moved" });
    expect([renamed.status, await tipOf("made/here"), await tipOf("moved")]).toEqual([
      303,
      undefined as unknown as string,
      await tipOf("far"),
    ]);
    const refused = await asAlice.submit(`${home}/branches/rename?name=moved`, { name: "far" });
    expect([refused.status, refused.text.includes("exists already")]).toEqual([422, true]);
    const deleted = await asAlice.submit(`${home}/branches`, { name: "moved" }, `${home}/branches/delete`);
    expect(deleted.status).toBe(303);
    expect((await asAlice.get(deleted.location)).text).toContain("it can be restored for 90 days");
    const gone = await asAlice.submit(`${home}/branches`, { name: "main" }, `${home}/branches/delete`);
    expect([gone.status, await tipOf("main")]).toEqual([403, await tipOf("main")]);
  });

  test("make tags and delete them, but not those of a release", async () => {
    const page = `${home}/tags/new`;
    expect((await asAlice.submit(page, { name: "v1", target: "far", message: "" })).status).toBe(303);
    const message = "First\n\nWith <b>more</b>";
    expect((await asAlice.submit(page, { name: "v2", target: "", message })).status).toBe(303);
    const refused = await asAlice.submit(page, { name: "v1", target: "far", message: "kept" });
    expect([refused.status, refused.text.includes(">kept</textarea>")]).toEqual([409, true]);
    await alice.api.post("/repos/alice/tour/releases", { tag_name: "v1" });
    const { text } = await asAlice.get(`${home}/tags`);
    expect(branchNames(text).toSorted()).toEqual(["v1", "v2"]);
    expect(text).toContain("With &lt;b&gt;more&lt;/b&gt;");
    expect(text).toContain("It cannot be deleted: it has a release, which has to be deleted first.");
    expect(branchNames((await nobody.get(`${home}/tags?q=2`)).text)).toEqual(["v2"]);
    const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    const deleting = (name: string) => asAlice.post(`${home}/tags/delete`, { _csrf: csrf, name });
    expect([(await deleting("v2")).status, (await deleting("v1")).status]).toEqual([303, 409]);
    expect(branchNames((await nobody.get(`${home}/tags`)).text)).toEqual(["v1"]);
  });
});

describe("what branches gave up", () => {
  const maintenance: Maintenance = {
    db: app.forge.database.db,
    change: app.forge.change,
    blobs: app.forge.files.blobs,
    config: app.forge.config,
    git: app.forge.git.engine,
    packDirectory: app.forge.files.packDirectory,
    temporaryDirectory: app.forge.files.temporaryDirectory,
  };
  const entries = (text: string) =>
    [...text.matchAll(/href="(\/alice\/tour\/branches\/lost\/\d+)" aria-label="Look at ([^ ]*) /g)].map(
      ([, path = "", name = ""]) => ({ path, name }),
    );

  test("is kept over a repack, seen by writers alone, and restored", async () => {
    await mustGit(work, ["reset", "-q", "--hard", "origin/main"]);
    const deleted = await push("doomed", "Doomed");
    const former = await push("forced", "Former");
    await mustGit(work, ["reset", "-q", "--hard", "origin/main"]);
    await push("forced", "Instead", "--force");
    await push("forced", "A later one");
    await asAlice.submit(`${home}/branches`, { name: "doomed" }, `${home}/branches/delete`);
    await repackRepository(maintenance, { repositoryId: id, kind: "full" });

    for (const oid of [deleted, former]) {
      expect((await alice.api.get(`/repos/alice/tour/git/commits/${oid}`)).status).toBe(404);
      expect((await asAlice.get(`${home}/commit/${oid}`)).status).toBe(404);
      const clone = scratch.join(crypto.randomUUID());
      await mustGit(scratch.path, ["clone", "-q", urlOf("tour"), clone]);
      expect((await runGit(clone, ["cat-file", "-e", oid])).code).not.toBe(0);
      expect((await runGit(clone, ["fetch", "-q", "origin", oid])).code).not.toBe(0);
    }
    const lost = entries((await asAlice.get(`${home}/branches/lost`)).text);
    const pathOf = (name: string) => lost.find((one) => one.name === name)?.path ?? "none";
    // A move that gave up nothing is not among them.
    expect(lost.filter(({ name }) => name === "forced")).toHaveLength(1);
    const look = await asAlice.get(pathOf("doomed"));
    expect([look.status, look.text.includes(deleted), look.text.includes("Doomed")]).toEqual([200, true, true]);

    const taken = await asAlice.submit(pathOf("forced"), { name: "forced" });
    expect([taken.status, taken.text.includes("exists already")]).toEqual([409, true]);
    expect((await asAlice.submit(pathOf("forced"), { name: "former" })).status).toBe(303);
    expect((await asAlice.submit(pathOf("doomed"), { name: "doomed" })).status).toBe(303);
    expect([await tipOf("former"), await tipOf("doomed")]).toEqual([former, deleted]);
    await mustGit(scratch.path, ["clone", "-q", urlOf("tour"), scratch.join("whole")]);
    expect(await mustGit(scratch.join("whole"), ["fsck", "--full"])).toBe("");
  });

  test("goes after the time", async () => {
    await asAlice.submit(`${home}/branches`, { name: "doomed" }, `${home}/branches/delete`);
    const [entry] = entries((await asAlice.get(`${home}/branches/lost`)).text);
    expect(entry?.name).toBe("doomed");
    await app.forge.database.sql`update reflog set at = now() - interval '91 days' where repository_id = ${id}`;
    expect(entries((await asAlice.get(`${home}/branches/lost`)).text)).toEqual([]);
    expect((await asAlice.get(entry?.path ?? "")).status).toBe(404);
    const before = await repackRepository(maintenance, { repositoryId: id, kind: "full" });
    expect(before?.dropped).toBeGreaterThan(0);
  });

  test("of another repository is not there", async () => {
    const [row] = await app.forge.database.sql<
      { id: string }[]
    >`select id from reflog where repository_id = ${id} limit 1`;
    expect((await asAlice.get(`/alice/closed/branches/lost/${row?.id}`)).status).toBe(404);
    for (const entry of ["0", "x", "9".repeat(15), "1".repeat(40)]) {
      expect((await asAlice.get(`${home}/branches/lost/${entry}`)).status).toBe(404);
    }
  });
});
