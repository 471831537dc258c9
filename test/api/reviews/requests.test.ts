import { beforeAll, describe, expect, test } from "bun:test";
import { openPull, writeFile, type PullJson as Pull } from "../../support/pulls.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp } from "../../support/test-app.ts";

interface Review {
  id: number;
  state: string;
  official: boolean;
  user: { login: string } | null;
  team: { name: string } | null;
}

type PullJson = Pull & { id: number };

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const dave = await app.user("dave");
const eve = await app.user("eve");
const site = "forge/site";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", { private: true, auto_init: true }, "forge");
  const devs = await makeTeam(alice, "forge", { name: "Devs", permission: "write" }, [carol]);
  await makeTeam(alice, "forge", { name: "outside", permission: "write" }, [eve]);
  await alice.api.put(`/teams/${devs.id}/repos/${site}`);
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "read" });
  await alice.api.put(`/repos/${site}/collaborators/dave`, { permission: "read" });
  await writeFile(alice, site, { new_branch: "topic" }, "a.txt", "a\n");
});

let opened = 0;
const open = async () => {
  const branch = `topic-${opened++}`;
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: branch, old_branch_name: "topic" });
  const { number, id } = await openPull(bob, site, { head: branch });
  const pull = `/repos/${site}/pulls/${number}`;
  return { id, number, reviews: `${pull}/reviews`, at: `${pull}/requested_reviewers` };
};
const asked = async (id: number, { api } = alice) => {
  const { body } = await api.get<PullJson[]>(`/repos/${site}/pulls?state=all&limit=50`);
  const pull = body.find((one) => one.id === id);
  const users = (pull?.requested_reviewers ?? []).map(({ login }) => login);
  return [...users, ...(pull?.requested_reviewers_teams ?? []).map(({ name }) => `@${name}`)];
};
const told = async (id: number) =>
  (
    await sql<{ kind: string; payload: { user: { name: string } | null; team: { name: string } | null } }[]>`
      select kind, payload from outbox where kind like 'review.request%' and payload->'issue'->>'id' = ${String(id)} order by id`
  ).map(({ kind, payload }) => [kind, payload.user?.name ?? payload.team?.name]);

describe("refused", () => {
  test("to nobody, to strangers, without the scope, and to readers other than the author", async () => {
    const { at, id } = await open();
    const reader = await app.scoped(alice, "read:repository");
    for (const method of ["POST", "DELETE"] as const) {
      const status = async (api: typeof eve.api) =>
        (await api.request(method, at, { body: { reviewers: ["carol"] } })).status;
      expect([method, await status(app.anonymous)]).toEqual([method, 401]);
      expect([method, await status(eve.api)]).toEqual([method, 404]);
      expect([method, await status(reader)]).toEqual([method, 403]);
      expect([method, await status(dave.api)]).toEqual([method, 403]);
    }
    expect(await asked(id)).toEqual([]);
  });

  test.each([
    ["who does not exist", { reviewers: ["dave", "nobody-there"] }, "reviewers"],
    ["who may not read", { reviewers: ["dave", "eve"] }, "reviewers"],
    ["an organization", { reviewers: ["forge"] }, "reviewers"],
    ["the author", { reviewers: ["dave", "Bob"] }, "reviewers"],
    ["a team that does not exist", { team_reviewers: ["devs", "none"] }, "team_reviewers"],
    ["a team that has not the repository", { team_reviewers: ["devs", "outside"] }, "team_reviewers"],
    ["too many", { reviewers: Array.from({ length: 101 }, () => "dave") }, "reviewers"],
  ])("for somebody %s", async (_, names, field) => {
    const { at, id } = await open();
    const { status, body } = await alice.api.post<{ message: string }>(at, names);
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: expect.stringMatching(new RegExp(`^${field}`)) as string,
    });
    expect([await asked(id), await told(id)]).toEqual([[], []]);
  });

  test("for teams where a user owns the repository, and for what is closed or not there", async () => {
    await app.repository(alice, "own", { auto_init: true });
    await writeFile(alice, "alice/own", { new_branch: "topic" }, "a.txt", "a\n");
    const { number } = await openPull(alice, "alice/own", { head: "topic" });
    const own = `/repos/alice/own/pulls/${number}/requested_reviewers`;
    expect((await alice.api.post(own, { team_reviewers: ["devs"] })).status).toBe(422);
    const { at, id, number: closed } = await open();
    await alice.api.patch(`/repos/${site}/issues/${closed}`, { state: "closed" });
    expect((await alice.api.post(at, { reviewers: ["dave"] })).status).toBe(403);
    expect((await alice.api.post(at.replace(`/${closed}/`, "/4711/"), { reviewers: ["dave"] })).status).toBe(404);
    expect(await asked(id)).toEqual([]);
  });
});

