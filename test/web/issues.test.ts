import { beforeAll, describe, expect, test } from "bun:test";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

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
  title: string;
  body: string;
  state: string;
  is_locked: boolean;
  pin_order: number;
  due_date: string | null;
  assignees: { login: string }[] | null;
  labels: { name: string }[];
  milestone: { title: string } | null;
}

async function open(title: string, body = "", by: TestUser = alice): Promise<number> {
  return (await by.api.post<Issue>("/repos/alice/tour/issues", { title, body })).body.number;
}
const issue = async (number: number) => (await alice.api.get<Issue>(`/repos/alice/tour/issues/${number}`)).body;
const comments = async (number: number) =>
  (await alice.api.get<{ id: number; body: string }[]>(`/repos/alice/tour/issues/${number}/comments`)).body;
const page = "/alice/tour/issues";

describe("what somebody may not do", () => {
  test("what is hidden is as good as not there", async () => {
    await alice.api.post("/repos/alice/closed/issues", { title: "Hidden" });
    for (const visitor of [nobody, stranger]) {
      for (const rest of ["issues", "issues/1", "pulls", "labels", "milestones", "milestone/1"]) {
        const { status, text } = await visitor.get(`/alice/closed/${rest}`);
        expect([rest, status]).toEqual([rest, 404]);
        expect(text).not.toContain("Hidden");
      }
    }
  });

  test("a stranger reads and is offered to sign in", async () => {
    const number = await open("For all to read");
    const { status, text } = await nobody.get(`${page}/${number}`);
    expect(status).toBe(200);
    expect(text).toContain("Sign in</a> to take part");
    expect(text).not.toContain("<textarea");
    expect((await nobody.get(`${page}/new`)).location).toContain("/user/login?redirect_to=");
  });

  test("one who may only take part changes nothing of others", async () => {
    const number = await open("Alice's own", "text");
    const shown = await stranger.get(`${page}/${number}`);
    expect(shown.text).not.toContain(`${page}/${number}/edit`);
    expect(shown.text).not.toContain(`${page}/${number}/labels`);
    const before = await issue(number);
    for (const [path, fields] of Object.entries({
      edit: { title: "Bob's now", body: "x", version: "0" },
      assignees: { assignee: "bob" },
      due: { due: "2026-12-24" },
      lock: { on: "1" },
      comments: { body: "", state: "closed" },
    })) {
      const { status } = await stranger.send(`${page}/${number}`, `${page}/${number}/${path}`, fields);
      expect([path, status]).toEqual([path, 403]);
    }
    for (const path of ["pin", "delete"]) {
      const { status } = await stranger.send(`${page}/${number}`, `${page}/${number}/${path}`, {
        on: "1",
        confirm: String(number),
      });
      expect([path, status]).toEqual([path, 403]);
    }
    expect((await stranger.send(`${page}/${number}`, "/alice/tour/labels", { name: "x", color: "#fff" })).status).toBe(
      403,
    );
    expect((await stranger.send(`${page}/${number}`, "/alice/tour/milestones/new", { title: "x" })).status).toBe(403);
    expect(await issue(number)).toEqual(before);
  });

  test("a form that no page of ours made does nothing", async () => {
    const number = await open("No forgery");
    const { status } = await owner.post(`${page}/${number}/comments`, { body: "x" });
    expect(status).toBe(403);
    expect(await comments(number)).toEqual([]);
  });

  test("a comment of another issue is not found at this one's address", async () => {
    const [one, other] = [await open("One"), await open("Other")];
    await alice.api.post(`/repos/alice/tour/issues/${one}/comments`, { body: "of one" });
    const id = (await comments(one))[0]?.id;
    expect((await owner.get(`${page}/${one}/comments/${id}`)).status).toBe(200);
    expect((await owner.get(`${page}/${other}/comments/${id}`)).status).toBe(404);
  });
});

