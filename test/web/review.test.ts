import { beforeAll, describe, expect, test } from "bun:test";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { openPull, writeFile } from "../support/pulls.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.user("carol");
const site = "alice/site";
const visitorOf = async (name: string) => {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
};
const [author, reviewer, reader] = (await Promise.all(["alice", "bob", "carol"].map(visitorOf))) as [
  WebVisitor,
  WebVisitor,
  WebVisitor,
];
const nobody = new WebVisitor(app.url);

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");
const changed = `${lines(1, 19)}twenty\n${lines(21, 40)}`;

beforeAll(async () => {
  await app.repository(alice, "site", { auto_init: true });
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
  await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 40));
});

interface Comment {
  id: number;
  body: string;
  path: string;
  position: number;
  original_position: number;
}

let opened = 0;
/** A pull request of alice's that changes line 20 of a.txt. */
async function open() {
  const head = `topic-${opened++}`;
  const oid = await writeFile(alice, site, { new_branch: head }, "a.txt", changed);
  const { number } = await openPull(alice, site, { head });
  const files = `/${site}/pulls/${number}/files`;
  const at = `/repos/${site}/pulls/${number}`;
  const anchor = /id="diff-([0-9a-z]+)"[^>]*aria-label="a.txt"/;
  const key = anchor.exec((await nobody.get(files)).text)?.[1] ?? "";
  return {
    head,
    oid,
    number,
    files,
    key,
    push: async (content: string) => {
      const commit = await writeFile(alice, site, { branch: head }, "a.txt", content);
      await waitUntilIdle(app.forge, 60_000);
      return commit;
    },
    reviews: async () => (await bob.api.get<{ id: number; state: string; body: string }[]>(`${at}/reviews`)).body,
    comments: async () => {
      const reviews = (await bob.api.get<{ id: number }[]>(`${at}/reviews`)).body;
      const lists = await Promise.all(
        reviews.map(async ({ id }) => (await bob.api.get<Comment[]>(`${at}/reviews/${id}/comments`)).body),
      );
      return lists.flat();
    },
    /** Opens the form of these lines, and sends it. */
    comment: async (visitor: WebVisitor, on: string, fields: Record<string, string>, from = files) => {
      const { text } = await visitor.get(`${from}?on=${key}${on}`);
      return visitor.post(from, { ...formOf(text), how: "alone", ...linesOf(on), ...fields });
    },
  };
}

/** The hidden fields of the open form of a page. */
function formOf(text: string): Record<string, string> {
  const [, form] = /(<form [^>]*id="on"[^]*?<\/form>)/.exec(text) ?? [];
  if (form === undefined) {
    throw new Error("No form is open");
  }
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? "";
  return hiddenFields(form, action);
}

function linesOf(on: string): Record<string, string> {
  const [, from = "", line = from] = /^[LR](\d+)(?:-(\d+))?$/.exec(on) ?? [];
  return { from, line };
}

/** Presses a button of the form that a page has for all small acts. */
async function press(visitor: WebVisitor, files: string, fields: Record<string, string | string[]>) {
  const { text } = await visitor.get(files);
  const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? "";
  return visitor.post(files, { _csrf: csrf, act: "small", ...fields });
}

