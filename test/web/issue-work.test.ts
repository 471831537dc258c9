import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields, type WebPage } from "../support/web-visitor.ts";

/** What is done with an issue besides writing: edits and their history, tasks, times, branches. */

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

interface Issue {
  number: number;
  body: string;
  ref: string;
}

async function open(title: string, body = "", repository = "tour"): Promise<string> {
  const made = await alice.api.post<Issue>(`/repos/alice/${repository}/issues`, { title, body });
  return `/alice/${repository}/issues/${made.body.number}`;
}
const read = async (page: string) => (await alice.api.get<Issue>(`/repos${page}`)).body;

/** Sends a form of a page, also one that the page does not offer. */
async function send(visitor: WebVisitor, page: string, act: string, fields: Record<string, string>): Promise<WebPage> {
  const { text } = await visitor.get(page);
  const to = `${page}/${act}`;
  const form = text.includes(`action="${to}"`) ? to : "/user/logout";
  return visitor.post(to, { ...hiddenFields(text, form), ...fields });
}

describe("the history of a text", () => {
  async function edited(): Promise<{ page: string; edit: string }> {
    const page = await open("Edited", "one <b>\nsame");
    await alice.api.patch(`/repos${page}`, { body: "two <b>\nsame" });
    await alice.api.patch(`/repos${page}`, { title: "Retitled" });
    await alice.api.patch(`/repos${page}`, { body: "three\nsame" });
    const { text } = await nobody.get(`${page}/history`);
    const [, edit = ""] = [...text.matchAll(/history\?edit=(\d+)/g)].map(([, id]) => id);
    return { page, edit: edit ?? "" };
  }

  test("is deleted only by those who may change the text", async () => {
    const { page, edit } = await edited();
    expect((await send(stranger, page, "history", { edit })).status).toBe(403);
    expect((await nobody.get(`${page}/history?edit=${edit}`)).text).toContain("one");
    const hidden = await open("Hidden", "secret", "closed");
    await alice.api.patch(`/repos${hidden}`, { body: "other" });
    expect((await stranger.get(`${hidden}/history`)).status).toBe(404);
    for (const query of ["edit=999999", `comment=999999`, "comment=x"]) {
      expect([query, (await nobody.get(`${page}/history?${query}`)).status]).toEqual([query, 404]);
    }
  });

  test("shows each edit, and what it changed", async () => {
    const { page, edit } = await edited();
    expect((await nobody.get(page)).text).toContain(`href="${page}/history"`);
    const last = await nobody.get(`${page}/history`);
    expect([...last.text.matchAll(/history\?edit=/g)]).toHaveLength(2);
    expect(last.text.replaceAll(/<[^>]*>/g, "")).toMatch(/two &lt;b&gt;[^]*three/);
    const first = await nobody.get(`${page}/history?edit=${edit}`);
    expect(first.text.replaceAll(/<[^>]*>/g, "")).toMatch(/one &lt;b&gt;[^]*two &lt;b&gt;/);
    expect(first.text).not.toContain("Delete the text");
  });

  test("forgets a text, and that nobody reads it any more", async () => {
    const { page, edit } = await edited();
    expect((await owner.get(`${page}/history?edit=${edit}`)).text).toContain("Delete the text");
    expect((await send(owner, page, "history", { edit })).location).toContain(`history?edit=${edit}`);
    const { text } = await owner.get(`${page}/history?edit=${edit}`);
    expect(text).toContain("was deleted");
    expect(text).not.toContain("one &lt;b&gt;");
    expect((await send(owner, page, "history", { edit: "999999" })).status).toBe(404);
  });

  test("of a comment is its author's", async () => {
    const page = await open("Commented");
    const { body } = await bob.api.post<{ id: number }>(`/repos${page}/comments`, { body: "mine" });
    await bob.api.patch(`/repos/alice/tour/issues/comments/${body.id}`, { body: "mine now" });
    const { text } = await stranger.get(`${page}/history?comment=${body.id}`);
    const edit = /name="edit" value="(\d+)"/.exec(text)?.[1] ?? "";
    const sent = await send(stranger, page, "history", { comment: String(body.id), edit });
    expect(sent.status).toBe(303);
    expect((await nobody.get(`${page}/history?comment=${body.id}`)).text).toContain("was deleted");
  });
});

