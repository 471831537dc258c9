import { beforeAll, describe, expect, test } from "bun:test";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const site = await app.repository(alice, "site");
const at = "/repos/alice/site/pulls";
let label = 0;
let other = 0;
let milestone = 0;

/** Titles of what a list answers, and how many it says that there are. */
async function list(query: string, client = bob.api) {
  const { status, headers, body } = await client.get<PullJson[]>(`${at}?${query}`);
  return { status, titles: body.map(({ title }) => title).join(" "), total: Number(headers.get("x-total-count")) };
}
const found = (titles: string) => ({ status: 200, titles, total: titles === "" ? 0 : titles.split(" ").length });

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await commitFile(alice, "alice/site", { path: "n.txt", text: "next\n", branch: "next", from: "main" });
  await bob.api.post("/repos/alice/site/forks", {});
  label = (await alice.api.post<{ id: number }>("/repos/alice/site/labels", { name: "big", color: "ffffff" })).body.id;
  other = (await alice.api.post<{ id: number }>("/repos/alice/site/labels", { name: "small", color: "ffffff" })).body
    .id;
  milestone = (await alice.api.post<{ id: number }>("/repos/alice/site/milestones", { title: "May" })).body.id;
  await alice.api.post("/repos/alice/site/issues", { title: "issue" });
  for (const name of ["a", "b", "c", "d"]) {
    const who = name === "c" ? bob : alice;
    await commitFile(who, `${who.name}/site`, { path: `${name}.md`, text: name, branch: name, from: "main" });
    const details =
      { a: { labels: [label], milestone }, b: { labels: [other] }, d: { labels: [label, other] } }[name] ?? {};
    const fields = { title: name, base: name === "b" ? "next" : "main", head: `${who.name}:${name}`, ...details };
    await who.api.post(at, fields);
  }
  await alice.api.patch(`${at}/5`, { state: "closed" });
  await bob.api.post("/repos/alice/site/issues/3/comments", { body: "Hm" });
  await alice.api.post("/repos/alice/site/issues/2/pin");
});

describe("a list", () => {
  test.each([
    ["", "c b a"],
    ["state=open&sort=oldest", "a b c"],
    ["state=closed", "d"],
    ["state=all", "d c b a"],
    ["state=all&sort=recentupdate", "b d c a"],
    ["state=all&sort=leastupdate", "a c d b"],
    ["sort=mostcomment", "b c a"],
    ["sort=leastcomment", "a c b"],
    ["sort=priority", "a c b"],
    ["base=next", "b"],
    ["base=nowhere", ""],
    ["head=c", "c"],
    ["head=bob:c", "c"],
    ["head=alice:c", ""],
    ["head=nobody-here:c", ""],
    ["state=all&head=alice:d&base=main", "d"],
    ["poster=bob", "c"],
    ["poster=ALICE&state=all", "d b a"],
  ])("with %p has %p", async (query, titles) => {
    expect(await list(query)).toEqual(found(titles));
  });

  test("by labels and milestone", async () => {
    expect(await list(`labels=${label}&state=all`)).toEqual(found("d a"));
    expect(await list(`labels=${label}&labels=${other}`)).toEqual(found(""));
    expect(await list(`labels=${label}&labels=${other}&state=all`)).toEqual(found("d"));
    expect(await list(`labels=${label}&labels=${label}`)).toEqual(found("a"));
    expect(await list(`milestone=${milestone}`)).toEqual(found("a"));
    expect(await list("milestone=999999")).toEqual(found(""));
  });

  test("in pages, with the total of all", async () => {
    expect(await list("limit=2&page=2&state=all")).toEqual({ status: 200, titles: "b a", total: 4 });
  });

  test.each([["state=merged"], ["sort=fastest"], ["milestone=x"], ["labels=x"]])("refuses %p", async (query) => {
    expect((await bob.api.get(`${at}?${query}`)).status).toBe(422);
  });

  test("of an unknown author: 404", async () => {
    expect((await bob.api.get(`${at}?poster=nobody-here`)).status).toBe(404);
  });

  test("reads nothing of git: it shows what was stored", async () => {
    await sql`update pull set additions = 77 where issue_id = (select id from issue where repository_id = ${site.id} and number = 2)`;
    const { body } = await bob.api.get<PullJson[]>(`${at}?sort=oldest`);
    expect(body[0]?.additions).toBe(77);
  });

  test("of a repository that the caller may not see, or whose pull requests are off: 404", async () => {
    await app.repository(alice, "secret", { private: true });
    expect((await bob.api.get("/repos/alice/secret/pulls")).status).toBe(404);
    expect((await app.anonymous.get("/repos/alice/secret/pulls/main/a")).status).toBe(404);
  });
});

test("issue lists and searches have them as issues, by kind", async () => {
  const { body } = await bob.api.get<{ title: string }[]>("/repos/alice/site/issues?type=pulls&state=all");
  expect(body.map(({ title }) => title)).toEqual(["d", "c", "b", "a"]);
  const { body: searched } =
    await bob.api.get<{ title: string; pull_request: object | null }[]>("/repos/issues/search?q=issue");
  expect(searched.map(({ title, pull_request: meta }) => [title, meta])).toEqual([["issue", null]]);
  const asked = await bob.api.get<unknown[]>("/repos/issues/search?review_requested=true");
  expect(asked.body).toEqual([]);
  await sql`insert into review (pull_id, kind, reviewer_id) select id, 'request', ${bob.id} from issue where repository_id = ${site.id} and number = 2`;
  const { body: mine } = await bob.api.get<{ title: string }[]>(
    "/repos/issues/search?review_requested=true&type=pulls",
  );
  expect(mine.map(({ title }) => title)).toEqual(["a"]);
  expect((await app.anonymous.get("/repos/issues/search?review_requested=true")).body).toEqual([]);
  const shown = (await bob.api.get<PullJson>(`${at}/2`)).body;
  expect(shown.requested_reviewers.map(({ login }) => login)).toEqual(["bob"]);
  const [listed] = (await bob.api.get<PullJson[]>(`${at}?sort=oldest`)).body;
  expect(listed?.requested_reviewers.map(({ login }) => login)).toEqual(["bob"]);
  await sql`update review set kind = 'approve', submitted_at = now() where reviewer_id = ${bob.id}`;
  const { body: reviewed } = await bob.api.get<{ title: string }[]>("/repos/issues/search?reviewed=true");
  expect(reviewed.map(({ title }) => title)).toEqual(["a"]);
});

describe("by base and head", () => {
  test.each([
    ["main", "a", "a"],
    ["next", "b", "b"],
    ["main", "bob:c", "c"],
    ["main", "bob%2Fsite:c", "c"],
    ["main", "d", "d"],
  ])("%p and %p: %p", async (base, head, title) => {
    expect((await bob.api.get<PullJson>(`${at}/${base}/${head}`)).body.title).toBe(title);
  });

  test.each([
    ["next", "a"],
    ["main", "c"],
    ["main", "nobody-here:c"],
  ])("%p and %p: 404", async (base, head) => {
    expect((await bob.api.get(`${at}/${base}/${head}`)).status).toBe(404);
  });
});
