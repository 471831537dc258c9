import { describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tree");
await alice.api.put("/repos/alice/tree/collaborators/bob", { permission: "write" });
const at = "/repos/alice/tree/issues";
const { sql } = app.forge.database;

interface Entry {
  id: number;
  type: string;
  body: string;
  [field: string]: unknown;
}

const issue = async (fields: object = {}) =>
  (await alice.api.post<{ number: number; id: number }>(at, { title: "A leaf fell", ...fields })).body;
const timeline = async (number: number, query = "", api = alice.api) => {
  const { status, body } = await api.get<Entry[]>(`${at}/${number}/timeline${query}`);
  expect(status).toBe(200);
  return body;
};
const change = async (number: number, fields: object) =>
  expect((await alice.api.patch(`${at}/${number}`, fields)).status).toBe(201);

describe("refused", () => {
  test("where the issue is not there, or a time is none", async () => {
    const { number } = await issue();
    expect((await alice.api.get(`${at}/4711/timeline`)).status).toBe(404);
    expect((await alice.api.get(`${at}/${number}/timeline?since=once`)).status).toBe(422);
    await app.repository(alice, "secret", { private: true });
    await alice.api.post("/repos/alice/secret/issues", { title: "x" });
    expect((await bob.api.get("/repos/alice/secret/issues/1/timeline")).status).toBe(404);
  });
});

test("an issue that was only opened has an empty timeline", async () => {
  expect(await timeline((await issue()).number)).toEqual([]);
});

test("what happens to an issue is in its timeline, in its order", async () => {
  const { number, id } = await issue();
  await sql`insert into label (repository_id, name, color) select repository_id, 'dry', 'aabbcc' from issue where id = ${id}`;
  await bob.api.post(`${at}/${number}/comments`, { body: "Sad" });
  await change(number, { title: "Two leaves fell" });
  await change(number, { assignees: ["bob"] });
  await change(number, { assignees: [] });
  await change(number, { ref: "main" });
  await change(number, { due_date: "2030-01-02T00:00:00Z" });
  await change(number, { due_date: "2031-01-02T00:00:00Z" });
  await change(number, { unset_due_date: true });
  await change(number, { state: "closed" });
  await change(number, { state: "open" });
  expect((await alice.api.put(`${at}/${number}/lock`, { lock_reason: "off-topic" })).status).toBe(204);
  expect((await alice.api.delete(`${at}/${number}/lock`)).status).toBe(204);
  const entries = await timeline(number);
  const said = entries.map(({ type, body, user, assignee, ...rest }) => ({
    type,
    by: (user as { login: string }).login,
    ...(body === "" ? {} : { body }),
    ...(assignee === null ? {} : { assignee: (assignee as { login: string }).login }),
    ...Object.fromEntries(
      Object.entries(rest).filter(
        ([key, value]) =>
          /^(old|new|removed)_/.test(key) && value !== "" && value !== null && value !== 0 && value !== false,
      ),
    ),
  }));
  expect(said as unknown).toEqual([
    { type: "comment", by: "bob", body: "Sad" },
    { type: "change_title", by: "alice", old_title: "A leaf fell", new_title: "Two leaves fell" },
    { type: "assignees", by: "alice", assignee: "bob" },
    { type: "assignees", by: "alice", assignee: "bob", removed_assignee: true },
    { type: "change_issue_ref", by: "alice", new_ref: "main" },
    { type: "added_deadline", by: "alice", body: "2030-01-02" },
    { type: "modified_deadline", by: "alice", body: "2031-01-02|2030-01-02" },
    { type: "removed_deadline", by: "alice", body: "2031-01-02" },
    { type: "close", by: "alice" },
    { type: "reopen", by: "alice" },
    { type: "lock", by: "alice", body: "off-topic" },
    { type: "unlock", by: "alice" },
  ]);
  expect(entries[1]).toMatchObject({
    html_url: `${app.url}/alice/tree/issues/${number}#issuecomment-${entries[1]?.id}`,
    issue_url: `${app.url}/alice/tree/issues/${number}`,
    pull_request_url: "",
    dependent_issue: null,
    label: null,
    milestone: null,
    ref_issue: null,
    ref_comment: null,
    tracked_time: null,
  });
  const page = await alice.api.get<Entry[]>(`${at}/${number}/timeline?limit=5&page=2`);
  expect(page.headers.get("x-total-count")).toBe("12");
  expect(page.body.map(({ type }) => type)).toEqual(said.slice(5, 10).map(({ type }) => type));
  // The entries are no comments: neither counted nor listed among them.
  expect((await alice.api.get<{ comments: number }>(`${at}/${number}`)).body.comments).toBe(1);
  expect((await alice.api.get<Entry[]>(`${at}/${number}/comments`)).body).toHaveLength(1);
});

test("labels and milestones are in it, also after they are gone", async () => {
  const first = await issue();
  const [label] = await sql<{ id: string }[]>`
    insert into label (repository_id, name, color) select repository_id, 'wet', 'aabbcc' from issue where id = ${first.id} returning id`;
  const [milestone] = await sql<{ id: string }[]>`
    insert into milestone (repository_id, title) select repository_id, 'autumn' from issue where id = ${first.id} returning id`;
  const { number } = await issue({ labels: [Number(label?.id)], milestone: Number(milestone?.id) });
  await change(number, { milestone: 0 });
  const entries = await timeline(number);
  expect(entries).toMatchObject([
    { type: "label", body: "1", label: { name: "wet" } },
    { type: "milestone", milestone: { title: "autumn" }, old_milestone: null },
    { type: "milestone", milestone: null, old_milestone: { title: "autumn" } },
  ]);
  await sql`delete from label where name = 'wet'`;
  expect((await timeline(number))[0]).toMatchObject({ type: "label", label: null });
});

test("it is listed by the time of the last change", async () => {
  const { number } = await issue();
  for (const body of ["old", "new"]) {
    await bob.api.post(`${at}/${number}/comments`, { body });
  }
  await sql`update comment set created_at = '2020-01-01', updated_at = '2020-01-01' where body = 'old'`;
  const bodies = async (query: string) => (await timeline(number, query)).map(({ body }) => body);
  expect(await bodies("?since=2021-01-01T00:00:00Z")).toEqual(["new"]);
  expect(await bodies("?before=2021-01-01T00:00:00Z")).toEqual(["old"]);
});
