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

const path = (owner: string) => `/repo/create/${owner}`;
const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";

describe("the form for a new repository", () => {
  test("sends strangers to sign in, and is as absent as its owner to whoever may not know of them", async () => {
    const nobody = new WebVisitor(app.url);
    expect((await nobody.get("/repo/create")).location).toContain("/user/login?redirect_to=");
    expect((await nobody.get(path("alice"))).location).toContain("/user/login");
    expect((await nobody.post(path("alice"), { name: "x" })).status).toBe(403);
    const visitor = await signedIn("carol");
    const [hidden, absent] = [await visitor.get(path("hidden")), await visitor.get(path("absent"))];
    expect([hidden.status, absent.status]).toEqual([404, 404]);
  });

  test("is refused to whoever may not create for the owner, and with a token of another browser", async () => {
    const visitor = await signedIn("carol");
    const _csrf = csrfOf((await visitor.get(path("carol"))).text);
    expect(_csrf).not.toBe("");
    for (const owner of ["forge", "alice"]) {
      expect((await visitor.get(path(owner))).status).toBe(403);
      expect((await visitor.post(path(owner), { _csrf, name: "taken" })).status).toBe(403);
    }
    const other = await signedIn("bob");
    expect((await other.post(path("bob"), { _csrf, name: "taken" })).status).toBe(403);
    const elsewhere = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    expect((await visitor.post(path("carol"), { _csrf, name: "taken" }, elsewhere)).status).toBe(403);
    for (const name of ["forge/taken", "alice/taken", "carol/taken", "bob/taken"]) {
      expect((await alice.api.get(`/repos/${name}`)).status).toBe(404);
    }
  });

  test("says what is wrong, and keeps what was typed, escaped", async () => {
    const visitor = await signedIn("alice");
    await app.repository(alice, "taken");
    const bad = await visitor.submit(path("alice"), { name: `"><script>`, description: "<b>", private: "1" });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(bad.text).toContain('value="&lt;b&gt;"');
    expect(bad.text).toContain('name="private" value="1" checked');
    expect(bad.text).not.toContain("<script>");
    expect((await visitor.submit(path("alice"), { name: "taken" })).status).toBe(409);
  });

  test("creates for oneself: private, with a first commit if that is wanted", async () => {
    const visitor = await signedIn("alice");
    expect((await visitor.get("/repo/create")).location).toBe("/repo/create/alice");
    const fields = { name: "diary", description: "Mine", private: "1", auto_init: "1" };
    expect((await visitor.submit(path("alice"), fields)).location).toBe("/alice/diary");
    expect((await alice.api.get("/repos/alice/diary")).body).toMatchObject({
      private: true,
      empty: false,
      description: "Mine",
    });
    expect((await visitor.get("/alice/diary")).text).not.toContain("git push");
  });

  test("creates for an organization what its member may administer then", async () => {
    const visitor = await signedIn("bob");
    expect((await visitor.get("/forge")).text).toContain('href="/repo/create/forge"');
    expect((await (await signedIn("carol")).get("/forge")).text).not.toContain("/repo/create/forge");
    expect((await visitor.submit(path("forge"), { name: "made" })).location).toBe("/forge/made");
    expect((await bob.api.get("/repos/forge/made")).body).toMatchObject({ permissions: { admin: true } });
  });
});

describe("an empty repository", () => {
  test("shows its writers commands that fill it, and others none", async () => {
    await app.repository(alice, "empty", { default_branch: "it's;a$branch" });
    expect((await new WebVisitor(app.url).get("/alice/empty")).text).not.toContain("git push");
    expect((await (await signedIn("carol")).get("/alice/empty")).text).not.toContain("git push");
    const { text } = await (await signedIn("alice")).get("/alice/empty");
    expect(text).toContain("ssh://git@");
    const [, block = ""] = /<pre tabindex="0">(git init[^<]*)<\/pre>/.exec(text) ?? [];
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
    /<img class="picture" src="([^"]+)" alt="([^"]+)">/.exec(
      (await visitor.get(`/alice/art/src/branch/main/${encodeURIComponent(name)}`)).text,
    );
  const [, address = "", alt] = (await shown('a"b.png')) ?? [];
  expect([address, alt]).toEqual(["/alice/art/raw/branch/main/a%22b.png", "a&quot;b.png"]);
  expect((await visitor.get(address)).headers.get("content-type")).toBe("image/png");
  expect(await shown("large.png")).not.toBeNull();
  expect(await shown("svg.png")).toBeNull();
});
