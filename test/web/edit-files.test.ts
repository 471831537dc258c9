import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { hiddenFields, WebVisitor, type WebPage } from "../support/web-visitor.ts";

/** Uploads, deletions and patches. Texts are in edit.test.ts. */
const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 }, api: { content_limit_bytes: 3_000_000 } });
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
const tour = "/alice/tour";

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

async function put(path: string, content: string): Promise<void> {
  const body = { content: Buffer.from(content).toString("base64") };
  const made = await alice.api.post(`/repos/alice/tour/contents/${encodeURIComponent(path)}`, body);
  expect(made.status).toBe(201);
}

async function read(path: string, repository = "alice/tour", branch = "main"): Promise<string | null> {
  const at = `/repos/${repository}/contents/${encodeURIComponent(path)}?ref=${branch}`;
  const { status, body } = await app.anonymous.get<{ content: string }>(at);
  return status === 200 ? Buffer.from(body.content, "base64").toString() : null;
}

/** How many commits the branch has. */
async function countCommits(): Promise<number> {
  const { body } = await app.anonymous.get<unknown[]>("/repos/alice/tour/commits?sha=main&limit=50");
  return body.length;
}

type Files = readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[];

/** Sends a form with files, as a browser does. */
async function upload(visitor: WebVisitor, at: string, files: Files, fields: Record<string, string>): Promise<WebPage> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...hiddenFields((await visitor.get(at)).text, at), ...fields })) {
    form.append(name, value);
  }
  for (const [name, content] of files) {
    form.append("files", new File([content], name));
  }
  return visitor.request("POST", at, { body: form });
}

const paths = ["_upload/main", "_delete/main/README.md", "_diffpatch/main", "_changes/main"];

test.each(paths)(
  "%s sends strangers to sign in, is refused without the form's token, and offers others a fork",
  async (path) => {
    const at = `${tour}/${path}`;
    const nobody = new WebVisitor(app.url);
    expect((await nobody.get(at)).location).toContain("/user/login?redirect_to=");
    const bob = await signedIn("bob");
    expect((await bob.post(at, { to: "branch" })).status).toBe(403);
    expect((await bob.get(at)).text).toContain("You may read alice/tour, but not write to it.");
    expect((await bob.get(at.replace("main", "absent"))).status).toBe(404);
    const before = await countCommits();
    await upload(bob, at, [["a", "a"]], { to: "branch", new_branch: "" });
    expect(await countCommits()).toBe(before);
  },
);

