import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { hiddenFields, WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");
await app.user("bob");
await app.user("carol");
const tour = "/alice/tour";

await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

async function put(path: string, content: string | Buffer, branch = "main", user: TestUser = alice): Promise<void> {
  const at = `/repos/alice/tour/contents/${encodeURIComponent(path)}`;
  const present = await user.api.get<{ sha?: string }>(`${at}?ref=${branch}`);
  const body = { content: Buffer.from(content).toString("base64"), branch, sha: present.body.sha };
  const made = await (present.status === 200 ? user.api.put(at, body) : user.api.post(at, body));
  expect([200, 201]).toContain(made.status);
}

/** The content of a file; null where there is none. */
async function read(path: string, branch = "main", repository = "alice/tour"): Promise<string | null> {
  const at = `/repos/${repository}/contents/${encodeURIComponent(path)}?ref=${encodeURIComponent(branch)}`;
  const { status, body } = await app.anonymous.get<{ content: string }>(at);
  return status === 200 ? Buffer.from(body.content, "base64").toString() : null;
}

interface CommitJson {
  sha: string;
  commit: { message: string; author: { name: string; email: string }; committer: { email: string } };
}

async function lastCommit(branch = "main", repository = "alice/tour"): Promise<CommitJson> {
  const { body } = await app.anonymous.get<CommitJson[]>(
    `/repos/${repository}/commits?sha=${encodeURIComponent(branch)}&limit=1`,
  );
  return body[0]!;
}

const textIn = (page: string) =>
  (/<textarea class="code"[^>]*>\n([^]*?)<\/textarea>/.exec(page)?.[1] ?? "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

describe("who may edit", () => {
  test("strangers sign in first, and what is hidden is absent", async () => {
    const nobody = new WebVisitor(app.url);
    expect((await nobody.get(`${tour}/_edit/main/README.md`)).location).toContain("/user/login?redirect_to=");
    const visitor = await signedIn("carol");
    expect((await visitor.get("/alice/closed/_edit/main/README.md")).status).toBe(404);
    expect((await visitor.get("/alice/closed/_new/main")).status).toBe(404);
    expect((await visitor.get(`${tour}/_edit/main/absent`)).status).toBe(404);
    expect((await visitor.get(`${tour}/_edit/absent/README.md`)).status).toBe(404);
  });

  test("whoever may not write commits to a new branch of their fork, which is made", async () => {
    const visitor = await signedIn("carol");
    const at = `${tour}/_edit/main/README.md`;
    const page = await visitor.get(at);
    expect(page.text).toContain("You may read alice/tour, but not write to it.");
    const before = await lastCommit();
    const typed = { tree_path: "README.md", content: "By Carol\n", new_branch: "carol-patch-1", propose: "1" };
    const sent = await visitor.submit(at, typed);
    expect(sent.location).toBe("/alice/tour/compare/main...carol%3Acarol-patch-1");
    expect(await read("README.md", "carol-patch-1", "carol/tour")).toBe("By Carol\n");
    expect((await lastCommit()).sha).toBe(before.sha);
    // The fork is there now, and behind its parent: the branch begins where the parent is.
    await put("later.txt", "later");
    expect((await visitor.get(at)).text).toContain('value="carol-patch-2"');
    const again = await visitor.submit(at, { ...typed, content: "Again\n", new_branch: "carol-patch-2", propose: "" });
    expect(again.location).toBe("/carol/tour/src/branch/carol-patch-2/README.md");
    expect(await read("later.txt", "carol-patch-2", "carol/tour")).toBe("later");
    expect((await visitor.submit(at, { ...typed, new_branch: "carol-patch-2" })).text).toContain("exists already");
  });

  test("an archived repository says so before anything is typed", async () => {
    await app.repository(alice, "old", { auto_init: true });
    const visitor = await signedIn("alice");
    const page = await visitor.get("/alice/old/_edit/main/README.md");
    await alice.api.patch("/repos/alice/old", { archived: true });
    const shown = await visitor.get("/alice/old/_edit/main/README.md");
    expect([shown.status, shown.text.includes("alice/old is archived")]).toEqual([403, true]);
    const fields = hiddenFields(page.text, "/alice/old/_edit/main/README.md");
    const typed = "A text that somebody typed for a while\n";
    const sent = await visitor.post("/alice/old/_edit/main/README.md", { ...fields, content: typed });
    expect(sent.status).toBe(423);
    expect(sent.text).toContain(typed);
  });

  test("a protected branch leads to a new one, and its protected files as well", async () => {
    await app.repository(alice, "kept", { auto_init: true });
    await alice.api.put("/repos/alice/kept/collaborators/bob", { permission: "write" });
    const rule = { rule_name: "main", enable_push: true, protected_file_patterns: "*.md" };
    expect((await alice.api.post("/repos/alice/kept/branch_protections", rule)).status).toBe(201);
    const visitor = await signedIn("bob");
    const at = "/alice/kept/_edit/main/README.md";
    const page = await visitor.get(at);
    expect(page.text).toContain("The branch &quot;main&quot; is protected");
    expect(page.text).not.toContain('value="branch"');
    const sent = await visitor.submit(at, { tree_path: "README.md", content: "B\n", new_branch: "b", propose: "1" });
    expect(sent.location).toBe("/alice/kept/compare/main...b");
    // What the page could not know is told when it is committed, and nothing is lost.
    expect((await visitor.get("/alice/kept/_new/main")).text).toContain('value="branch"');
    const typed = { tree_path: "other.md", content: "Mine\n", to: "branch" };
    const refused = await visitor.submit("/alice/kept/_new/main", typed);
    expect([refused.status, textIn(refused.text)]).toEqual([403, "Mine\n"]);
    expect(refused.text).toContain("is protected");
  });

  test("a right that was lost is told, and what was typed is kept", async () => {
    const visitor = await signedIn("bob");
    const at = `${tour}/_edit/main/README.md`;
    const fields = hiddenFields((await visitor.get(at)).text, at);
    await alice.api.delete("/repos/alice/tour/collaborators/bob");
    const sent = await visitor.post(at, { ...fields, tree_path: "README.md", content: "By Bob\n", to: "branch" });
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    expect([sent.status, textIn(sent.text)]).toEqual([422, "By Bob\n"]);
    expect(sent.text).toContain("not write to it");
    await alice.api.patch("/repos/alice/tour", { private: true });
    await alice.api.delete("/repos/alice/tour/collaborators/bob");
    const hidden = await visitor.post(at, { ...fields, content: "A longer text, by Bob, who typed it for an hour\n" });
    await alice.api.patch("/repos/alice/tour", { private: false });
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    expect([hidden.status, hidden.text.includes("who typed it for an hour")]).toEqual([404, true]);
    expect(hidden.text).not.toContain("tour</a>");
  });

  test("a session that ended shows what was typed, and sends it after signing in again", async () => {
    const visitor = await signedIn("alice");
    const at = `${tour}/_new/main`;
    const fields = { ...hiddenFields((await visitor.get(at)).text, at), tree_path: "late.md", to: "branch" };
    const content = "<b>A long text that was typed over night</b>\n";
    visitor.cookie = "";
    const own = { "sec-fetch-site": "same-origin" };
    const ended = await visitor.post(at, { ...fields, content }, own);
    expect(ended.status).toBe(403);
    expect(ended.text).toContain("&lt;b&gt;A long text");
    expect(ended.text).toContain("Sign in in another tab");
    await visitor.signIn("alice", testPassword);
    const older = await visitor.post(at, { ...fields, content }, own);
    expect(older.text).toContain("Send it again");
    const again = { ...fields, ...hiddenFields(older.text, at), content };
    expect((await visitor.post(at, again, own)).location).toBe("/alice/tour/src/branch/main/late.md");
    expect(await read("late.md")).toBe(content);
    // Another site may have written the form: it is not sent from here.
    expect((await visitor.post(at, { ...fields, content })).text).not.toContain("Send it again");
  });
});

describe("a new file", () => {
  test("is made with its folders, from a page that may be filled in", async () => {
    const visitor = await signedIn("alice");
    const page = await visitor.get(`${tour}/_new/main/docs?filename=deep%2Fa.md&value=%3Cb%3E%0D%0A`);
    expect(page.text).toContain('name="tree_path" class="mono" value="docs/deep/a.md"');
    expect(textIn(page.text)).toBe("<b>\n");
    const typed = { tree_path: 'docs/ä "b"/<c>.md', content: "Text\r\n", to: "branch" };
    const sent = await visitor.submit(`${tour}/_new/main`, typed);
    expect(sent.location).toBe("/alice/tour/src/branch/main/docs/%C3%A4%20%22b%22/%3Cc%3E.md");
    expect(await read('docs/ä "b"/<c>.md')).toBe("Text\n");
    expect((await visitor.get(sent.location)).text).toContain("Committed");
    expect((await lastCommit()).commit.message).toBe('Add docs/ä "b"/<c>.md\n');
  });

  test.each([
    ["", "needs a path"],
    ["README.md", "exists already"],
    ["README.md/a", "is not a directory"],
    [".git/config", "is not allowed"],
    ["a/../b", "is not allowed"],
    ["/absolute", "must be relative"],
    ["a//b", "is not allowed"],
    ["x".repeat(4097), "is longer than"],
  ])("of the path %p is refused at its field", async (path, message) => {
    const visitor = await signedIn("alice");
    const page = await visitor.submit(`${tour}/_new/main`, { tree_path: path, content: "Kept\n", to: "branch" });
    expect([page.status, textIn(page.text)]).toEqual([422, "Kept\n"]);
    expect(page.text).toMatch(/id="tree_path"[^>]* aria-invalid="true" aria-describedby="tree_path-problem"/);
    expect(page.text).toContain(message);
  });

  test("is the first commit of an empty repository", async () => {
    await app.repository(alice, "empty", {});
    const visitor = await signedIn("alice");
    const sent = await visitor.submit("/alice/empty/_new/main", { tree_path: "a", content: "A" });
    expect(sent.location).toBe("/alice/empty/src/branch/main/a");
    expect(await read("a", "main", "alice/empty")).toBe("A");
  });
});

describe("an edit", () => {
  test("keeps line endings, byte order mark and a missing end of line, and moves the file", async () => {
    const visitor = await signedIn("alice");
    await put("mixed.txt", "\uFEFFone\r\ntwo\nthree");
    const at = `${tour}/_edit/main/mixed.txt`;
    expect(textIn((await visitor.get(at)).text)).toBe("one\ntwo\nthree");
    const typed = { tree_path: "moved/mixed.txt", content: "one\r\nTWO\r\nthree", to: "branch" };
    expect((await visitor.submit(at, typed)).location).toBe("/alice/tour/src/branch/main/moved/mixed.txt");
    expect([await read("mixed.txt"), await read("moved/mixed.txt")]).toEqual([null, "\uFEFFone\r\nTWO\nthree"]);
    expect((await lastCommit()).commit.message).toBe("Move mixed.txt to moved/mixed.txt\n");
  });

  test("has the message, the trailers and the author that were chosen", async () => {
    const visitor = await signedIn("alice");
    await put("message.txt", "a\n");
    const at = `${tour}/_edit/main/message.txt`;
    const typed = { tree_path: "message.txt", content: "b\n", to: "new", new_branch: "with-message" };
    const own = /<option[^>]*>([^<]*)<\/option>/.exec((await visitor.get(at)).text)?.[1] ?? "";
    const refused = await visitor.submit(at, { ...typed, email: "root@example.com" });
    expect([refused.status, refused.text.includes("none of your confirmed ones")]).toEqual([422, true]);
    const bad = await visitor.submit(at, { ...typed, co_authors: "Nobody" });
    expect([bad.status, bad.text.includes("is not a name and an address")]).toEqual([422, true]);
    const sent = await visitor.submit(at, {
      ...typed,
      email: own,
      summary: "docs: say more",
      description: "Because\r\nof it.",
      co_authors: "Bob B <bob@example.com>\r\n",
      signoff: "1",
    });
    expect(sent.location).toBe("/alice/tour/src/branch/with-message/message.txt");
    const { commit } = await lastCommit("with-message");
    expect(commit.author.email).toBe(own);
    expect(commit.message).toBe(
      `docs: say more\n\nBecause\nof it.\n\nCo-authored-by: Bob B <bob@example.com>\nSigned-off-by: ${commit.author.name} <${own}>\n`,
    );
    const taken = await visitor.submit(at, { ...typed, content: "c" });
    expect(taken.text).toMatch(/id="new_branch"[^>]* aria-invalid="true"/);
  });

  test("of nothing, of a text that is too large and of no text is not made", async () => {
    const visitor = await signedIn("alice");
    await put("same.txt", "a\n");
    const before = await lastCommit();
    const at = `${tour}/_edit/main/same.txt`;
    const same = await visitor.submit(at, { tree_path: "same.txt", content: "a\r\n", to: "branch" });
    expect([same.status, same.text.includes("nothing to commit")]).toEqual([422, true]);
    const large = await visitor.submit(at, { tree_path: "same.txt", content: "x".repeat(1024 * 1024 + 1) });
    expect([large.status, large.text.includes("more than 1 MiB")]).toEqual([422, true]);
    expect((await lastCommit()).sha).toBe(before.sha);
    await put("data.bin", Buffer.from([0, 255, 1]));
    const binary = await visitor.get(`${tour}/_edit/main/data.bin`);
    expect(binary.text).toContain("is not text in UTF-8");
    expect(binary.text).not.toContain('name="content"');
    const moved = { tree_path: "moved.bin", to: "branch" };
    expect((await visitor.submit(`${tour}/_edit/main/data.bin`, moved)).status).toBe(303);
  });

  test("shows Markdown as it reads, and keeps the text", async () => {
    const visitor = await signedIn("alice");
    const fields = { tree_path: "README.md", content: "# Hello\n<script>1</script>\n", show: "preview" };
    const page = await visitor.submit(`${tour}/_edit/main/README.md`, fields);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/<h1[^>]*>.*Hello/);
    expect(page.text).not.toContain("<script>1");
    expect(textIn(page.text)).toBe("# Hello\n<script>1</script>\n");
  });
});

test("the changes are shown before they are committed, without those of line endings", async () => {
  const visitor = await signedIn("alice");
  await put("lines.txt", "one\r\n<b>\r\nthree\r\n");
  const at = `${tour}/_edit/main/lines.txt`;
  const fields = { tree_path: "lines.txt", content: "one\r\n<i>\r\nthree\r\n", show: "changes" };
  const page = await visitor.submit(at, fields);
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/added <\/span>\+1.*removed <\/span>−1/);
  expect(page.text).toContain("&lt;<b>i</b>&gt;");
  const same = await visitor.submit(at, { ...fields, content: "one\r\n<b>\r\nthree\r\n" });
  expect(same.text).toContain("The text is as it was.");
  expect(await read("lines.txt")).toBe("one\r\n<b>\r\nthree\r\n");
});

