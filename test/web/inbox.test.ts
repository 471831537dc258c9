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