describe("an upload", () => {
  const at = `${tour}/_upload/main/docs`;

  test("commits several files with their folders at once, byte for byte", async () => {
    const visitor = await signedIn("alice");
    const before = await countCommits();
    const large = new Uint8Array(2_000_000).map((_, index) => index % 251);
    const files: Files = [
      ["plain.txt", "one\r\n"],
      ['pictures/deep/ü "q".bin', large],
    ];
    const sent = await upload(visitor, at, files, { folder: "docs/", to: "branch" });
    expect(sent.location).toBe("/alice/tour/src/branch/main/docs");
    expect([await countCommits(), await read("docs/plain.txt")]).toEqual([before + 1, "one\r\n"]);
    const raw = await fetch(
      `${app.url}/alice/tour/raw/branch/main/docs/pictures/deep/${encodeURIComponent('ü "q".bin')}`,
    );
    expect(Buffer.compare(await raw.bytes(), large)).toBe(0);
    // What is there already is replaced.
    const one = await upload(visitor, at, [["plain.txt", "two"]], { folder: "docs", to: "branch" });
    expect([one.location, await read("docs/plain.txt")]).toEqual(["/alice/tour/src/branch/main/docs/plain.txt", "two"]);
  });

  test.each<[string, Files, Record<string, string>, number, string]>([
    ["without a file", [], {}, 422, "Choose at least one file"],
    ["to a path that git refuses", [["config", "x"]], { folder: ".git" }, 422, "is not allowed"],
    ["that leads out of the repository", [["../../x", "x"]], { folder: "" }, 422, "is not allowed"],
    [
      "of the same file twice",
      [
        ["a", "x"],
        ["a", "y"],
      ],
      {},
      422,
      "the same path",
    ],
    ["into a file", [["a", "x"]], { folder: "README.md" }, 422, "is not a directory"],
    ["of too much", [["a", "x".repeat(8_000_000)]], {}, 413, "larger than"],
  ])("%s is refused", async (_name, files, fields, status, message) => {
    const visitor = await signedIn("alice");
    const before = await countCommits();
    const page = await upload(visitor, at, files, {
      folder: "docs",
      to: "branch",
      summary: "Kept, as it was typed",
      ...fields,
    });
    expect([page.status, page.text.includes(message)]).toEqual([status, true]);
    expect(await countCommits()).toBe(before);
    if (status === 422) {
      expect(page.text).toContain('value="Kept, as it was typed"');
    }
  });

  test("in place of a symbolic link is a file", async () => {
    const visitor = await signedIn("alice");
    const patch =
      "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+README.md\n\\ No newline at end of file\n";
    expect((await upload(visitor, `${tour}/_diffpatch/main`, [["p.diff", patch]], { to: "branch" })).status).toBe(303);
    const link = await visitor.get(`${tour}/_edit/main/link`);
    expect(link.text).toContain('name="content" value="README.md"');
    const typed = { tree_path: "link", content: "docs/plain.txt", to: "branch" };
    expect((await visitor.submit(`${tour}/_edit/main/link`, typed)).status).toBe(303);
    const type = async () =>
      (await app.anonymous.get<{ type: string; target?: string }>("/repos/alice/tour/contents/link")).body;
    expect(await type()).toMatchObject({ type: "symlink", target: "docs/plain.txt" });
    await upload(visitor, `${tour}/_upload/main`, [["link", "text\n"]], { folder: "", to: "branch" });
    expect([(await type()).type, await read("link")]).toEqual(["file", "text\n"]);
  });

  test("of somebody who is not signed in leaves no file", async () => {
    const visitor = await signedIn("alice");
    const fields = hiddenFields((await visitor.get(at)).text, at);
    const form = new FormData();
    form.append("_csrf", fields["_csrf"] ?? "");
    form.append("files", new File(["x".repeat(5_000_000)], "a"));
    const nobody = new WebVisitor(app.url);
    expect((await nobody.request("POST", at, { body: form })).status).toBe(413);
  });
});

describe("a deletion", () => {
  test("of a file goes back to its folder", async () => {
    await put("gone/a.txt", "a");
    await put("gone/b.txt", "b");
    const visitor = await signedIn("alice");
    const sent = await visitor.submit(`${tour}/_delete/main/gone/a.txt`, { to: "branch" });
    expect(sent.location).toBe("/alice/tour/src/branch/main/gone");
    expect([await read("gone/a.txt"), await read("gone/b.txt")]).toEqual([null, "b"]);
  });

  test("of a folder takes all that is in it, unless that changed since it was shown", async () => {
    await put("folder/a/1", "1");
    await put("folder/2", "2");
    const visitor = await signedIn("alice");
    const at = `${tour}/_delete/main/folder`;
    const page = await visitor.get(at);
    expect(page.text).toContain("2 files");
    await put("folder/3", "3");
    const fields = { ...hiddenFields(page.text, at), to: "branch" };
    const changed = await visitor.post(at, fields);
    expect([changed.status, changed.text.includes("has changed since")]).toEqual([422, true]);
    const before = await countCommits();
    expect((await visitor.post(at, { ...fields, ...hiddenFields(changed.text, at) })).location).toBe(
      "/alice/tour/src/branch/main",
    );
    expect([await countCommits(), await read("folder/2")]).toEqual([before + 1, null]);
    expect((await visitor.get(at)).status).toBe(404);
  });
});

