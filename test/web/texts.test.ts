import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields, type WebPage } from "../support/web-visitor.ts";

/** Texts that people write: completion, files that come with them, and drafts. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
const nobody = new WebVisitor(app.url);

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const owner = await signedIn("alice");
const stranger = await signedIn("bob");

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
type Sent = readonly [name: string, bytes: Uint8Array];

async function open(title: string, repository = "tour"): Promise<number> {
  return (await alice.api.post<{ number: number }>(`/repos/alice/${repository}/issues`, { title, body: "" })).body
    .number;
}

/** Sends the form at `to` of a page with fields and files, as a browser without script does. */
async function sendFiles(
  visitor: WebVisitor,
  from: string,
  to: string,
  fields: Record<string, string>,
  files: readonly Sent[],
): Promise<WebPage> {
  const { text } = await visitor.get(from);
  const form = new FormData();
  const shown = text.includes(`action="${to}"`) ? to : "/user/logout";
  for (const [name, value] of Object.entries({ ...hiddenFields(text, shown), ...fields })) {
    form.set(name, value);
  }
  for (const [name, bytes] of files) {
    form.append("files", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  }
  return visitor.request("POST", to, { body: form });
}

interface Kept {
  name: string;
  address: string;
  isPicture: boolean;
}

/** Gives a file to the server before its text, as the script does. */
async function keep(visitor: WebVisitor, file: Sent, repository = "tour"): Promise<Kept> {
  const answer = await sendFiles(visitor, "/", `/alice/${repository}/issues/attachments`, {}, [file]);
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, answer.text.slice(0, 200)]);
  return JSON.parse(answer.text) as Kept;
}

describe("completion", () => {
  async function complete(
    visitor: WebVisitor,
    q: string,
    repository = "tour",
  ): Promise<[put: string, about: string][]> {
    const { status, text } = await visitor.get(
      `/alice/${repository}/-/complete?${new URLSearchParams({ q }).toString()}`,
    );
    expect(status).toBe(200);
    const { choices } = JSON.parse(text) as { choices: { put: string; about: string }[] };
    return choices.map(({ put, about }) => [put, about]);
  }

  test("is for those who write, and of what they may see", async () => {
    await open("A plan that is hidden", "closed");
    expect((await nobody.get("/alice/tour/-/complete?q=@a")).location).toContain("/user/login");
    expect((await stranger.get("/alice/closed/-/complete?q=%23plan")).status).toBe(404);
    expect(await complete(stranger, "#plan")).toEqual([]);
    expect(await complete(owner, "#hidden", "closed")).toEqual([["#1", "A plan that is hidden"]]);
  });

  test("of users, issues and emoji", async () => {
    const number = await open('<b>"Brakes"</b> & bells');
    expect(await complete(owner, "@bo")).toContainEqual(["@bob", ""]);
    expect(await complete(owner, "#brakes")).toEqual([[`#${number}`, '<b>"Brakes"</b> & bells']]);
    expect(await complete(owner, `#${number}`)).toEqual([[`#${number}`, '<b>"Brakes"</b> & bells']]);
    expect(await complete(owner, `!${number}`)).toEqual([]);
    expect(await complete(owner, ":tad")).toContainEqual(["🎉", "tada"]);
    for (const nothing of ["", "x", "@", ":", ":t", "#00000", "\u0000", "@".repeat(5000)]) {
      expect(await complete(owner, nothing)).toEqual([]);
    }
    expect((await complete(owner, "#")).length).toBeGreaterThan(0);
  });
});