describe("what somebody may not do", () => {
  test("nobody is offered forms, and what strangers send is not done", async () => {
    const { files, key, comments, comment } = await open();
    await comment(reviewer, "R20", { body: "Theirs" });
    const [theirs] = await comments();
    const { text } = await nobody.get(`${files}?on=${key}R20`);
    for (const offered of ['id="on"', 'form="acts"', 'form="viewed"', "Finish review", '#on"']) {
      expect([offered, text.includes(offered)]).toEqual([offered, false]);
    }
    expect((await nobody.post(files, { on: `${key}R20`, body: "x" })).status).not.toBe(200);
    expect((await press(reader, files, { resolve: String(theirs!.id) })).status).toBe(403);
    const { text: theirPage } = await reader.get(files);
    expect(theirPage).not.toContain('name="resolve"');
    expect(theirPage).not.toContain(`edit${theirs!.id}#on`);
    const csrf = /name="_csrf" value="([^"]*)"/.exec(theirPage)?.[1] ?? "";
    const edit = { _csrf: csrf, on: `edit${theirs!.id}`, version: "0", body: "Mine now" };
    expect((await reader.post(files, edit)).status).toBe(403);
    expect((await reader.post(files, { ...edit, delete: "1" })).status).toBe(403);
    expect(await comments()).toMatchObject([{ body: "Theirs" }]);
  });

  test("a draft is its author's alone", async () => {
    const { files, comment } = await open();
    expect((await comment(reviewer, "R20", { how: "draft", body: "Secret thought" })).status).toBe(303);
    expect((await reviewer.get(files)).text).toContain("Secret thought");
    for (const visitor of [author, reader, nobody]) {
      expect((await visitor.get(files)).text).not.toContain("Secret thought");
    }
  });

  test("who may not push to the head applies no suggestion", async () => {
    const { files, comment, comments } = await open();
    await comment(author, "R20", { body: "```suggestion\nXX\n```" });
    const [one] = await comments();
    expect((await reader.get(files)).text).not.toContain('name="apply"');
    const refused = await press(reader, files, { apply: `${one!.id}.0.0` });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("You may not push to the branch");
  });

  test("a commit of another history is not shown, nor is it one to comment on", async () => {
    const { files, comment, comments } = await open();
    const other = await writeFile(alice, site, { new_branch: `other-${opened}` }, "b.txt", "b\n");
    expect((await nobody.get(`${files}/${other}`)).status).toBe(404);
    expect((await nobody.get(`${files}/${"0".repeat(40)}..${other}`)).status).toBe(404);
    expect((await comment(reviewer, "R20", { after: other, body: "x" })).status).toBe(422);
    expect((await comment(reviewer, "R20", { after: other, suggest: "1", body: "" })).status).toBe(422);
    expect(await comments()).toEqual([]);
  });
});

