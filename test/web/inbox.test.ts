import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";
import { until } from "../support/until.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const other = new WebVisitor(app.url);
await other.signIn("bob", testPassword);

interface Thread {
  id: number;
  unread: boolean;
  pinned: boolean;
}
const threads = async (query = "") => (await alice.api.get<Thread[]>(`/notifications${query}`)).body;

test("nobody's inbox asks to sign in", async () => {
  const { status, location } = await new WebVisitor(app.url).get("/notifications");
  expect([status, location.split("?")[0]]).toEqual([303, "/user/login"]);
});

test("what happened is listed, marked, pinned, and all is read at once", async () => {
  await bob.api.post("/repos/alice/tour/issues", { title: "Hear <b>this</b>" });
  await bob.api.post("/repos/alice/tour/issues", { title: "And that" });
  await until("both are told", async () => (await threads()).length === 2);
  const shown = await owner.get("/notifications");
  expect(shown.text).toContain("Hear &lt;b&gt;this&lt;/b&gt;");
  expect(shown.text).toContain("Notifications, 2 unread");
  expect((await other.get("/notifications")).text).not.toContain("Hear");
  const [one] = await threads();
  const address = `/notifications/${one?.id}`;
  const fields = hiddenFields(shown.text, address);
  expect((await owner.post(address, { ...fields, status: "pinned" })).status).toBe(303);
  expect((await threads("?status-types=pinned")).map(({ id }) => id)).toEqual([one?.id ?? 0]);
  expect((await owner.get("/notifications?status=pinned")).text).toContain(`action="${address}"`);
  expect((await owner.post(address, { ...fields, status: "gone" })).status).toBe(404);
  const unread = await owner.get("/notifications");
  await owner.post("/notifications", hiddenFields(unread.text, "/notifications"));
  expect(await threads("?status-types=unread")).toEqual([]);
  expect((await owner.get("/notifications")).text).toContain("You have read everything");
});

test("what is chosen is marked, of one's own only", async () => {
  await alice.api.put("/notifications?all=true&to-status=read");
  for (const title of ["Choose one", "Choose two", "Leave three"]) {
    await bob.api.post("/repos/alice/tour/issues", { title });
  }
  await until("all are told", async () => (await threads("?status-types=unread")).length === 3);
  const ids = (await threads("?status-types=unread")).map(({ id }) => String(id));
  const chosen = ids.slice(1);
  const address = "/notifications/chosen";
  const foreign = hiddenFields((await other.get("/notifications")).text, "/user/logout");
  expect((await other.post(address, { ...foreign, id: chosen, status: "read" })).status).toBe(303);
  expect(await threads("?status-types=unread")).toHaveLength(3);
  const fields = hiddenFields((await owner.get("/notifications")).text, address);
  for (const wrong of [{ id: chosen }, { id: "x", status: "read" }, { id: chosen, status: "gone" }]) {
    expect((await owner.post(address, { ...fields, ...wrong })).status).toBe(422);
  }
  expect((await owner.post(address, { ...fields, status: "read" })).status).toBe(303);
  expect((await owner.get("/notifications")).text).toContain("Nothing was chosen.");
  expect((await owner.post(address, { ...fields, id: chosen, status: "read" })).status).toBe(303);
  expect((await threads("?status-types=unread")).map(({ id }) => String(id))).toEqual(ids.slice(0, 1));
  await alice.api.put("/notifications?all=true&to-status=read");
});

test("another's notification is not there", async () => {
  await bob.api.post("/repos/alice/tour/issues", { title: "Third" });
  await until("it is told", async () => (await threads("?status-types=unread")).length === 1);
  const [one] = await threads("?status-types=unread");
  const { text } = await other.get("/notifications");
  const { status } = await other.post(`/notifications/${one?.id}`, {
    ...hiddenFields(text, "/user/logout"),
    status: "read",
  });
  expect(status).toBe(404);
  expect(await threads("?status-types=unread")).toHaveLength(1);
});

interface Opened {
  number: number;
}
const openIssue = async (title: string, body = "") =>
  (await bob.api.post<Opened>("/repos/alice/tour/issues", { title, body })).body.number;
const idOf = async (title: string) => {
  const found = async () =>
    (await alice.api.get<{ id: number; subject: { title: string } }[]>("/notifications?all=true")).body.find(
      ({ subject }) => subject.title === title,
    );
  await until(`"${title}" is told`, async () => (await found()) !== undefined);
  return (await found())?.id ?? 0;
};
const inbox = "/notifications";