describe("a patch", () => {
  const at = `${tour}/_diffpatch/main`;

  test("is applied in one commit, as text and as a file", async () => {
    await put("patched.txt", "one\ntwo\nthree\n");
    await put("windows.txt", "one\r\ntwo\r\n");
    const visitor = await signedIn("alice");
    const patch = "--- a/patched.txt\n+++ b/patched.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
    const sent = await visitor.submit(at, { patch: patch.replaceAll("\n", "\r\n"), to: "branch", summary: "Louder" });
    expect([sent.location, await read("patched.txt")]).toEqual(["/alice/tour/src/branch/main", "one\nTWO\nthree\n"]);
    const windows = "--- a/windows.txt\n+++ b/windows.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n";
    expect((await upload(visitor, at, [["a.diff", windows]], { to: "branch" })).status).toBe(303);
    expect(await read("windows.txt")).toBe("one\r\nTWO\r\n");
  });

  test.each([
    ["", "Paste a patch"],
    ["no patch at all", ""],
    ["--- a/absent\n+++ b/absent\n@@ -1 +1 @@\n-a\n+b\n", ""],
  ])("that does not fit is refused and kept", async (patch, message) => {
    const visitor = await signedIn("alice");
    const before = await countCommits();
    const page = await visitor.submit(at, { patch, to: "branch" });
    expect([page.status, page.text.includes(message)]).toEqual([422, true]);
    expect(page.text).toContain(`>\n${patch}</textarea>`);
    expect(page.text).toContain('id="patch-problem"');
    expect(await countCommits()).toBe(before);
  });
});

describe("a set of files", () => {
  const at = `${tour}/_changes/main`;
  const send = (visitor: WebVisitor, files: unknown) =>
    visitor.submit(at, { changes: JSON.stringify(files), to: "branch", summary: "All of it" });

  test("is one commit", async () => {
    await put("set/one.txt", "1\r\n");
    await put("set/two.txt", "2\n");
    const visitor = await signedIn("alice");
    const seen = hiddenFields((await visitor.get(at)).text, at)["last_commit"];
    const before = await countCommits();
    const sent = await send(visitor, [
      { from: "set/one.txt", path: "set/one.txt", text: "one\n", seen },
      { from: "set/two.txt", path: "set/moved.txt", text: "2\n", seen },
      { from: "", path: "set/three.txt", text: "3\r\n", seen },
    ]);
    expect(sent.location).toBe("/alice/tour/src/branch/main");
    expect(await countCommits()).toBe(before + 1);
    const now = await Promise.all(["one", "two", "moved", "three"].map((name) => read(`set/${name}.txt`)));
    expect(now).toEqual(["one\r\n", null, "2\n", "3\n"]);
  });

  test("is refused as a whole if somebody changed a file of it, and kept", async () => {
    await put("set/theirs.txt", "a\n");
    const visitor = await signedIn("alice");
    const seen = hiddenFields((await visitor.get(at)).text, at)["last_commit"];
    await visitor.submit(`${tour}/_edit/main/set/theirs.txt`, {
      tree_path: "set/theirs.txt",
      content: "theirs\n",
      to: "branch",
    });
    const before = await countCommits();
    const files = [
      { from: "", path: "set/mine.txt", text: "m", seen },
      { from: "set/theirs.txt", path: "set/theirs.txt", text: "mine\n", seen },
    ];
    const page = await send(visitor, files);
    expect([page.status, page.text.includes("Somebody else changed")]).toEqual([422, true]);
    expect(hiddenFields(page.text, at)["changes"]).toBe(JSON.stringify(files));
    expect(await countCommits()).toBe(before);
  });

  test.each([[[]], ["no list"], [[{ path: 1 }]], [[{ from: "", path: ".git/x", text: "", seen: "" }]], [null]])(
    "that makes no sense is refused: %j",
    async (files) => {
      const visitor = await signedIn("alice");
      const before = await countCommits();
      expect((await send(visitor, files)).status).toBe(422);
      expect(await countCommits()).toBe(before);
    },
  );
});
