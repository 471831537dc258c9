import { beforeAll, describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const { id } = await app.repository(alice, "tree");
const hidden = await app.repository(alice, "hidden", { private: true });
const at = "/repos/alice/tree/issues";

type Listed = { number: number; title: string; repository: { name: string } }[];
const list = async (query: string, client = bob.api, path = at) => {
  const response = await client.fetch("GET", `${path}?${query}`);
  const body = (await response.json()) as Listed;
  return { status: response.status, body, total: response.headers.get("x-total-count") };
};
const numbers = async (query: string, client = bob.api, path = at) => {
  const { status, body, total } = await list(query, client, path);
  expect({ query, status }).toEqual({ query, status: 200 });
  expect(total).toBe(String(body.length));
  return body.map(({ number }) => number);
};

beforeAll(async () => {
  await app.organization("forge", alice);
  const [one, two] = await sql<{ id: number }[]>`insert into label (repository_id, name, color) values
    (${id}, 'bug', 'ff0000'), (${id}, 'kind/small', '00ff00') returning id::int`;
  const [milestone] = await sql<
    { id: number }[]
  >`insert into milestone (repository_id, title) values (${id}, 'Autumn') returning id::int`;
  // By number: 1 to 6. 3 is closed, 6 is a pull request.
  const fields = [
    { title: "Leaf fell", body: "from the oak", labels: [one?.id], due_date: "2030-01-01T00:00:00Z" },
    { title: "Oak", body: "for @bob", labels: [one?.id, two?.id], milestone: milestone?.id },
    { title: "Done", body: "oak oak oak", closed: true },
    { title: "Assigned", assignees: ["alice"], due_date: "2029-01-01T00:00:00Z" },
  ];
  for (const each of fields) {
    expect((await alice.api.post(at, each)).status).toBe(201);
  }
  expect((await bob.api.post(at, { title: "Bob's" })).status).toBe(201);
  expect((await alice.api.post(at, { title: "A pull" })).status).toBe(201);
  await sql`update issue set is_pull = true where repository_id = ${id} and number = 6`;
  await sql`update repository_count set open_issues = open_issues - 1, open_pulls = open_pulls + 1 where repository_id = ${id}`;
  await sql`update issue set created_at = '2026-01-01'::timestamptz + number * interval '1 day',
    updated_at = '2026-03-01'::timestamptz - number * interval '1 day', comments = (number * 7) % 5 where repository_id = ${id}`;
  expect((await alice.api.post("/repos/alice/hidden/issues", { title: "Secret oak" })).status).toBe(201);
});

describe("of a repository", () => {
  test("is refused to those who may read neither, and without the scope", async () => {
    expect((await list("", bob.api, "/repos/alice/hidden/issues")).status).toBe(404);
    expect((await list("", await app.scoped(bob, "read:repository"))).status).toBe(403);
    expect((await list("", app.anonymous)).status).toBe(200);
  });

  test("leaves out the kind that is switched off", async () => {
    await alice.api.patch("/repos/alice/tree", { has_pull_requests: false });
    expect(await numbers("")).toEqual([5, 4, 2, 1]);
    expect(await numbers("type=pulls")).toEqual([]);
    await alice.api.patch("/repos/alice/tree", { has_pull_requests: true });
  });

  test.each([
    ["", [6, 5, 4, 2, 1]],
    ["state=open", [6, 5, 4, 2, 1]],
    ["state=closed", [3]],
    ["state=all", [6, 5, 4, 3, 2, 1]],
    ["type=issues", [5, 4, 2, 1]],
    ["type=pulls", [6]],
    ["labels=bug", [2, 1]],
    ["labels=BUG,kind/small", [2]],
    ["labels=bug,BUG", [2, 1]],
    ["labels=bug,kind/small,no-such", [2]],
    ["labels=bug,kind/small&sort=oldest&type=issues", [2]],
    ["labels=bug,kind/small&type=pulls", []],
    ["labels=kind/small,no-such", [2]],
    ["labels=no-such", []],
    ["labels=-bug", [6, 5, 4]],
    ["labels=bug,-kind/small", [1]],
    ["labels=-no-such", [6, 5, 4, 2, 1]],
    ["milestones=autumn", [2]],
    ["milestones=winter", []],
    ["q=oak", [2, 1]],
    ["q=OAK&state=all", [3, 2, 1]],
    ["q=oak+leaf", [1]],
    ["q=oak&sort=relevance&state=all", [2, 3, 1]],
    ["since=2026-02-25T00:00:00Z", [4, 2, 1]],
    ["before=2026-02-25T00:00:00Z", [6, 5, 4]],
    ["since=2026-02-25T00:00:00Z&before=2026-02-25T00:00:00Z", [4]],
    ["created_by=bob", [5]],
    ["created_by=ALICE&labels=bug", [2, 1]],
    ["assigned_by=alice", [4]],
    ["mentioned_by=bob", [2]],
    ["sort=latest", [6, 5, 4, 2, 1]],
    ["sort=oldest", [1, 2, 4, 5, 6]],
    ["sort=recentupdate", [1, 2, 4, 5, 6]],
    ["sort=leastupdate", [6, 5, 4, 2, 1]],
    ["sort=mostcomment", [2, 4, 6, 1, 5]],
    ["sort=leastcomment", [5, 1, 6, 4, 2]],
    ["sort=nearduedate", [4, 1, 2, 5, 6]],
    ["sort=farduedate", [1, 4, 6, 5, 2]],
  ])("%s", async (query, expected) => {
    expect(await numbers(query)).toEqual(expected);
  });

  test("by ids of labels and milestones", async () => {
    const [row] = await sql`select (select min(id) from label) as label, (select min(id) from milestone) as milestone`;
    expect(await numbers(`labels=${row?.["label"]}`)).toEqual([2, 1]);
    expect(await numbers(`labels=-${row?.["label"]}`)).toEqual([6, 5, 4]);
    expect(await numbers(`labels=${row?.["label"]},bug`)).toEqual([2, 1]);
    expect(await numbers(`labels=${row?.["label"]},kind/small`)).toEqual([2]);
    expect((await list(`labels=${row?.["label"]},kind/small`)).total).toBe("1");
    expect(await numbers(`milestones=${row?.["milestone"]}`)).toEqual([2]);
  });

  test("in pages, with the total of all", async () => {
    const { body, total } = await list("limit=2&page=2&state=all");
    expect(body.map(({ number }) => number)).toEqual([4, 3]);
    expect(total).toBe("6");
    expect((await list("limit=2&page=9&sort=nearduedate")).body).toEqual([]);
  });

  test.each([
    ["state=ajar", 422],
    ["sort=random", 422],
    ["type=both", 422],
    ["since=yesterday", 422],
    [`q=${"x".repeat(300)}`, 422],
    [`labels=${"a,".repeat(101)}`, 422],
    [`milestones=${"a,".repeat(101)}`, 422],
    ["created_by=nobody-at-all", 404],
  ])("%s is %d", async (query, status) => {
    expect((await list(query)).status).toBe(status);
  });
});

describe("across repositories", () => {
  const search = "/repos/issues/search";
  const titles = async (query: string, client = bob.api) => {
    const { status, body, total } = await list(query, client, search);
    expect({ query, status }).toEqual({ query, status: 200 });
    expect(total).toBe(String(body.length));
    return body.map(({ title }) => title);
  };

  test("finds what the caller may see, and counts no more", async () => {
    expect(await titles("q=oak")).toEqual(["Oak", "Leaf fell"]);
    expect(await titles("q=oak", app.anonymous)).toEqual(["Oak", "Leaf fell"]);
    expect(await titles("q=oak", alice.api)).toEqual(["Secret oak", "Oak", "Leaf fell"]);
    expect(await titles("")).toEqual(["A pull", "Bob's", "Assigned", "Oak", "Leaf fell"]);
    expect(await titles("", alice.api)).toEqual(["Secret oak", "A pull", "Bob's", "Assigned", "Oak", "Leaf fell"]);
    const publicOnly = await app.scoped(alice, "read:issue", "public-only");
    expect(await titles("q=oak", publicOnly)).toEqual(["Oak", "Leaf fell"]);
    expect((await list("", await app.scoped(alice, "read:repository"), search)).status).toBe(403);
  });

  test("not in units that are switched off", async () => {
    await alice.api.patch("/repos/alice/tree", { has_issues: false });
    expect(await titles("")).toEqual(["A pull"]);
    await alice.api.patch("/repos/alice/tree", { has_issues: true });
  });

  test("shows each with its repository", async () => {
    const { body } = await list("q=oak", alice.api, search);
    expect(body.map(({ repository }) => repository.name)).toEqual(["hidden", "tree", "tree"]);
    expect(body[1]).toEqual((await alice.api.get(`${at}/2`)).body as never);
  });

  test.each([
    ["state=closed", ["Done"]],
    ["type=pulls", ["A pull"]],
    ["labels=bug", ["Oak", "Leaf fell"]],
    ["labels=kind/small,bug", ["Oak", "Leaf fell"]],
    ["labels=-bug&type=issues", ["Bob's", "Assigned"]],
    ["milestones=Autumn", ["Oak"]],
    ["since=2026-02-27T00:00:00Z", ["Oak", "Leaf fell"]],
    ["created=true", ["Bob's"]],
    ["assigned=true", []],
    ["mentioned=true", ["Oak"]],
    ["review_requested=true", []],
    ["reviewed=true", []],
    ["owner=bob", []],
    ["owner=alice&q=leaf", ["Leaf fell"]],
    [`priority_repo_id=${id}&q=leaf`, ["Leaf fell"]],
  ])("%s", async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  test("of one repository first", async () => {
    expect(await titles(`priority_repo_id=${id}`, alice.api)).toEqual([
      "A pull",
      "Bob's",
      "Assigned",
      "Oak",
      "Leaf fell",
      "Secret oak",
    ]);
    expect(await titles(`priority_repo_id=${hidden.id}`)).toHaveLength(5);
  });

  test("of a team's repositories, for those who may know of the team", async () => {
    await alice.api.post("/orgs/forge/repos", { name: "hall" });
    await alice.api.post("/repos/forge/hall/issues", { title: "In the hall" });
    expect(await titles("owner=forge&team=owners", alice.api)).toEqual(["In the hall"]);
    expect(await titles("owner=forge&team=owners")).toEqual([]);
    expect(await titles("owner=forge&team=no-such", alice.api)).toEqual([]);
  });

  test("about oneself finds nothing for nobody", async () => {
    expect(await titles("created=true", app.anonymous)).toEqual([]);
  });

  test.each(["owner=no-such", "team=owners", "since=never", "state=ajar"])("%s is 422", async (query) => {
    expect((await list(query, bob.api, search)).status).toBe(422);
  });
});