test("users and teams are asked once, hear of it, and are in the timeline", async () => {
  const { at, id, number, reviews } = await open();
  const { status, body } = await bob.api.post<Review[]>(at, { reviewers: ["Dave", "carol"], team_reviewers: ["devs"] });
  expect(status).toBe(201);
  // Of a team, whoever is not of its organization learns nothing.
  expect(body.map(({ state, official, user, team }) => [state, official, user?.login, team?.name])).toEqual([
    ["REQUEST_REVIEW", false, "dave", undefined],
    ["REQUEST_REVIEW", true, "carol", undefined],
    ["REQUEST_REVIEW", true, undefined, undefined],
  ]);
  expect((await bob.api.post<Review[]>(at, { reviewers: ["dave"], team_reviewers: ["DEVS"] })).body).toEqual([]);
  expect(await asked(id)).toEqual(["dave", "carol", "@Devs"]);
  expect(await asked(id, bob)).toEqual(["dave", "carol"]);
  expect(await asked(id, carol)).toEqual(["dave", "carol", "@Devs"]);
  expect((await carol.api.get<Review[]>(reviews)).body.map(({ team }) => team?.name)).toEqual([
    undefined,
    undefined,
    "Devs",
  ]);
  expect(await told(id)).toEqual([
    ["review.requested", "dave"],
    ["review.requested", "carol"],
    ["review.requested", "Devs"],
  ]);
  const heard = await sql<{ user_id: string }[]>`
    select user_id from notification where issue_id = ${id} and reason = 'review-requested' order by user_id`;
  expect(heard.map(({ user_id: user }) => Number(user))).toEqual([carol.id, dave.id]);
  interface Entry {
    type: string;
    assignee: { login: string } | null;
    assignee_team: { name: string } | null;
    removed_assignee: boolean;
  }
  await bob.api.request("DELETE", at, { body: { reviewers: ["dave"], team_reviewers: ["devs"] } });
  const { body: timeline } = await alice.api.get<Entry[]>(`/repos/${site}/issues/${number}/timeline`);
  expect(
    timeline.map((entry) => [entry.type, entry.assignee?.login ?? entry.assignee_team?.name, entry.removed_assignee]),
  ).toEqual([
    ["review_request", "dave", false],
    ["review_request", "carol", false],
    ["review_request", "Devs", false],
    ["review_request", "dave", true],
    ["review_request", "Devs", true],
  ]);
});

test("requests are withdrawn by those who may ask, and by whoever was asked", async () => {
  const { at, id } = await open();
  const withdraw = async (api: typeof eve.api, names: object) =>
    (await api.request("DELETE", at, { body: names })).status;
  await alice.api.post(at, { reviewers: ["dave", "carol"] });
  expect(await withdraw(dave.api, { reviewers: ["carol"] })).toBe(403);
  expect(await withdraw(dave.api, { reviewers: ["dave"] })).toBe(204);
  expect(await asked(id)).toEqual(["carol"]);
  expect(await withdraw(alice.api, { reviewers: ["dave", "nobody-there"] })).toBe(422);
  expect(await withdraw(alice.api, { reviewers: ["dave"], team_reviewers: ["devs"] })).toBe(204);
  expect(await withdraw(bob.api, { reviewers: ["carol"] })).toBe(403);
  expect(await withdraw(carol.api, { reviewers: ["carol"] })).toBe(204);
  expect(await asked(id)).toEqual([]);
  expect((await told(id)).filter(([kind]) => kind === "review.request-withdrawn")).toEqual([
    ["review.request-withdrawn", "dave"],
    ["review.request-withdrawn", "carol"],
  ]);
});