describe("a comment", () => {
  test("is made on any line, on both sides, and on several lines", async () => {
    const { files, comment, comments } = await open();
    for (const [on, body] of [
      ["R20", "one"],
      ["L20", "old"],
      ["R2", "far from the change"],
      ["R18-20", "three lines"],
    ] as const) {
      const { status, location } = await comment(reviewer, on, { body });
      expect([on, status]).toEqual([on, 303]);
      expect(location).toContain("#issuecomment-");
    }
    const made = await comments();
    expect(made.map(({ body, position, original_position: old }) => [body, position, old]).toSorted()).toEqual([
      ["far from the change", 2, 0],
      ["old", 0, 20],
      ["one", 20, 0],
      ["three lines", 20, 0],
    ]);
    const { text } = await nobody.get(files);
    expect(text).toContain("Lines 18–20");
    // The line that did not change is shown because of the comment.
    expect(text).toContain("data-n=2>");
    expect((await nobody.get(`${files}?style=split`)).text).toContain("three lines");
  });

  test("that is refused is shown again with what was typed", async () => {
    const { comment } = await open();
    const blank = await comment(reviewer, "R20", { body: " " });
    expect(blank.status).toBe(422);
    expect(blank.text).toContain("cannot be empty");
    for (const fields of [
      { line: "999" },
      { line: "x" },
      { from: "30" },
      { line: "400", from: "1" },
      { path: "nope" },
    ]) {
      const { status, text } = await comment(reviewer, "R20", { body: "Kept <words>", ...fields });
      expect([fields, status, text.includes("Kept &lt;words&gt;")]).toEqual([fields, 422, true]);
    }
  });

  test("is replied to, edited and deleted, and its conversation resolved", async () => {
    const { files, comment, comments } = await open();
    await comment(reviewer, "R20", { body: "First" });
    const [first] = await comments();
    const on = async (visitor: WebVisitor, what: string, fields: Record<string, string>) => {
      const { text } = await visitor.get(`${files}?on=${what}`);
      return visitor.post(files, { ...formOf(text), ...fields });
    };
    expect((await on(author, `reply${first!.id}`, { how: "alone", body: "A reply" })).status).toBe(303);
    expect((await on(reviewer, `edit${first!.id}`, { body: "First, better" })).status).toBe(303);
    const late = await on(reviewer, `edit${first!.id}`, { version: "0", body: "Too late" });
    expect(late.status).toBe(409);
    expect(late.text).toContain("Too late");
    expect((await comments()).map(({ body }) => body).toSorted()).toEqual(["A reply", "First, better"]);
    expect((await press(author, files, { resolve: String(first!.id) })).status).toBe(303);
    expect((await nobody.get(files)).text).toContain("Resolved by alice");
    expect((await press(author, files, { unresolve: String(first!.id) })).status).toBe(303);
    expect((await nobody.get(files)).text).not.toContain("Resolved by alice");
    // The reply stays, and the conversation with it.
    expect((await on(reviewer, `edit${first!.id}`, { delete: "1" })).status).toBe(303);
    const { text } = await author.get(files);
    expect(text).toContain("A reply");
    const [left] = await comments();
    expect(text).toContain(`reply${left!.id}#on`);
  });

  test("stands in the conversation of the pull request, too, and is answered there", async () => {
    const { files, number, comment, comments } = await open();
    await comment(reviewer, "R20", { body: "First\n```suggestion\nXX\n```" });
    const [first] = await comments();
    const page = `/${site}/pulls/${number}`;
    const { text } = await author.get(`${page}?on=reply${first!.id}`);
    expect(text.split(`id="issuecomment-${first!.id}"`)).toHaveLength(2);
    expect(text).toContain('name="apply"');
    const sent = await author.post(files, { ...formOf(text), how: "alone", body: "Said here" });
    expect(sent.location).toStartWith(`${page}#issuecomment-`);
    const shown = (await nobody.get(page)).text;
    expect(shown.split("Said here")).toHaveLength(2);
    const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? "";
    const resolved = await author.post(files, { _csrf: csrf, back: "conversation", resolve: String(first!.id) });
    expect(resolved.location).toBe(`${page}#issuecomment-${first!.id}`);
    expect((await nobody.get(page)).text).toContain("Resolved by alice");
  });

  test("with hostile text is shown as text", async () => {
    const { files, comment } = await open();
    await comment(reviewer, "R20", { body: '<img src=x onerror="alert(1)">\n```suggestion\n</table><script>\n```' });
    const { text } = await nobody.get(files);
    expect(text).not.toContain("onerror");
    expect(text).not.toContain("<script>\n");
    expect(text).toContain("&lt;/table&gt;&lt;script&gt;");
  });
});