describe("a task", () => {
  const text = '- [ ] one\n- [x] two **"b"**\n\n```\n- [ ] code\n```\n';

  test("is ticked only by those who may change the text", async () => {
    const page = await open("Tasks", text);
    const fields = { task: "0:1", version: "0" };
    expect((await stranger.get(page)).text).not.toContain('role="checkbox"');
    expect((await send(stranger, page, "task", fields)).status).toBe(403);
    expect((await read(page)).body).toBe(text);
  });

  test("is ticked and unticked, in issues and comments", async () => {
    const page = await open("Tasks", text);
    const shown = await owner.get(page);
    expect(shown.text).toContain('value="0:1" role="checkbox" aria-checked="false" aria-label="one"');
    expect(shown.text).toContain('value="1:0" role="checkbox" aria-checked="true" aria-label="two &quot;b&quot;"');
    expect((await send(owner, page, "task", { task: "0:1" })).location).toBe(`${page}#issue`);
    expect((await send(owner, page, "task", { task: "1:0" })).status).toBe(303);
    expect((await read(page)).body).toBe(text.replace("[ ] one", "[x] one").replace("[x] two", "[ ] two"));
    const { body } = await bob.api.post<{ id: number }>(`/repos${page}/comments`, { body: "- [ ] mine" });
    const fields = { task: "0:1", version: "0", comment: String(body.id) };
    expect((await send(stranger, page, "task", fields)).location).toBe(`${page}#issuecomment-${body.id}`);
    const now = await bob.api.get<{ body: string }>(`/repos/alice/tour/issues/comments/${body.id}`);
    expect(now.body.body).toBe("- [x] mine");
  });

  test("is refused when the text changed meanwhile, which is shown", async () => {
    const page = await open("Tasks", text);
    await alice.api.patch(`/repos${page}`, { body: `- [ ] new\n${text}` });
    const refused = await send(owner, page, "task", { task: "0:1", version: "0" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("The task is not ticked");
    expect(refused.text).toContain('aria-label="new"');
    for (const task of ["", "x", "0", "9:1", "-1:1", "0:2"]) {
      expect((await send(owner, page, "task", { task, version: "1" })).status).toBe(409);
    }
    expect((await read(page)).body).toBe(`- [ ] new\n${text}`);
  });

  test("is no button where nobody knows which it is", async () => {
    const page = await open("Tasks", `<input type="checkbox"> raw\n\n- [ ] one`);
    expect((await owner.get(page)).text).not.toContain('role="checkbox"');
  });
});

describe("time", () => {
  test("is not tracked by those who may not", async () => {
    const page = await open("Times");
    await alice.api.patch("/repos/alice/tour", {
      internal_tracker: {
        enable_time_tracker: true,
        allow_only_contributors_to_track_time: true,
        enable_issue_dependencies: true,
      },
    });
    expect((await stranger.get(page)).text).not.toContain(`${page}/times`);
    expect((await send(stranger, page, "times", { hours: "1" })).status).toBe(403);
    expect((await send(stranger, page, "stopwatch", { do: "start" })).status).toBe(403);
    expect((await nobody.get(page)).text).not.toContain("Time</h2>");
  });

  test("is added, listed and deleted", async () => {
    const page = await open("Times");
    expect((await send(owner, page, "times", { hours: "1", minutes: "30" })).status).toBe(303);
    await send(owner, page, "times", { hours: "", minutes: "15" });
    const { text } = await owner.get(page);
    expect(text).toContain("1 hour 45 minutes");
    expect(text).toContain("2 entries");
    const [, id = ""] = /name="delete" value="(\d+)"/.exec(text) ?? [];
    expect((await send(stranger, page, "times", { delete: id })).status).toBe(403);
    await send(owner, page, "times", { delete: id });
    expect((await owner.get(page)).text).toContain("1 entry");
    for (const fields of [{ hours: "0" }, { hours: "-1" }, { minutes: "1.5" }, { delete: "x" }, {}]) {
      expect((await send(owner, page, "times", fields as Record<string, string>)).status).toBe(422);
    }
  });

  test("is measured by a stopwatch that every page shows", async () => {
    const page = await open("Watched <b>");
    expect((await send(owner, page, "stopwatch", { do: "start" })).status).toBe(303);
    const front = await owner.get("/user/settings");
    expect(front.text).toContain("Watched &lt;b&gt;");
    expect((await stranger.get("/user/settings")).text).not.toContain("stopwatch-menu");
    expect((await send(owner, page, "stopwatch", { do: "start" })).status).toBe(409);
    expect((await send(owner, page, "stopwatch", { do: "x" })).status).toBe(422);
    await send(owner, page, "stopwatch", { do: "stop" });
    expect((await owner.get(page)).text).toContain("1 entry");
    await send(owner, page, "stopwatch", { do: "start" });
    await send(owner, page, "stopwatch", { do: "cancel" });
    expect((await owner.get(page)).text).toContain("1 entry");
    expect((await owner.get("/user/settings")).text).not.toContain("stopwatch-menu");
  });
});

describe("a branch for an issue", () => {
  test("is made only by those who may write code", async () => {
    const page = await open("Brakes & bells");
    expect((await send(stranger, page, "branch", { name: "x" })).status).toBe(403);
    expect((await send(stranger, page, "ref", { ref: "main" })).status).toBe(403);
  });

  test("has a name that is proposed, and is linked", async () => {
    const page = await open("Brakes & bells");
    const number = page.split("/").at(-1);
    expect((await owner.get(page)).text).toContain(`value="${number}-brakes-bells"`);
    const wrong = await send(owner, page, "branch", { name: 'no way"' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="no way&quot;"');
    expect(wrong.text).toContain('aria-describedby="branch-problem"');
    expect((await send(owner, page, "branch", { name: "main" })).status).toBe(409);
    expect((await send(owner, page, "branch", { name: `${number}-brakes-bells` })).status).toBe(303);
    expect((await read(page)).ref).toBe(`${number}-brakes-bells`);
    expect((await owner.get(page)).text).toContain(`/alice/tour/src/branch/${number}-brakes-bells`);
    await send(owner, page, "ref", { ref: "" });
    expect((await read(page)).ref).toBe("");
  });
});

test("a conversation is locked with a reason", async () => {
  const page = await open("Heated");
  await send(owner, page, "lock", { on: "1", reason: "Too heated" });
  expect((await nobody.get(page)).text).toContain('locked the conversation: <span dir="auto">Too heated</span>');
});
