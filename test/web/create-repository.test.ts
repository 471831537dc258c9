import { describe, expect, test } from "bun:test";
import { mustGit, Scratch } from "../support/git.ts";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const [alice, bob, carol] = [await app.user("alice"), await app.user("bob"), await app.user("carol")];
await app.organization("forge", alice);
await app.organization("hidden", alice, { visibility: "private" });
await makeTeam(alice, "forge", { name: "makers", permission: "write", can_create_org_repo: true }, [bob]);
await makeTeam(alice, "forge", { name: "readers", permission: "read" }, [carol]);

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

const path = "/repo/create";
const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";

describe("the form for a new repository", () => {
  test("sends strangers to sign in", async () => {
    const nobody = new WebVisitor(app.url);
    expect((await nobody.get(path)).location).toContain("/user/login?redirect_to=");
    expect((await nobody.post(path, { owner: "alice", name: "x" })).status).toBe(403);
  });

  test("is refused to whoever may not create for the owner, or not know of them, and with a token of another browser", async () => {
    const visitor = await signedIn("carol");
    const page = (await visitor.get(`${path}?owner=hidden`)).text;
    const _csrf = csrfOf(page);
    expect([..._csrf].length).toBeGreaterThan(10);
    expect(page).not.toContain('value="hidden"');
    for (const [owner, status] of [
      ["forge", 403],
      ["alice", 403],
      ["hidden", 404],
      ["absent", 404],
      ["", 404],
    ] as const) {
      const refused = await visitor.post(path, { _csrf, owner, name: "taken" });
      expect([owner, refused.status, refused.text.includes('value="taken"')]).toEqual([owner, status, true]);
    }
    const other = await signedIn("bob");
    expect((await other.post(path, { _csrf, owner: "bob", name: "taken" })).status).toBe(403);
    const elsewhere = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    expect((await visitor.post(path, { _csrf, owner: "carol", name: "taken" }, elsewhere)).status).toBe(403);
    for (const name of ["forge/taken", "alice/taken", "carol/taken", "bob/taken", "hidden/taken"]) {
      expect((await alice.api.get(`/repos/${name}`)).status).toBe(404);
    }
  });

  test("says at the field what is wrong, and keeps what was typed, escaped", async () => {
    const visitor = await signedIn("alice");
    await app.repository(alice, "taken");
    const typed = { owner: "forge", name: `"><script>`, description: "<b>", private: "1", license: "MIT" };
    const bad = await visitor.submit(path, typed);
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('id="name" name="name" aria-invalid="true" aria-describedby="name_problem name_hint"');
    expect(bad.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(bad.text).toContain('value="&lt;b&gt;"');
    expect(bad.text).toContain('name="private" value="1" checked');
    expect(bad.text).toContain('<option value="forge" selected>');
    expect(bad.text).toContain('<option value="MIT" selected>');
    expect(bad.text).not.toContain("<script>");
    expect((await visitor.submit(path, { owner: "alice", name: "taken" })).status).toBe(409);
    for (const [name, value] of [
      ["gitignores", "No-Such, Node"],
      ["license", "<b>"],
      ["default_branch", "a..b"],
      ["issue_labels", "None of them"],
      ["object_format", "md5"],
    ] as const) {
      const refused = await visitor.submit(path, { owner: "alice", name: "wrong", [name]: value });
      expect([name, refused.status]).toEqual([name, 422]);
      expect(refused.text).toContain(`id="${name}_problem"`);
    }
  });

  test("creates for oneself: private, with a first commit if that is wanted", async () => {
    const visitor = await signedIn("alice");
    const fields = { owner: "alice", name: "diary", description: "Mine", private: "1", auto_init: "1" };
    expect((await visitor.submit(path, fields)).location).toBe("/alice/diary");
    expect((await alice.api.get("/repos/alice/diary")).body).toMatchObject({
      private: true,
      empty: false,
      description: "Mine",
    });
    expect((await visitor.get("/alice/diary")).text).not.toContain("git push");
  });

  test("creates with all that it offers", async () => {
    const visitor = await signedIn("alice");
    const fields = {
      owner: "alice",
      name: "all",
      gitignores: "Node, Python",
      license: "MIT",
      default_branch: "trunk",
      issue_labels: "Default",
      object_format: "sha256",
      template: "1",
    };
    expect((await visitor.submit(path, fields)).location).toBe("/alice/all");
    expect((await alice.api.get("/repos/alice/all")).body).toMatchObject({
      default_branch: "trunk",
      object_format_name: "sha256",
      template: true,
    });
    const files = (await alice.api.get<{ name: string }[]>("/repos/alice/all/contents")).body.map(({ name }) => name);
    expect(files.toSorted()).toEqual([".gitignore", "LICENSE", "README.md"]);
    expect((await alice.api.get<unknown[]>("/repos/alice/all/labels")).body.length).toBe(7);
  });

  test("creates for an organization what its member may administer then", async () => {
    const visitor = await signedIn("bob");
    expect((await visitor.get("/forge")).text).toContain('href="/repo/create?owner=forge"');
    expect((await (await signedIn("carol")).get("/forge")).text).not.toContain("/repo/create?owner=forge");
    expect((await visitor.submit(path, { owner: "forge", name: "made" })).location).toBe("/forge/made");
    expect((await bob.api.get("/repos/forge/made")).body).toMatchObject({ permissions: { admin: true } });
  });
});

describe("a repository from a template", () => {
  test("is as hidden as the template, and needs one", async () => {
    const visitor = await signedIn("carol");
    await app.repository(alice, "mould", { private: true, template: true, auto_init: true });
    await app.repository(alice, "plain", { auto_init: true });
    const { id } = (await alice.api.get<{ id: number }>("/repos/alice/mould")).body;
    expect((await visitor.get("/alice/mould/generate")).status).toBe(404);
    expect((await visitor.get("/alice/plain/generate")).status).toBe(404);
    expect((await visitor.get(`${path}?template_id=${id}`)).status).toBe(200);
    expect((await (await signedIn("alice")).get(`${path}?template_id=${id}`)).location).toBe("/alice/mould/generate");
    expect((await new WebVisitor(app.url).get("/alice/all/generate")).location).toStartWith("/user/login");
  });

  test("takes over what was chosen, at least one thing, and keeps what was typed when it is refused", async () => {
    const visitor = await signedIn("carol");
    const generate = "/alice/all/generate";
    expect((await visitor.get("/alice/all")).text).toContain(`href="${generate}"`);
    const refused = await visitor.submit(generate, { owner: "forge", name: "cast", git_content: "1" });
    expect([refused.status, refused.text.includes('value="cast"')]).toEqual([403, true]);
    expect((await visitor.submit(generate, { owner: "carol", name: "cast" })).status).toBe(422);
    const made = await visitor.submit(generate, { owner: "carol", name: "cast", git_content: "1", labels: "1" });
    expect(made.location).toBe("/carol/cast");
    expect((await carol.api.get("/repos/carol/cast")).body).toMatchObject({ empty: false, default_branch: "trunk" });
    expect((await carol.api.get<unknown[]>("/repos/carol/cast/labels")).body.length).toBe(7);
  });
});

describe("an empty repository", () => {
  test("shows its writers commands that fill it, and others none", async () => {
    await app.repository(alice, "empty", { default_branch: "it's;a$branch" });
    expect((await new WebVisitor(app.url).get("/alice/empty")).text).not.toContain("git push");
    expect((await (await signedIn("carol")).get("/alice/empty")).text).not.toContain("git push");
    const { text } = await (await signedIn("alice")).get("/alice/empty");
    expect(text).toContain("ssh://git@");
    const [, block = ""] = /<pre id="new-commands" tabindex="0">(git init[^<]*)<\/pre>/.exec(text) ?? [];
    const commands = block
      .replaceAll("&#x27;", "'")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      .replace("://", `://alice:${alice.token}@`);
    using scratch = new Scratch();
    const shell = Bun.spawn(["sh", "-euc", commands], {
      cwd: scratch.path,
      env: {
        PATH: process.env["PATH"],
        HOME: scratch.path,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        GIT_AUTHOR_NAME: "A",
        GIT_AUTHOR_EMAIL: "a@example.com",
        GIT_COMMITTER_NAME: "A",
        GIT_COMMITTER_EMAIL: "a@example.com",
      },
      stdout: "ignore",
      stderr: "pipe",
    });
    const errors = await shell.stderr.text();
    expect({ code: await shell.exited, errors }).toMatchObject({ code: 0 });
    expect(await mustGit(scratch.path, ["ls-remote", "--heads", "origin"])).toContain("refs/heads/it's;a$branch");
    expect((await alice.api.get("/repos/alice/empty")).body).toMatchObject({ empty: false });
  });
});

test("a picture is shown as one, and nothing else is", async () => {
  await app.repository(alice, "art", { auto_init: true });
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const files = {
    'a"b.png': png,
    "large.png": Buffer.concat([png, Buffer.alloc(300_000)]),
    "svg.png": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
  };
  for (const [name, content] of Object.entries(files)) {
    const made = await alice.api.post(`/repos/alice/art/contents/${encodeURIComponent(name)}`, {
      content: content.toString("base64"),
    });
    expect(made.status).toBe(201);
  }
  const visitor = new WebVisitor(app.url);
  const shown = async (name: string) =>
    /<img class="picture" src="([^"]+)" alt="([^"]+)"/.exec(
      (await visitor.get(`/alice/art/src/branch/main/${encodeURIComponent(name)}`)).text,
    );
  const [, address = "", alt] = (await shown('a"b.png')) ?? [];
  expect([address, alt]).toEqual(["/alice/art/raw/branch/main/a%22b.png", "a&quot;b.png"]);
  expect((await visitor.get(address)).headers.get("content-type")).toBe("image/png");
  expect(await shown("large.png")).not.toBeNull();
  expect(await shown("svg.png")).toBeNull();
});