describe("the list", () => {
  beforeAll(async () => {
    await alice.api.post("/repos/alice/tour/labels", { name: "kind/bug", color: "#d6453d" });
  });

  test("shows what matches the search, and keeps the words in the box", async () => {
    const number = await open("Searched <b>for</b>", "", bob);
    await owner.get(page);
    const { text, status } = await owner.get(`${page}?q=${encodeURIComponent("is:open author:bob")}`);
    expect(status).toBe(200);
    expect(text).toContain("Searched &lt;b&gt;for&lt;/b&gt;");
    expect(text).toContain(`href="${page}/${number}"`);
    expect(text).not.toContain("For all to read");
    expect(text).toContain('value="is:open author:bob"');
    const other = await owner.get(`${page}?q=${encodeURIComponent("is:closed")}`);
    expect(other.text).not.toContain(`href="${page}/${number}"`);
  });

  test("of an unknown user, a wrong page, or a strange search is no fault", async () => {
    for (const q of [
      "author:nobody-there",
      "label:none",
      "sort:x",
      "milestone:999",
      '"',
      ":",
      "is:",
      "x".repeat(3000),
    ]) {
      const { status, text } = await nobody.get(`${page}?q=${encodeURIComponent(q)}&page=99`);
      expect([q.slice(0, 20), status]).toEqual([q.slice(0, 20), 200]);
      expect(text).toContain("<h1");
    }
    const { text } = await nobody.get(`${page}?q=author:nobody-there`);
    expect(text).toContain("No issues match this search");
  });
});