describe("a review", () => {
  test("is drafted, counted, sent with all of it, and thrown away only if that is meant", async () => {
    const { files, comment, comments, reviews, number } = await open();
    await comment(reviewer, "R20", { how: "draft", body: "Draft 1" });
    const said = await comment(reviewer, "R18", { how: "alone", body: "Draft 2" });
    expect(said.status).toBe(303);
    const { text } = await reviewer.get(files);
    expect(text).toContain("Send with 2 drafts");
    expect((await author.get(files)).text).not.toContain("Draft 1");
    const fields = { ...hiddenFields(text.slice(text.indexOf('class="panel stack s"') - 6), files), act: "finish" };
    const asked = await reviewer.post(files, { ...fields, discard: "1" });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('value="sure"');
    expect(await comments()).toHaveLength(2);
    const sent = await reviewer.post(files, { ...fields, verdict: "request-changes", body: "See there" });
    expect(sent).toMatchObject({ status: 303, location: `/${site}/pulls/${number}` });
    expect(await reviews()).toMatchObject([{ state: "REQUEST_CHANGES", body: "See there" }]);
    expect((await author.get(files)).text).toContain("Draft 1");
    await comment(reviewer, "R17", { how: "draft", body: "Draft 3" });
    expect((await reviewer.post(files, { ...fields, discard: "sure" })).status).toBe(303);
    expect((await reviewer.get(files)).text).not.toContain("Draft 3");
  });

  test("keeps a file that came while its draft was edited", async () => {
    const { files, comment, comments } = await open();
    await comment(reviewer, "R20", { how: "draft", body: "Draft" });
    const csrf = /name="_csrf" value="([^"]*)"/.exec((await reviewer.get(files)).text)?.[1] ?? "";
    const form = new FormData();
    form.set("_csrf", csrf);
    form.append("files", new Blob(["notes"]), "notes.txt");
    const { text } = await reviewer.request("POST", `/${site}/issues/attachments`, { body: form });
    const { address } = JSON.parse(text) as { address: string };
    const [draft] = await comments();
    const opened = (await reviewer.get(`${files}?on=edit${draft?.id}`)).text;
    const edited = await reviewer.post(files, { ...formOf(opened), body: `See [notes](${address})` });
    expect(edited.status).toBe(303);
    expect((await reviewer.post(files, { _csrf: csrf, act: "finish", verdict: "comment", body: "" })).status).toBe(303);
    expect([(await reviewer.get(address)).status, (await nobody.get(address)).status]).toEqual([200, 200]);
  });

  test("keeps its drafts on their lines over a push", async () => {
    const { files, comment, push } = await open();
    await comment(reviewer, "R20", { how: "draft", body: "On twenty" });
    await comment(reviewer, "R30", { how: "draft", body: "On thirty" });
    await push(`first\n${lines(1, 19)}twenty\n${lines(21, 29)}thirty\n${lines(31, 40)}`);
    const { text } = await reviewer.get(files);
    const at = text.indexOf("On twenty");
    expect(text.slice(0, at)).toEndWith(text.slice(text.lastIndexOf("data-n=21>", at), at));
    const outdated = text.slice(0, text.indexOf("On thirty"));
    expect(outdated.slice(outdated.lastIndexOf("<article"))).toContain("Outdated");
  });
});

describe("if somebody pushes between form and submit", () => {
  test("the comment is where the line is now", async () => {
    const { files, key, push, comments } = await open();
    const { text } = await reviewer.get(`${files}?on=${key}R20`);
    await push(`first\n${changed}`);
    const sent = await reviewer.post(files, { ...formOf(text), from: "20", line: "20", how: "alone", body: "Moved" });
    expect(sent.status).toBe(303);
    expect(await comments()).toMatchObject([{ body: "Moved", position: 21 }]);
  });

  test("the page asks where the line is gone, and nothing is lost", async () => {
    const { files, key, push, comments } = await open();
    const { text } = await reviewer.get(`${files}?on=${key}R20`);
    await push(`${lines(1, 19)}another twenty\n${lines(21, 40)}`);
    const fields = { from: "20", line: "20", how: "alone", body: "About the old twenty" };
    const asked = await reviewer.post(files, { ...formOf(text), ...fields });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain("About the old twenty");
    expect(await comments()).toEqual([]);
    const again = await reviewer.post(files, { ...formOf(asked.text), ...fields });
    expect(again.status).toBe(303);
    expect(await comments()).toMatchObject([{ body: "About the old twenty" }]);
    expect((await nobody.get(files)).text).toContain("Outdated");
  });
});

