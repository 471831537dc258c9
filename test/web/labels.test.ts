import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
await alice.api.post("/orgs", { username: "forge" });
await alice.api.post("/orgs/forge/repos", { name: "open", auto_init: true });

const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const stranger = new WebVisitor(app.url);
await stranger.signIn("bob", testPassword);
const nobody = new WebVisitor(app.url);

interface Label {
  id: number;
  name: string;
  color: string;
  exclusive: boolean;
  is_archived: boolean;
}
const own = "/org/forge/settings/labels";
const labels = async () => (await alice.api.get<Label[]>("/orgs/forge/labels")).body;

test("an organization's labels are for those who manage it", async () => {
  expect((await nobody.get(own)).location).toContain("/user/login");
  expect((await stranger.get(own)).status).toBe(403);
  for (const path of [own, `${own}/set`, `${own}/1`]) {
    const { status } = await stranger.send("/", path, { name: "x", color: "#000000", set: "Default" });
    expect([path, status]).toEqual([path, 403]);
  }
  expect((await stranger.send("/", "/alice/tour/labels/set", { set: "Default" })).status).toBe(403);
  expect(await labels()).toEqual([]);
});

test("a label of an organization is made, changed, archived and deleted", async () => {
  const wrong = await owner.send(own, own, { name: " ", color: "#aabbcc" });
  expect(wrong.status).toBe(422);
  await owner.send(own, own, { name: "kind/<b>bug", color: "#aabbcc", exclusive: "1" });
  const [made] = await labels();
  expect(made).toMatchObject({ name: "kind/<b>bug", color: "aabbcc", exclusive: true });
  const shown = await owner.get(own);
  expect(shown.text).toContain('<span class="scope" dir="auto">kind</span>');
  expect(shown.text).toContain("&lt;b&gt;bug</span>");
  const one = `${own}/${made?.id}`;
  await owner.send(own, one, { name: "kind/bug", color: "#ffffff", archived: "1" });
  expect((await labels())[0]).toMatchObject({ name: "kind/bug", is_archived: true, exclusive: false });
  expect((await owner.send(own, `/alice/tour/labels/${made?.id}`, { delete: "1" })).status).toBe(404);
  await owner.send(own, one, { delete: "1" });
  expect(await labels()).toEqual([]);
});

test("a set is added once, and a name that is there stays as it is", async () => {
  const list = "/alice/tour/labels";
  await alice.api.post(`/repos${list}`, { name: "BUG", color: "#123456" });
  expect((await owner.send(list, `${list}/set`, { set: "No such" })).status).toBe(404);
  await owner.send(list, `${list}/set`, { set: "Default" });
  const names = async () => (await alice.api.get<Label[]>(`/repos${list}`)).body.map(({ name }) => name);
  const after = await names();
  expect(after).toContain("wontfix");
  expect(after).toContain("BUG");
  expect(after).not.toContain("bug");
  await owner.send(list, `${list}/set`, { set: "Default" });
  expect(await names()).toEqual(after);
});

test("labels are searched, sorted and counted", async () => {
  const list = "/alice/tour/labels";
  const { body } = await alice.api.post<{ number: number }>("/repos/alice/tour/issues", { title: "One" });
  await alice.api.post(`/repos/alice/tour/issues/${body.number}/labels`, { labels: ["wontfix"] });
  const sorted = (await nobody.get(`${list}?sort=most`)).text;
  expect(sorted.indexOf(">wontfix<")).toBeLessThan(sorted.indexOf(">BUG<"));
  expect(sorted).toContain("1 open");
  const found = (await nobody.get(`${list}?q=WONT`)).text;
  expect(found).toContain(">wontfix<");
  expect(found).not.toContain(">BUG<");
});