describe("a file that somebody else changed meanwhile", () => {
  const at = `${tour}/_edit/main/shared.txt`;
  const begin = "one\ntwo\nthree\nfour\nfive\n";

  /** Opens the editor, lets somebody else change the file, and sends. */
  async function race(theirs: string | null, typed: string) {
    await put("shared.txt", begin);
    const visitor = await signedIn("alice");
    const fields = hiddenFields((await visitor.get(at)).text, at);
    if (theirs === null) {
      const { body } = await alice.api.get<{ sha: string }>("/repos/alice/tour/contents/shared.txt");
      await alice.api.delete(`/repos/alice/tour/contents/shared.txt?sha=${body.sha}`, { sha: body.sha });
    } else {
      await put("shared.txt", theirs);
    }
    const send = (more: Record<string, string>) =>
      visitor.post(at, { ...fields, tree_path: "shared.txt", content: typed, to: "branch", ...more });
    return { visitor, send, page: await send({}) };
  }

  test("has both changes in the text, which is shown before it is committed", async () => {
    const { send, page } = await race(begin.replace("one", "ONE"), begin.replace("five", "FIVE"));
    expect(page.status).toBe(409);
    const both = begin.replace("one", "ONE").replace("five", "FIVE");
    expect([textIn(page.text), await read("shared.txt")]).toEqual([both, begin.replace("one", "ONE")]);
    expect(page.text).toContain("Their changes and yours are both in the text now");
    const sent = await send({ ...hiddenFields(page.text, at), content: textIn(page.text) });
    expect([sent.status, await read("shared.txt")]).toEqual([303, both]);
  });

  test("has marks where both changed the same lines, which do not get into a commit", async () => {
    const { send, page } = await race(begin.replace("two", "theirs"), begin.replace("two", "mine"));
    expect(page.status).toBe(409);
    const marked = "one\n<<<<<<< your text\nmine\n=======\ntheirs\n>>>>>>> main\nthree\nfour\nfive\n";
    expect(textIn(page.text)).toBe(marked);
    const left = await send({ ...hiddenFields(page.text, at), content: marked });
    expect([left.status, left.text.includes("marks of a conflict")]).toEqual([422, true]);
    const taken = begin.replace("two", "ours");
    expect((await send({ ...hiddenFields(left.text, at), content: taken })).status).toBe(303);
    expect(await read("shared.txt")).toBe(taken);
  });

  test("is made again if it was deleted, once that was told", async () => {
    const { send, page } = await race(null, "again\n");
    expect([page.status, textIn(page.text)]).toEqual([409, "again\n"]);
    expect(page.text).toContain("was moved or deleted");
    expect((await send({ ...hiddenFields(page.text, at), content: "again\n" })).status).toBe(303);
    expect(await read("shared.txt")).toBe("again\n");
  });

  test("counts for nothing if it is another file", async () => {
    const visitor = await signedIn("alice");
    await put("shared.txt", begin);
    const fields = hiddenFields((await visitor.get(at)).text, at);
    await put("elsewhere.txt", String(Math.random()));
    const sent = await visitor.post(at, { ...fields, tree_path: "shared.txt", content: "mine\n", to: "branch" });
    expect([sent.status, await read("shared.txt")]).toEqual([303, "mine\n"]);
  });

  test("is no way to read commits that nothing reaches", async () => {
    await put("shared.txt", begin);
    const visitor = await signedIn("alice");
    const fields = hiddenFields((await visitor.get(at)).text, at);
    const typed = { ...fields, tree_path: "shared.txt", content: "x\n", to: "branch" };
    for (const seen of ["a".repeat(40), "../../etc", "main"]) {
      const page = await visitor.post(at, { ...typed, last_commit: seen });
      expect([page.status, textIn(page.text).includes("<<<<<<< your text")]).toEqual([409, true]);
    }
  });
});