describe("a suggestion", () => {
  const content = async (head: string) => {
    const { body } = await alice.api.get<{ content: string }>(`/repos/${site}/contents/a.txt?ref=${head}`);
    return Buffer.from(body.content, "base64").toString();
  };

  test("begins with the lines that it is for", async () => {
    const { comment } = await open();
    const { status, text } = await comment(reviewer, "R19-20", { suggest: "1", body: "Better:" });
    expect(status).toBe(200);
    expect(text).toContain("Better:\n```suggestion\nline 19\ntwenty\n```");
  });

  test("is applied with its author as co-author, and several are in one commit", async () => {
    const { files, head, comment, comments } = await open();
    await comment(reviewer, "R20", { body: "```suggestion\n20\ntwenty and a half\n```" });
    await comment(reviewer, "R2-3", { body: "```suggestion\n```" });
    const values = (await comments()).map(({ id }) => `${id}.0.0`);
    const done = await press(author, files, { suggestion: values, title: "Take them" });
    expect(done.status).toBe(303);
    expect(await content(head)).toBe(`line 1\n${lines(4, 19)}20\ntwenty and a half\n${lines(21, 40)}`);
    const { body } = await alice.api.get<{ commit: { message: string } }[]>(`/repos/${site}/commits?sha=${head}`);
    expect(body[0]?.commit.message).toMatch(/^Take them\n\nCo-authored-by: bob <.+>\n?$/);
  });

  test("is refused where it is outdated, was changed, or is for lines of another one", async () => {
    const { files, head, comment, comments, push } = await open();
    await comment(reviewer, "R20", { body: "```suggestion\n20\n```" });
    await comment(reviewer, "R19-21", { body: "```suggestion\nall\n```" });
    const [one, two] = await comments();
    const values = [one, two].map((each) => `${each!.id}.0.0`);
    const both = await press(author, files, { suggestion: values });
    expect(both).toMatchObject({ status: 422 });
    expect(both.text).toContain("Two of the suggestions are for line");
    const edited = await press(author, files, { apply: `${one!.id}.7.0` });
    expect(edited.status).toBe(409);
    for (const wrong of ["", "x", `${one!.id}.0.9`, "99999999.0.0"]) {
      expect([wrong, (await press(author, files, { apply: wrong })).status]).toEqual([
        wrong,
        wrong.startsWith("9") ? 404 : 422,
      ]);
    }
    await push(`${lines(1, 19)}another twenty\n${lines(21, 40)}`);
    const late = await press(author, files, { apply: values[0]! });
    expect(late.status).toBe(409);
    expect(late.text).toContain("were changed since it was made");
    expect(await content(head)).toContain("another twenty");
  });
});

describe("a file", () => {
  test("that was viewed is folded and counted, and comes back when it changes", async () => {
    const { number, files, push } = await open();
    const { text } = await reader.get(files);
    expect(text).toContain("<b>0</b> of 1 viewed");
    const value = /name="view" value="([^"]*)"/.exec(text)?.[1] ?? "";
    const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? "";
    expect((await reader.post(`${files}/viewed`, { _csrf: csrf, view: value, back: files })).location).toBe(files);
    const viewed = (await reader.get(files)).text;
    expect(viewed).toContain("<b>1</b> of 1 viewed");
    expect(viewed).toContain('class="seen"');
    expect((await reviewer.get(files)).text).toContain("<b>0</b> of 1 viewed");
    await push(`${changed}more\n`);
    expect((await reader.get(files)).text).toContain("<b>0</b> of 1 viewed");
    for (const wrong of ["", "x", `${"z".repeat(40)} a.txt`, `${"a".repeat(40)} `]) {
      expect([wrong, (await reader.post(`${files}/viewed`, { _csrf: csrf, view: wrong })).status]).toEqual([
        wrong,
        422,
      ]);
    }
    expect((await nobody.post(`${files}/viewed`, { view: value })).status).not.toBe(200);
    expect(number).toBeGreaterThan(0);
  });

  test("is shown by commit, and by commits in a row, with the conversations that are there", async () => {
    const { files, oid, comment, push } = await open();
    const second = await push(`${changed}more\n`);
    const third = await push(`${changed}more\nand more\n`);
    await comment(reviewer, "R20", { body: "On the first" });
    expect((await nobody.get(`${files}/${oid}`)).text).toContain("On the first");
    const of = await nobody.get(`${files}/${second}`);
    expect(of.status).toBe(200);
    expect(of.text).not.toContain("and more");
    const range = await nobody.get(`${files}?from=${second}&to=${third}`);
    expect(range.location).toBe(`${files}/${oid}..${third}`);
    expect((await nobody.get(range.location)).text).toContain("and more");
    const made = await comment(reviewer, "R41", { body: "On an older commit" }, `${files}/${second}`);
    expect(made.status).toBe(303);
    expect((await nobody.get(files)).text).toContain("On an older commit");
  });
});