describe("an issue", () => {
  test("is opened, and its text shown as Markdown", async () => {
    const { status, location } = await stranger.send(`${page}/new`, `${page}/new`, {
      title: "  A **title**  ",
      body: "Some *text* with <script>alert(1)</script>",
    });
    expect(status).toBe(303);
    const { text } = await nobody.get(location);
    expect(text).toContain('<span dir="auto">A **title**</span>');
    expect(text).toContain("Some <em>text</em>");
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("<b>bob</b>");
  });

  test("without a title is refused, and the text stays", async () => {
    const { status, text } = await stranger.send(`${page}/new`, `${page}/new`, { title: " ", body: "Typed for long" });
    expect(status).toBe(422);
    expect(text).toContain("Typed for long</textarea>");
    expect(text).toContain('aria-invalid="true"');
  });

  test("is commented on and closed in one go, and opened again", async () => {
    const number = await open("To be closed", "", bob);
    const { location, status } = await stranger.send(`${page}/${number}`, `${page}/${number}/comments`, {
      body: "Done\r\nindeed",
      state: "closed",
    });
    expect(status).toBe(303);
    expect(location).toMatch(/#issuecomment-\d+$/);
    expect((await comments(number)).map(({ body }) => body)).toEqual(["Done\nindeed"]);
    expect((await issue(number)).state).toBe("closed");
    await stranger.send(`${page}/${number}`, `${page}/${number}/comments`, { body: "", state: "open" });
    expect((await issue(number)).state).toBe("open");
    expect(await comments(number)).toHaveLength(1);
    const { text } = await nobody.get(`${page}/${number}`);
    expect(text).toContain("closed this");
    expect(text).toContain("reopened this");
  });

  test("a comment without a text is refused; a preview sends nothing", async () => {
    const number = await open("Quiet");
    const refused = await owner.send(`${page}/${number}`, `${page}/${number}/comments`, { body: "" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("A comment has a text");
    const preview = await owner.send(`${page}/${number}`, `${page}/${number}/comments`, {
      body: "**bold**",
      preview: "1",
    });
    expect(preview.status).toBe(200);
    expect(preview.text).toContain("<strong>bold</strong>");
    expect(preview.text).toContain("**bold**</textarea>");
    expect(await comments(number)).toEqual([]);
  });

  test("an edit of a text that another one changed meanwhile is refused, and can be sent again", async () => {
    const number = await open("Edited twice", "first");
    const form = await owner.get(`${page}/${number}/edit`);
    await alice.api.patch(`/repos/alice/tour/issues/${number}`, { body: "second" });
    const fields = { ...hiddenFields(form.text, `${page}/${number}/edit`), title: "Edited twice", body: "mine" };
    const refused = await owner.post(`${page}/${number}/edit`, fields);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Somebody has changed this text");
    expect(refused.text).toContain("mine</textarea>");
    expect((await issue(number)).body).toBe("second");
    const again = await owner.post(`${page}/${number}/edit`, {
      ...fields,
      ...hiddenFields(refused.text, `${page}/${number}/edit`),
    });
    expect(again.status).toBe(303);
    expect((await issue(number)).body).toBe("mine");
  });

  test("has its labels, assignees, milestone and due date changed from the page", async () => {
    const number = await open("With all");
    const { body: label } = await alice.api.post<{ id: number }>("/repos/alice/tour/labels", {
      name: "area/web",
      color: "#112233",
    });
    const { body: milestone } = await alice.api.post<{ id: number }>("/repos/alice/tour/milestones", { title: "One" });
    const from = `${page}/${number}`;
    for (const [path, fields] of Object.entries({
      labels: { label: String(label.id) },
      assignees: { assignee: ["alice"] },
      milestone: { milestone: String(milestone.id) },
      due: { due: "2026-12-24" },
      lock: { on: "1" },
      pin: { on: "1" },
    })) {
      expect([path, (await owner.send(from, `${from}/${path}`, fields)).status]).toEqual([path, 303]);
    }
    expect(await issue(number)).toMatchObject({
      labels: [{ name: "area/web" }],
      assignees: [{ login: "alice" }],
      milestone: { title: "One" },
      due_date: "2026-12-24T23:59:59Z",
      is_locked: true,
      pin_order: 1,
    });
    const { text } = await nobody.get(from);
    expect(text).toContain('fill="#112233"');
    expect(text).toContain("locked the conversation");
    for (const [path, fields] of Object.entries({
      labels: { label: "999999" },
      assignees: { assignee: "bob" },
      milestone: { milestone: "x" },
      due: { due: "24.12." },
      dependencies: { add: "nothing" },
    })) {
      const { status } = await owner.send(from, `${from}/${path}`, fields);
      expect([path, status]).toEqual([path, 422]);
    }
    for (const [path, fields] of Object.entries({
      labels: {},
      assignees: {},
      milestone: { milestone: "" },
      due: { due: "" },
    })) {
      expect([path, (await owner.send(from, `${from}/${path}`, fields)).status]).toEqual([path, 303]);
    }
    expect(await issue(number)).toMatchObject({ labels: [], assignees: null, milestone: null, due_date: null });
  });

  test("is reacted to, and the reaction is taken back", async () => {
    const number = await open("Liked");
    const from = `${page}/${number}`;
    await stranger.send(from, `${from}/react`, { give: "heart" });
    const given = await stranger.get(from);
    expect(given.text).toContain('name="take" value="heart" aria-pressed="true"');
    expect((await nobody.get(from)).text).toContain("heart</span> 1");
    await stranger.send(from, `${from}/react`, { take: "heart" });
    expect((await nobody.get(from)).text).not.toContain("heart</span> 1");
    expect((await stranger.send(from, `${from}/react`, { give: "no-such" })).status).toBe(422);
  });

  test("depends on another one", async () => {
    const [one, other] = [await open("Waits"), await open("Comes first")];
    const from = `${page}/${one}`;
    expect((await owner.send(from, `${from}/dependencies`, { add: `#${other}` })).status).toBe(303);
    expect((await owner.get(from)).text).toContain("Comes first</a>");
    const refused = await owner.send(from, `${from}/comments`, { body: "kept text", state: "closed" });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("kept text</textarea>");
    expect(await comments(one)).toEqual([]);
    await owner.send(from, `${from}/dependencies`, { remove: String(other) });
    expect((await owner.get(from)).text).not.toContain("No longer depend on");
  });

  test("is deleted once its number is typed", async () => {
    const number = await open("To go");
    const wrong = await owner.send(`${page}/${number}/delete`, `${page}/${number}/delete`, { confirm: "no" });
    expect(wrong.status).toBe(422);
    expect((await issue(number)).title).toBe("To go");
    const { location } = await owner.send(`${page}/${number}/delete`, `${page}/${number}/delete`, {
      confirm: `#${number}`,
    });
    expect(location).toBe(page);
    expect((await nobody.get(`${page}/${number}`)).status).toBe(404);
  });

  test("a long timeline shows its beginning and its end, and the rest page by page", async () => {
    const number = await open("Long");
    for (let index = 1; index <= 104; index++) {
      await alice.api.post(`/repos/alice/tour/issues/${number}/comments`, { body: `comment number ${index}.` });
    }
    const { text } = await nobody.get(`${page}/${number}`);
    expect(text).toContain("comment number 50.");
    expect(text).not.toContain("comment number 51.");
    expect(text).toContain("Show 4 more");
    expect(text).toContain("comment number 55.");
    expect(text).toContain("comment number 104.");
    const second = await nobody.get(`${page}/${number}?page=2`);
    expect(second.text).toContain("comment number 101.");
    expect(second.text).not.toContain("comment number 100.");
    expect(second.text).toContain("101–104 of 104");
    for (const query of ["?page=1", "?page=x", "?page="]) {
      const begun = (await nobody.get(`${page}/${number}${query}`)).text;
      expect([query, begun.includes('id="issue"'), begun.includes("1–100 of 104")]).toEqual([query, true, true]);
    }
  });
});

describe("templates", () => {
  test("are chosen from, and a form makes the text", async () => {
    await app.repository(alice, "forms", { auto_init: true });
    const yaml = [
      "name: Bug",
      "about: Something is wrong",
      "title: 'bug: '",
      "body:",
      "  - type: input",
      "    id: version",
      "    attributes: { label: Version }",
      "    validations: { required: true }",
      "  - type: checkboxes",
      "    id: done",
      "    attributes: { label: Checks, options: [{ label: I searched }] }",
      "  - type: textarea",
      "    id: log",
      "    attributes: { label: Log, render: text }",
      "",
    ].join("\n");
    await alice.api.post("/repos/alice/forms/contents/.gitea/ISSUE_TEMPLATE/bug.yaml", {
      content: Buffer.from(yaml).toString("base64"),
      message: "Add a template",
    });
    const base = "/alice/forms/issues";
    const choice = await stranger.get(`${base}/new/choose`);
    expect(choice.text).toContain("Something is wrong");
    const address = `${base}/new?template=${encodeURIComponent(".gitea/ISSUE_TEMPLATE/bug.yaml")}`;
    const form = await stranger.get(address);
    expect(form.text).toContain('value="bug: "');
    const missing = await stranger.send(address, `${base}/new`, { title: "bug: x", "field-version": "" });
    expect(missing.status).toBe(422);
    expect(missing.text).toContain("&quot;Version&quot; has to be filled in");
    const made = await stranger.send(address, `${base}/new`, {
      title: "bug: x",
      "field-version": "1.2",
      "field-done": "I searched",
      "field-log": "```` x ```",
    });
    expect(made.status).toBe(303);
    const { body } = await alice.api.get<Issue>("/repos/alice/forms/issues/1");
    expect(body.body).toBe(
      "### Version\n\n1.2\n\n### Checks\n\n- [x] I searched\n\n### Log\n\n`````text\n```` x ```\n`````",
    );
    const long = await stranger.send(address, `${base}/new`, {
      title: "x",
      "field-version": "1",
      "field-log": "` ".repeat(1_000_000),
    });
    expect(long.status).toBe(422);
    expect((await stranger.get(`${base}/new?template=none.md`)).status).toBe(404);
  });
});

describe("labels and milestones", () => {
  test("labels are made, changed, archived and deleted", async () => {
    const list = "/alice/tour/labels";
    const refused = await owner.send(list, list, { name: "", color: "#123456", description: "kept" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="kept"');
    await owner.send(list, list, { name: "new/one", color: "#123456", description: "d", exclusive: "1" });
    const find = async () =>
      (
        await alice.api.get<{ id: number; name: string; exclusive: boolean; is_archived: boolean }[]>(
          "/repos/alice/tour/labels",
        )
      ).body.find(({ name }) => name.startsWith("new/"));
    const made = await find();
    expect(made).toMatchObject({ name: "new/one", exclusive: true });
    await owner.send(list, `${list}/${made?.id}`, {
      name: "new/two",
      color: "#654321",
      description: "",
      archived: "1",
    });
    expect(await find()).toMatchObject({ name: "new/two", exclusive: false, is_archived: true });
    await owner.send(list, `${list}/${made?.id}`, { delete: "1" });
    expect(await find()).toBeUndefined();
    expect((await owner.send(list, `${list}/${made?.id}`, { delete: "1" })).status).toBe(404);
  });

  test("milestones are made, closed and deleted", async () => {
    const base = "/alice/tour/milestones";
    const wrong = await owner.send(`${base}/new`, `${base}/new`, { title: "Two", due: "soon", description: "about" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("about</textarea>");
    const { location } = await owner.send(`${base}/new`, `${base}/new`, {
      title: "Two",
      due: "2026-12-31",
      description: "*about*",
    });
    const shown = await nobody.get(location);
    expect(shown.text).toContain("<em>about</em>");
    const id = location.split("/").at(-1);
    await owner.send(location, `${base}/${id}/state`, { state: "closed" });
    expect((await nobody.get(`${base}?state=closed`)).text).toContain(`/milestone/${id}"`);
    await owner.send(location, `${base}/${id}/state`, { state: "deleted" });
    expect((await nobody.get(location)).status).toBe(404);
  });
});

test("a pull request has a page, and an issue's address leads to it", async () => {
  await alice.api.post("/repos/alice/tour/contents/more.txt", { content: "eA==", message: "more", new_branch: "more" });
  const { body } = await alice.api.post<Issue>("/repos/alice/tour/pulls", {
    title: "Propose",
    head: "more",
    base: "main",
  });
  expect((await nobody.get(`${page}/${body.number}`)).location).toBe(`/alice/tour/pulls/${body.number}`);
  const { text, status } = await nobody.get(`/alice/tour/pulls/${body.number}`);
  expect(status).toBe(200);
  expect(text).toContain('into <span class="ref">main</span> from <span class="ref">more</span>');
  expect((await nobody.get("/alice/tour/pulls")).text).toContain("Propose");
});