test("a thread is put off until a time, and what happens meanwhile changes nothing", async () => {
  const number = await openIssue("For later");
  const id = await idOf("For later");
  for (const fields of [{ later: "5" }, { later: "day", until: "2020-01-01" }, { later: "day", until: "x" }]) {
    const { status, text } = await owner.send(inbox, `${inbox}/${id}`, fields);
    expect([JSON.stringify(fields), status]).toEqual([JSON.stringify(fields), 422]);
    expect(text).toContain('role="alert"');
  }
  expect(
    (await owner.send(inbox, `${inbox}/${id}`, { later: "24", back: "/notifications?status=read" })).location,
  ).toBe("/notifications?status=read");
  await bob.api.post(`/repos/alice/tour/issues/${number}/comments`, { body: "More" });
  expect((await owner.get(inbox)).text).not.toContain("For later");
  expect((await owner.get(`${inbox}?status=later`)).text).toContain("For later");
  const unread = (text: string) => /Notifications, (\d+) unread/.exec(text)?.[1] ?? "0";
  const before = unread((await owner.get(inbox)).text);
  await owner.send(`${inbox}?status=later`, `${inbox}/${id}`, { later: "0" });
  const { text } = await owner.get(inbox);
  expect(text).toContain("For later");
  expect(Number(unread(text))).toBe(Number(before) + 1);
});

test("a muted thread is heard no more, and can be heard again", async () => {
  const number = await openIssue("To be muted");
  const id = await idOf("To be muted");
  expect((await other.send(inbox, `${inbox}/${id}`, { mute: "1" })).status).toBe(404);
  await owner.send(inbox, `${inbox}/${id}`, { mute: "1" });
  await bob.api.post(`/repos/alice/tour/issues/${number}/comments`, { body: "Nobody hears" });
  expect((await owner.get(inbox)).text).not.toContain("To be muted");
  const muted = await owner.get("/notifications/subscriptions?state=muted");
  expect(muted.text).toContain("To be muted");
  const [, issue = ""] = /name="issue" value="(\d+)"/.exec(muted.text) ?? [];
  const list = "/notifications/subscriptions";
  expect((await other.send(list, list, { issue, watching: "1" })).status).toBe(404);
  await owner.send(`${list}?state=muted`, list, { issue, watching: "1" });
  expect((await owner.get(list)).text).toContain("To be muted");
  await bob.api.post(`/repos/alice/tour/issues/${number}/comments`, { body: "Heard" });
  expect((await owner.get(inbox)).text).toContain("To be muted");
});

test("a thread opens at the first unread event, and seeing its page reads it, but not loading it ahead", async () => {
  const number = await openIssue("Read by looking");
  const id = await idOf("Read by looking");
  const page = `/alice/tour/issues/${number}`;
  const isUnread = async () => (await threads("?status-types=unread")).some((one) => one.id === id);
  await owner.request("GET", page, { headers: { "sec-purpose": "prefetch" } });
  await owner.request("HEAD", page);
  await other.get(page);
  expect(await isUnread()).toBe(true);
  const shown = await owner.get(page);
  expect(await isUnread()).toBe(false);
  expect(shown.status).toBe(200);
  const comment = async (body: string) =>
    (await bob.api.post<{ id: number }>(`${"/repos"}${page}/comments`, { body })).body.id;
  const [first, second] = [await comment("First unread"), await comment("Second unread")];
  const { text } = await owner.get(inbox);
  expect(text).toContain(`href="${page}#issuecomment-${first}"`);
  expect(text).not.toContain(`href="${page}#issuecomment-${second}"`);
});

test("the inbox is narrowed to reasons and repositories, with their numbers", async () => {
  await openIssue("Names alice", "@alice look");
  await idOf("Names alice");
  const { text } = await owner.get(`${inbox}?reason=mentioned`);
  expect(text).toContain("Names alice");
  expect(text).not.toContain("For later");
  expect(text).toContain('<span class="grow cut">Mentioned</span><span class="count">1</span>');
  const [, repository = ""] = /repository=(\d+)"><span class="grow cut">alice\/tour/.exec(text) ?? [];
  expect((await owner.get(`${inbox}?repository=${repository}`)).text).toContain("For later");
  expect((await owner.get(`${inbox}?repository=99999`)).text).toContain("Nothing here");
  expect((await other.get(`${inbox}?repository=${repository}`)).text).not.toContain("Names alice");
});

test("one hears of the kinds of a watched repository that one chose, of releases, too", async () => {
  const list = "/notifications/watching";
  const shown = await owner.get(list);
  const [, repository = ""] = /name="repository" value="(\d+)"/.exec(shown.text) ?? [];
  expect(shown.text.match(/ checked/g)).toHaveLength(3);
  expect((await other.send(list, list, { repository, issues: "1" })).status).toBe(404);
  expect((await owner.send(list, list, { repository: "99999" })).status).toBe(404);
  await owner.send(list, list, { repository, releases: "1" });
  expect((await owner.get(list)).text.match(/ checked/g)).toHaveLength(1);
  await openIssue("Not of a watched kind");
  await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
  await bob.api.post("/repos/alice/tour/releases", { tag_name: "v1" });
  const { text } = await owner.get(inbox);
  expect(text).not.toContain("Not of a watched kind");
  expect(text).toContain("A release of alice/tour");
  expect(text).toContain('href="/alice/tour/releases"');
  await owner.send(list, list, { repository, unwatch: "1" });
  expect((await owner.get(list)).text).toContain("You watch no repository");
});
