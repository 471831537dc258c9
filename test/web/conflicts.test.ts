import { describe, expect, test } from "bun:test";
import { openPull, writeFile } from "../support/pulls.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const stranger = new WebVisitor(app.url);
await stranger.signIn("bob", testPassword);

const at = (number: number, rest = "/conflicts") => `/alice/tour/pulls/${number}${rest}`;
const lines = (middle: string, ending = "\n") => ["first", "", "second", middle, "third", "", "last", ""].join(ending);

let made = 0;

/** A pull request whose files are changed on both sides. `texts`: before both, of the head, of the base; null: deleted. */
async function clash(texts: Record<string, readonly [before: string, head: string, base: string]>) {
  const head = `topic-${++made}`;
  const base = `base-${made}`;
  await alice.api.post("/repos/alice/tour/branches", { new_branch_name: base, old_ref_name: "main" });
  for (const [path, [before]] of Object.entries(texts)) {
    await writeFile(alice, "alice/tour", { branch: base }, path, before);
  }
  await alice.api.post("/repos/alice/tour/branches", { new_branch_name: head, old_ref_name: base });
  for (const [path, [, own, theirs]] of Object.entries(texts)) {
    await writeFile(alice, "alice/tour", { branch: head }, path, own);
    await writeFile(alice, "alice/tour", { branch: base }, path, theirs);
  }
  const { number } = await openPull(alice, "alice/tour", { head, base, title: "Clash" });
  return { number, head, base };
}

async function tipOf(branch: string) {
  const { body } = await alice.api.get<{ commit: { id: string } }>(`/repos/alice/tour/branches/${branch}`);
  return body.commit.id;
}

async function textOf(path: string, branch: string): Promise<string> {
  const { body } = await alice.api.get<{ content: string }>(`/repos/alice/tour/contents/${path}?ref=${branch}`);
  return Buffer.from(body.content, "base64").toString();
}

async function send(visitor: WebVisitor, number: number, fields: Record<string, string>, page?: string) {
  const text = page ?? (await owner.get(at(number))).text;
  return visitor.post(at(number), { message: "Merge it", ...hiddenFields(text, at(number)), ...fields });
}

describe("who resolves conflicts", () => {
  test("is whoever may push to the head branch, and nobody else", async () => {
    const { number, head } = await clash({ "a.txt": [lines("x"), lines("ours"), lines("theirs")] });
    const before = await tipOf(head);
    expect((await stranger.get(at(number))).status).toBe(403);
    expect((await new WebVisitor(app.url).get(at(number))).location).toStartWith("/user/login");
    const other = await stranger.get(at(number, ""));
    const fields = hiddenFields((await owner.get(at(number))).text, at(number));
    const token = hiddenFields(other.text, "/user/logout");
    const sent = await stranger.post(at(number), { ...fields, ...token, text_0: lines("mine"), message: "Mine" });
    expect([sent.status, await tipOf(head)]).toEqual([403, before]);
  });
});