describe("a file before its text", () => {
  test("comes only from those who may take part, and only they see it", async () => {
    const refused = await sendFiles(nobody, "/", "/alice/tour/issues/attachments", {}, [["a.png", png]]).catch(
      () => null,
    );
    expect(refused === null || refused.status >= 400).toBe(true);
    const hidden = await sendFiles(stranger, "/", "/alice/closed/issues/attachments", {}, [["a.png", png]]);
    expect(hidden.status).toBe(404);
    const { address, isPicture } = await keep(stranger, ["a.png", png]);
    expect(isPicture).toBe(true);
    expect((await stranger.get(address)).status).toBe(200);
    expect((await owner.get(address)).status).toBe(404);
    expect((await nobody.get(address)).status).toBe(404);
  });

  test("belongs to the comment that names it, and nobody takes another's", async () => {
    const number = await open("Files");
    const comments = `/alice/tour/issues/${number}/comments`;
    const { address } = await keep(stranger, ["a.png", png]);
    await sendFiles(owner, `/alice/tour/issues/${number}`, comments, { body: `![mine](${address})` }, []);
    expect((await owner.get(address)).status).toBe(404);
    await sendFiles(stranger, `/alice/tour/issues/${number}`, comments, { body: `see ![it](${address})` }, []);
    expect((await nobody.get(address)).status).toBe(200);
    const { text } = await nobody.get(`/alice/tour/issues/${number}`);
    expect(text).toContain(`src="${app.url}${address}"`);
    // The text shows it, so it is not shown beside it once more.
    expect(text.split(address).length - 1).toBe(text.split(`src="${app.url}${address}"`).length - 1);
    type Comment = { assets: { name: string }[] };
    const found = await bob.api.get<Comment[]>(`/repos/alice/tour/issues/${number}/comments`);
    expect(found.body.at(-1)?.assets.map(({ name }) => name)).toEqual(["a.png"]);
  });

  test("is shown on the pages of a private repository to those who see it", async () => {
    const number = await open("Hidden files", "closed");
    const { address } = await keep(owner, ["a.png", png], "closed");
    const comments = `/alice/closed/issues/${number}/comments`;
    await sendFiles(owner, `/alice/closed/issues/${number}`, comments, { body: `![](${address})` }, []);
    expect([(await owner.get(address)).status, (await stranger.get(address)).status]).toEqual([200, 404]);
  });

  test("is refused in words that the editor shows", async () => {
    const answer = await sendFiles(owner, "/", "/alice/tour/issues/attachments", {}, []);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([422, { message: "No file was sent" }]);
  });
});

describe("files that come with a form", () => {
  test("are attached to the comment, and taken away when it is edited", async () => {
    const number = await open("With a form");
    const page = `/alice/tour/issues/${number}`;
    const sent = await sendFiles(stranger, page, `${page}/comments`, { body: "two" }, [
      ["a.png", png],
      ['<b>"x".txt', Buffer.from("text")],
    ]);
    expect(sent.status).toBe(303);
    const id = /issuecomment-(\d+)/.exec(sent.location)?.[1] ?? "";
    expect((await stranger.get(page)).text).toContain("&lt;b&gt;&quot;x&quot;.txt");
    const edit = `${page}/comments/${id}`;
    const form = await stranger.get(edit);
    const [file = ""] = [...form.text.matchAll(/name="remove" value="(\d+)"/g)].map(([, one]) => one ?? "");
    await sendFiles(stranger, edit, edit, { body: "one", remove: file }, [["b.txt", Buffer.from("b")]]);
    type Comment = { id: number; body: string; assets: { name: string }[] };
    const { body } = await bob.api.get<Comment>(`/repos/alice/tour/issues/comments/${id}`);
    expect([body.body, body.assets.map(({ name }) => name)]).toEqual(["one", ['<b>"x".txt', "b.txt"]]);
  });

  test("are told at their field if they are refused, and the text stays", async () => {
    const number = await open("Refused");
    const page = `/alice/tour/issues/${number}`;
    const answer = await sendFiles(owner, page, `${page}/comments`, { body: "typed" }, [
      [`${"x".repeat(300)}.txt`, png],
    ]);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/<input type="file"[^>]* aria-invalid="true" aria-describedby="body_files_problem"/);
    expect(answer.text).toContain("\ntyped</textarea>");
  });

  test("open an issue with it", async () => {
    const sent = await sendFiles(
      owner,
      "/alice/tour/issues/new",
      "/alice/tour/issues/new",
      { title: "New", body: "" },
      [["a.png", png]],
    );
    expect(sent.status).toBe(303);
    expect((await owner.get(sent.location)).text).toContain('alt="a.png"');
  });
});

describe("a draft", () => {
  test("is dropped by the page that follows what was sent, once", async () => {
    const number = await open("Drafts");
    const page = `/alice/tour/issues/${number}`;
    expect((await sendFiles(owner, page, `${page}/comments`, { body: "" }, [])).status).toBe(422);
    expect((await owner.get(page)).text).not.toContain("data-sent");
    await sendFiles(owner, page, `${page}/comments`, { body: "sent", draft: "3" }, []);
    expect((await owner.get(page)).text).toContain(`data-sent="alice ${page}/comments#3"`);
    expect((await owner.get(page)).text).not.toContain("data-sent");
  });
});

test("two who edit one text at once: the second is shown both", async () => {
  const number = await open("Twice");
  const edit = `/alice/tour/issues/${number}/edit`;
  const { text } = await owner.get(edit);
  const fields = hiddenFields(text, edit);
  await owner.post(edit, { ...fields, title: "Twice", body: "first <b>" });
  const second = await owner.post(edit, { ...fields, title: "Twice", body: "second" });
  expect(second.status).toBe(409);
  expect(second.text).toContain("\nsecond</textarea>");
  expect(second.text).toMatch(/As it is now[^]*first &lt;b&gt;<\/pre>/);
  expect(second.text).toContain('name="version" value="1"');
});