describe("the author of a pull request", () => {
  const site2 = "forge/gated";
  const requestsOf = (number: number) => `/repos/${site2}/pulls/${number}/requested_reviewers`;
  const names = { reviewers: ["carol"], team_reviewers: ["devs"] };
  let count = 0;

  beforeAll(async () => {
    await app.repository(alice, "gated", { auto_init: true }, "forge");
    const { body: teams } = await alice.api.get<{ id: number; name: string }[]>("/orgs/forge/teams");
    await alice.api.put(`/teams/${teams.find(({ name }) => name === "Devs")?.id}/repos/${site2}`);
    await alice.api.put(`/repos/${site2}/collaborators/bob`, { permission: "admin" });
    await alice.api.put(`/repos/${site2}/collaborators/dave`, { permission: "write" });
    const rule = { rule_name: "main", block_on_official_review_requests: true };
    expect((await alice.api.post(`/repos/${site2}/branch_protections`, rule)).status).toBe(201);
  });

  const opened = async () => {
    const branch = `gated-${++count}`;
    await writeFile(bob, site2, { new_branch: branch }, `${branch}.txt`, "a\n");
    return openPull(bob, site2, { head: branch });
  };
  const rows = async (id: number) => sql<{ id: number; asked: number | null }[]>`
    select id::int as id, asked_by_id::int as asked from review where pull_id = ${id} and kind = 'request' order by id`;
  /** Tries every way to be rid of the requests, and to merge past them. */
  const evade = async ({ number, id }: { number: number; id: number }) => {
    const [first, second] = await rows(id);
    const at = `/repos/${site2}/pulls/${number}`;
    const statuses = [
      await bob.api.request("DELETE", requestsOf(number), { body: names }),
      await bob.api.request("DELETE", requestsOf(number), { body: { reviewers: ["carol"] } }),
      await bob.api.delete(`${at}/reviews/${first?.id}`),
      await bob.api.delete(`${at}/reviews/${second?.id}`),
      // To ask once more makes the request of another nobody else's.
      await bob.api.post(requestsOf(number), names),
      await bob.api.request("DELETE", requestsOf(number), { body: names }),
      await bob.api.post(`${at}/merge`, { Do: "merge" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 201, 403, 405]);
    expect(await rows(id)).toHaveLength(2);
  };

  test("withdraws no request of another, even as an administrator", async () => {
    const pull = await opened();
    expect((await alice.api.post(requestsOf(pull.number), names)).status).toBe(201);
    await evade(pull);
    // An administrator who is not the author does.
    expect((await alice.api.request("DELETE", requestsOf(pull.number), { body: names })).status).toBe(204);
    expect((await bob.api.post(`/repos/${site2}/pulls/${pull.number}/merge`, { Do: "merge" })).status).toBe(200);
  });

  test("nor a request of theirs that somebody else made, too", async () => {
    const pull = await opened();
    await bob.api.post(requestsOf(pull.number), names);
    await dave.api.post(requestsOf(pull.number), names);
    expect((await rows(pull.id)).map(({ asked: by }) => by)).toEqual([dave.id, dave.id]);
    await evade(pull);
    // The one who asked does.
    expect((await dave.api.request("DELETE", requestsOf(pull.number), { body: names })).status).toBe(204);
  });

  test("nor one whose asker is gone or unknown", async () => {
    const pull = await opened();
    await alice.api.post(requestsOf(pull.number), names);
    await sql`update review set asked_by_id = null where pull_id = ${pull.id}`;
    await evade(pull);
  });

  test("withdraws their own", async () => {
    const pull = await opened();
    await bob.api.post(requestsOf(pull.number), names);
    expect((await bob.api.request("DELETE", requestsOf(pull.number), { body: names })).status).toBe(204);
    expect(await rows(pull.id)).toHaveLength(0);
  });

  test("and others who may write withdraw none that they did not make", async () => {
    const pull = await opened();
    await bob.api.post(requestsOf(pull.number), names);
    expect((await dave.api.request("DELETE", requestsOf(pull.number), { body: names })).status).toBe(403);
    expect(await rows(pull.id)).toHaveLength(2);
  });
});

test("a request is withdrawn as a review is deleted: by whoever was asked, and by administrators", async () => {
  const { at, id, reviews } = await open();
  const { body } = await alice.api.post<Review[]>(at, { reviewers: ["dave"], team_reviewers: ["devs"] });
  const [ofDave, ofDevs] = body.map((one) => `${reviews}/${one.id}`);
  expect((await carol.api.delete(`${ofDave}`)).status).toBe(403);
  expect((await dave.api.delete(`${ofDevs}`)).status).toBe(403);
  expect(await asked(id)).toEqual(["dave", "@Devs"]);
  expect((await dave.api.delete(`${ofDave}`)).status).toBe(204);
  expect((await alice.api.delete(`${ofDevs}`)).status).toBe(204);
  expect(await asked(id)).toEqual([]);
  expect((await told(id)).slice(2)).toEqual([
    ["review.request-withdrawn", "dave"],
    ["review.request-withdrawn", "Devs"],
  ]);
});

test("whoever reviews is not asked any more, nor are their teams when they decide", async () => {
  const { at, id, reviews } = await open();
  await alice.api.post(at, { reviewers: ["dave", "carol"], team_reviewers: ["devs"] });
  await dave.api.post(reviews, { event: "COMMENT", body: "Hm" });
  await carol.api.post(reviews, { event: "COMMENT", body: "Hm" });
  expect(await asked(id)).toEqual(["@Devs"]);
  await carol.api.post(reviews, { event: "APPROVED" });
  expect(await asked(id)).toEqual([]);
});

test("an approval counts for nothing while its author is asked again", async () => {
  const { at, reviews } = await open();
  await carol.api.post(reviews, { event: "APPROVED" });
  const official = async () =>
    (await alice.api.get<Review[]>(reviews)).body.map(({ state, official: counts }) => [state, counts]);
  await alice.api.post(at, { reviewers: ["carol"] });
  expect(await official()).toEqual([
    ["APPROVED", false],
    ["REQUEST_REVIEW", true],
  ]);
  await alice.api.request("DELETE", at, { body: { reviewers: ["carol"] } });
  expect(await official()).toEqual([["APPROVED", true]]);
});

test("a request for changes counts while its author is asked again", async () => {
  const { at, reviews, number } = await open();
  const rule = { rule_name: "main", block_on_rejected_reviews: true };
  expect((await alice.api.post(`/repos/${site}/branch_protections`, rule)).status).toBe(201);
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
  const merge = () => bob.api.post(`/repos/${site}/pulls/${number}/merge`, { Do: "merge" });
  await carol.api.post(reviews, { event: "REQUEST_CHANGES", body: "No" });
  expect((await merge()).status).toBe(405);
  // By the author, who would like to hear something else.
  expect((await bob.api.post(at, { reviewers: ["carol"] })).status).toBe(201);
  expect((await merge()).status).toBe(405);
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "read" });
  await alice.api.delete(`/repos/${site}/branch_protections/main`);
});

test("an approval that a migration brought does not count when its author is asked and the request withdrawn", async () => {
  const { at, id, reviews } = await open();
  await carol.api.post(reviews, { event: "APPROVED" });
  // As writePull of a migration leaves it.
  await sql`update review set official = false where pull_id = (select id from issue where id = ${id})`;
  await sql`update comment set original_author = 'carla', original_author_id = 7
    where review_id in (select id from review where pull_id = ${id})`;
  await bob.api.post(at, { reviewers: ["carol"] });
  expect((await bob.api.request("DELETE", at, { body: { reviewers: ["carol"] } })).status).toBe(204);
  const { body } = await alice.api.get<Review[]>(reviews);
  expect(body.map(({ state, official }) => [state, official])).toEqual([["APPROVED", false]]);
});