describe("conflicts of lines", () => {
  test("are shown with their three versions, and resolved by a merge of the base into the head", async () => {
    const { number, head, base } = await clash({
      "a.txt": [lines("x"), lines("<b>ours</b>"), lines("theirs")],
      "dir/b.txt": [lines("1"), lines("2"), lines("3")],
    });
    const tips = [await tipOf(head), await tipOf(base)];
    const { status, text } = await owner.get(at(number));
    expect(status).toBe(200);
    expect(text).toContain("&lt;b&gt;ours&lt;/b&gt;");
    expect(text).toContain("&lt;&lt;&lt;&lt;&lt;&lt;&lt; ");
    const left = await send(owner, number, { text_0: lines("both"), text_1: `${lines("2")}<<<<<<< x\n=======\n` });
    expect([left.status, left.text.includes("still has markers"), left.text.includes("both")]).toEqual([
      422,
      true,
      true,
    ]);
    expect(await tipOf(head)).toBe(tips[0] ?? "");
    const fields = { text_0: lines("both").replaceAll("\n", "\r\n"), text_1: lines("=======") };
    const done = await send(owner, number, { ...fields, markers: "1", message: "Bring it\n\nand why" });
    expect(done.location).toBe(at(number, ""));
    expect([await textOf("a.txt", head), await textOf("dir/b.txt", head)]).toEqual([lines("both"), lines("=======")]);
    const { body } = await alice.api.get<{
      author: { login: string };
      commit: { message: string };
      parents: { sha: string }[];
    }>(`/repos/alice/tour/git/commits/${await tipOf(head)}`);
    expect(body).toMatchObject({ author: { login: "alice" }, commit: { message: "Bring it\n\nand why\n" } });
    expect(body.parents.map(({ sha }) => sha)).toEqual(tips);
    expect((await owner.get(at(number))).text).toContain("There are no conflicts");
  });

  test("take a whole version with a button, and keep what is typed elsewhere", async () => {
    const { number, head } = await clash({
      "a.txt": [lines("x"), lines("ours"), lines("theirs")],
      "b.txt": [lines("1"), lines("2"), lines("3")],
    });
    const before = await tipOf(head);
    const taken = await send(owner, number, { text_0: "typed", text_1: "typed, too", take: "0 theirs" });
    expect([taken.status, await tipOf(head)]).toEqual([200, before]);
    const areas = [...taken.text.matchAll(/<textarea class="code"[^>]*>\n([^<]*)<\/textarea>/g)].map(
      ([, text]) => text,
    );
    expect(areas).toEqual([lines("theirs"), "typed, too"]);
  });

  test("keep the line endings of the file", async () => {
    const { number, head } = await clash({ "crlf.txt": [lines("x", "\r\n"), lines("a", "\r\n"), lines("b", "\r\n")] });
    await send(owner, number, { text_0: lines("c") });
    expect(await textOf("crlf.txt", head)).toBe(lines("c", "\r\n"));
  });

  test("lose nothing when a branch moves meanwhile, and say so", async () => {
    const { number, head, base } = await clash({
      "a.txt": [lines("x"), lines("ours"), lines("theirs")],
      "b.txt": [lines("1"), lines("2"), lines("3")],
    });
    const { text } = await owner.get(at(number));
    await writeFile(alice, "alice/tour", { branch: base }, "a.txt", lines("theirs, later"));
    await writeFile(alice, "alice/tour", { branch: base }, "b.txt", lines("2"));
    const [before, moved] = [await tipOf(head), await tipOf(base)];
    const refused = await send(owner, number, { text_0: lines("mine"), text_1: "mine, too" }, text);
    expect([refused.status, await tipOf(head)]).toEqual([409, before]);
    expect(refused.text).toContain(`The branch &quot;${base}&quot; has moved`);
    expect(refused.text).toContain("This file has changed since you began");
    expect(refused.text).toContain("theirs, later");
    for (const typed of [lines("mine"), "mine, too"]) {
      expect(refused.text).toContain(typed);
    }
    const again = await owner.post(at(number), {
      ...hiddenFields(refused.text, at(number)),
      message: "Merge it",
      text_0: lines("mine"),
    });
    expect([again.status, await textOf("a.txt", head)]).toEqual([303, lines("mine")]);
    expect((await alice.api.get<{ merge_base: string }>(`/repos/alice/tour/pulls/${number}`)).body.merge_base).toBe(
      moved,
    );
  });

  test("are not resolved by texts of other files, nor by some of them", async () => {
    const { number, head } = await clash({
      "a.txt": [lines("x"), lines("ours"), lines("theirs")],
      "b.txt": [lines("1"), lines("2"), lines("3")],
    });
    const before = await tipOf(head);
    const page = (await owner.get(at(number))).text;
    const fields = hiddenFields(page, at(number));
    const few = await owner.post(at(number), {
      ...fields,
      path_1: "README.md",
      text_0: "a",
      text_1: "b",
      message: "M",
    });
    expect([few.status, few.text.includes("they are in conflict"), await tipOf(head)]).toEqual([409, true, before]);
    const none = await owner.post(at(number), { ...fields, text_0: "a", text_1: "b", message: " " });
    expect([none.status, none.text.includes('id="message_problem"')]).toEqual([422, true]);
  });
});

test("other conflicts are listed, and left to git", async () => {
  const { number } = await clash({
    bin: ["\0before", "\0ours", "\0theirs"],
    "a.txt": [lines("x"), lines("y"), lines("z")],
  });
  const { status, text } = await owner.get(at(number));
  expect([status, text.includes("it is no text"), text.includes('<textarea class="code"')]).toEqual([200, true, false]);
  expect((await owner.get(at(999_999))).status).toBe(404);
});
