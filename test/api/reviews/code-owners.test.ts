import { beforeAll, expect, test } from "bun:test";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { openPull, writeFile, type PullJson } from "../../support/pulls.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
await app.user("eve");
const site = "forge/site";

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", { private: true, auto_init: true }, "forge");
  const devs = await makeTeam(alice, "forge", { name: "Devs", permission: "write" }, [carol]);
  await alice.api.put(`/teams/${devs.id}/repos/${site}`);
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
  const rules = [
    "docs/.* @carol @nobody-there",
    "src/.* @Bob @alice @eve",
    ".*\\\\.ts @forge/devs @other/devs",
    "((a+)+)+b @alice",
  ];
  await writeFile(alice, site, { branch: "main" }, "docs/CODEOWNERS", rules.join("\n"));
  await writeFile(alice, site, { branch: "main" }, ".gitea/CODEOWNERS", ".* @alice");
});

let made = 0;
const change = async (path: string) => {
  const branch = `topic-${made++}`;
  await writeFile(bob, site, { new_branch: branch }, path, "changed\n");
  return branch;
};
const asked = async (number: number) => {
  await waitUntilIdle(app.forge, 60_000);
  const { body } = await alice.api.get<PullJson>(`/repos/${site}/pulls/${number}`);
  return [
    ...body.requested_reviewers.map(({ login }) => login).toSorted(),
    ...body.requested_reviewers_teams.map(({ name }) => `@${name}`),
  ];
};

test("owners of the files are asked who may read, and not the author", async () => {
  const { number, id } = await openPull(bob, site, { head: await change("src/a.ts") });
  expect(await asked(number)).toEqual(["alice", "@Devs"]);
  const rows = await sql<{ user_id: string }[]>`
    select user_id from notification where issue_id = ${id} and reason = 'review-requested' order by user_id`;
  expect(rows.map(({ user_id: user }) => Number(user))).toEqual([alice.id, carol.id]);
  const { body } = await alice.api.get<{ type: string; user: { login: string } | null }[]>(
    `/repos/${site}/issues/${number}/timeline`,
  );
  expect(body.filter(({ type }) => type === "review_request").map(({ user }) => user?.login)).toEqual(["bob", "bob"]);
  const other = await openPull(bob, site, { head: await change("docs/a.md") });
  expect(await asked(other.number)).toEqual(["carol"]);
  const none = await openPull(bob, site, { head: await change("b.md") });
  expect(await asked(none.number)).toEqual([]);
});

test("of a draft they are asked when it is ready", async () => {
  const { number } = await openPull(bob, site, { head: await change("docs/b.md"), title: "WIP: Not yet" });
  expect(await asked(number)).toEqual([]);
  await bob.api.patch(`/repos/${site}/pulls/${number}`, { title: "Now" });
  expect(await asked(number)).toEqual(["carol"]);
});

test("after a push those of new files are asked, and not those who have reviewed", async () => {
  const head = await change("docs/c.md");
  const { number } = await openPull(bob, site, { head });
  expect(await asked(number)).toEqual(["carol"]);
  await carol.api.post(`/repos/${site}/pulls/${number}/reviews`, { event: "COMMENT", body: "Seen" });
  expect(await asked(number)).toEqual([]);
  await writeFile(bob, site, { branch: head }, "src/c.txt", "c\n");
  expect(await asked(number)).toEqual(["alice"]);
});

test("a pull request does not change the rules for itself", async () => {
  const head = await change("docs/d.md");
  await writeFile(bob, site, { branch: head }, "docs/CODEOWNERS", ".* @alice\n");
  const { number } = await openPull(bob, site, { head });
  expect(await asked(number)).toEqual(["carol"]);
});

test("whoever merges at once meets the requests that a job is about to make", async () => {
  const rule = { rule_name: "main", block_on_official_review_requests: true };
  expect((await alice.api.post(`/repos/${site}/branch_protections`, rule)).status).toBe(201);
  const merge = async (head: string) => {
    const { number } = await openPull(bob, site, { head });
    return bob.api.post(`/repos/${site}/pulls/${number}/merge`, { Do: "merge" });
  };
  const refused = await merge(await change("docs/e.md"));
  expect([refused.status, refused.headers.get("x-merge-refused")]).toEqual([
    405,
    expect.stringContaining("a review is asked for") as string,
  ]);
  expect((await merge(await change("e.md"))).status).toBe(200);
  // The job as it is before its turn has come.
  const { number, id } = await openPull(bob, site, { head: await change("docs/f.md") });
  expect(await asked(number)).toEqual(["carol"]);
  await sql`delete from review where pull_id = ${id}`;
  await sql`insert into job (kind, key, doer, payload, run_at)
    values ('code-owners', ${String(id)}, '{"kind":"server","reason":"test"}', jsonb_build_object('issueId', ${id}::integer), now() + interval '1 day')`;
  expect((await bob.api.post(`/repos/${site}/pulls/${number}/merge`, { Do: "merge" })).status).toBe(405);
  await sql`delete from job where kind = 'code-owners' and key = ${String(id)}`;
  await alice.api.delete(`/repos/${site}/branch_protections/main`);
});
