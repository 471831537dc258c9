import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";
import { addPage, base64, getPage, textOf, type PageJson } from "../support/wiki-pages.ts";

/** Wikis whose repository somebody pushes to, and the branch that their pages are on. */

const app = await useTestApp();
const alice = await app.user("alice");

describe("what git puts there", () => {
  const at = "/repos/alice/pushed/wiki";
  let work: GitWorkTree;
  afterAll(() => work[Symbol.dispose]());

  beforeAll(async () => {
    await app.repository(alice, "pushed");
    work = await GitWorkTree.create();
    for (const [path, text] of [
      ["Home.md", "home"],
      ["With Space.md", "space"],
      ["Both Ways.md", "with spaces"],
      ["Both-Ways.md", "with dashes"],
      ["100%.md", "percent"],
      [".md", "no title"],
      ["image.png", "picture"],
      ["Upper.MD", "upper"],
      ["sub/Deep.md", "deep"],
      ["Directory.md/inner.md", "inner"],
      ["back\\slash.md", "back"],
    ] as const) {
      await work.write(path, text);
    }
    await work.git("config", "core.symlinks", "true");
    const target = (await work.git("hash-object", "-w", "Home.md")).trim();
    await work.git("add", "-A");
    await work.git("update-index", "--add", "--cacheinfo", `120000,${target},Link.md`);
    await work.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},Module.md`);
    await work.git("commit", "-q", "-m", "All kinds of names");
    // Bytes that are no UTF-8 go past the shell by git's own quoting.
    const tree = await work.git("ls-tree", "HEAD");
    const odd = `${tree.trim()}\n100644 blob ${target}\t"odd-\\377.md"\n`;
    const withOdd = await new Response(
      Bun.spawn(["git", "mktree", "--missing"], { cwd: work.directory, stdin: new TextEncoder().encode(odd) }).stdout,
    ).text();
    const commit = await work.git("commit-tree", "-p", "HEAD", "-m", "odd", withOdd.trim());
    await work.push(`${app.url}/alice/pushed.wiki.git`, alice.token, `${commit.trim()}:refs/heads/main`);
  });

  test("breaks no list, and each page in the root is read by what the list says", async () => {
    const { status, body, headers } = await alice.api.get<PageJson[]>(`${at}/pages`);
    expect(status).toBe(200);
    expect(headers.get("x-total-count")).toBe("8");
    const contents = [];
    for (const { title, sub_url } of body) {
      const page = await getPage(alice, sub_url, at);
      contents.push([title, sub_url, page.status, textOf(page.body.content_base64 ?? "")]);
    }
    expect(contents).toEqual([
      ["", ".md", 200, "no title"],
      ["100%", "100%25", 200, "percent"],
      ["Both Ways", "Both%20Ways.md", 200, "with spaces"],
      ["Both Ways", "Both-Ways", 200, "with dashes"],
      ["Home", "Home", 200, "home"],
      ["With Space", "With-Space", 200, "space"],
      ["back\\slash", "back%5Cslash", 200, "back"],
      [expect.stringContaining("odd"), expect.stringContaining("odd"), 200, "home"],
    ]);
    for (const name of ["sub/Deep", "Deep", "Link", "Module", "image.png", "Directory", "inner"]) {
      expect([name, (await getPage(alice, name, at)).status]).toEqual([name, 404]);
    }
  });

  test("may be edited and deleted, and is not written over", async () => {
    const edited = await alice.api.patch<PageJson>(`${at}/page/With-Space`, { content_base64: base64("more") });
    expect([edited.status, edited.body.commit_count]).toEqual([200, 2]);
    expect(await work.git("ls-remote", `${app.url}/alice/pushed.wiki.git`, "refs/heads/main")).toContain(
      edited.body.last_commit.sha,
    );
    expect((await addPage(alice, "With Space", "x", at)).status).toBe(400);
    const directory = await addPage(alice, "Directory", "x", at);
    expect([directory.status, directory.body.message]).toEqual([422, expect.stringContaining("a directory")]);
    expect((await alice.api.delete(`${at}/page/100%2525`)).status).toBe(204);
    const { body } = await alice.api.get<PageJson[]>(`${at}/pages`);
    expect(body.map(({ title }) => title)).not.toContain("100%");
  });
});

describe("the branch of the wiki", () => {
  test("is renamed with the setting", async () => {
    await app.repository(alice, "branch");
    const at = "/repos/alice/branch/wiki";
    await addPage(alice, "Home", "1", at);
    const { status } = await alice.api.patch("/repos/alice/branch", { wiki_branch: "pages" });
    expect(status).toBe(200);
    expect((await getPage(alice, "Home", at)).status).toBe(200);
    using work = await GitWorkTree.create();
    const refs = await work.git("ls-remote", `${app.url}/alice/branch.wiki.git`);
    expect(refs.split("\n").map((line) => line.split("\t")[1])).toEqual(["HEAD", "refs/heads/pages"]);
  });

  test("keeps its name where the new one is in the way of another", async () => {
    await app.repository(alice, "way");
    const at = "/repos/alice/way/wiki";
    await addPage(alice, "Home", "1", at);
    using work = await GitWorkTree.create();
    await work.write("Other.md", "2");
    await work.commit("Other");
    await work.push(`${app.url}/alice/way.wiki.git`, alice.token, "main:refs/heads/pages/other");
    const refused = await alice.api.patch<{ message: string }>("/repos/alice/way", { wiki_branch: "pages" });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringContaining('The branch of the wiki cannot become "pages"'),
    ]);
    expect((await getPage(alice, "Home", at)).status).toBe(200);
    expect((await alice.api.get<{ wiki_branch: string }>("/repos/alice/way")).body.wiki_branch).toBe("main");
    await alice.api.patch("/repos/alice/way", { wiki_branch: "nowhere/else" });
    expect((await getPage(alice, "Home", at)).status).toBe(200);
  });

  test("is one that is there already, where git put it there", async () => {
    await app.repository(alice, "switch");
    const at = "/repos/alice/switch/wiki";
    await addPage(alice, "Home", "1", at);
    using work = await GitWorkTree.create();
    await work.write("Other.md", "2");
    await work.commit("Other");
    await work.push(`${app.url}/alice/switch.wiki.git`, alice.token, "main:refs/heads/pages");
    await alice.api.patch("/repos/alice/switch", { wiki_branch: "pages" });
    expect((await getPage(alice, "Other", at)).status).toBe(200);
    expect((await getPage(alice, "Home", at)).status).toBe(404);
    await alice.api.patch("/repos/alice/switch", { wiki_branch: "main" });
    expect((await getPage(alice, "Home", at)).status).toBe(200);
  });
});
