import { afterAll, beforeAll, expect, test } from "bun:test";
import { mustGit, Scratch } from "../../support/git.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** What pushes brought to a pull request is in its timeline. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const scratch = new Scratch();
const work = scratch.join("work");
let made = 0;

afterAll(() => scratch[Symbol.dispose]());

beforeAll(async () => {
  await app.repository(alice, "site");
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  expect((await bob.api.post("/repos/alice/site/forks", {})).status).toBe(202);
  await mustGit(scratch.path, ["clone", "-q", remote(alice), work]);
});

const remote = ({ name, token }: TestUser) => `${app.url.replace("://", `://x:${token}@`)}/${name}/site.git`;

interface Entry {
  type: string;
  body: string;
  user: { login: string } | null;
  old_title: string;
  new_ref: string;
}

const pushesOf = async (number: number) =>
  (await alice.api.get<Entry[]>(`/repos/alice/site/issues/${number}/timeline`)).body.filter(
    ({ type }) => type === "pull_push",
  );
const waiting = async () =>
  Number((await sql`select count(*)::int as n from comment where kind = 'pull_push' and pending`)[0]?.["n"]);

async function described(number: number, count: number): Promise<Entry[]> {
  await until(
    "the pushes are described",
    async () => (await waiting()) === 0 && (await pushesOf(number)).length >= count,
  );
  const entries = await pushesOf(number);
  expect(entries).toHaveLength(count);
  return entries;
}

/** A pull request from a new branch of somebody's repository, which is checked out. */
async function open(who: TestUser): Promise<{ number: number; branch: string; head: string }> {
  const branch = `topic-${++made}`;
  const head = await commitFile(who, `${who.name}/site`, { path: `${branch}.txt`, text: "b\n", branch, from: "main" });
  const fields = { title: branch, base: "main", head: `${who.name}:${branch}` };
  const { status, body } = await who.api.post<PullJson>("/repos/alice/site/pulls", fields);
  expect(status).toBe(201);
  await mustGit(work, ["fetch", "-q", remote(who), branch]);
  await mustGit(work, ["checkout", "-q", "--detach", "FETCH_HEAD"]);
  return { number: body.number, branch, head };
}

async function commit(): Promise<string> {
  await Bun.write(`${work}/more-${++made}.txt`, "more\n");
  await mustGit(work, ["add", "."]);
  await mustGit(work, ["commit", "-q", "-m", `More ${made}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}
const push = (who: TestUser, branch: string) =>
  mustGit(work, ["push", "-q", "--force", remote(who), `HEAD:refs/heads/${branch}`]);

test.each([
  ["of the same repository", alice],
  ["of a fork", bob],
] as const)("commits of a push to a branch %s, the oldest first, and a push that gives some up", async (_, who) => {
  const { number, branch, head } = await open(who);
  expect(await pushesOf(number)).toEqual([]);
  const commits = [await commit(), await commit()];
  await push(who, branch);
  const [first] = await described(number, 1);
  expect(first).toMatchObject({ user: { login: who.name }, old_title: "", new_ref: "" });
  expect(JSON.parse(first!.body)).toEqual({ is_force_push: false, commit_ids: commits });
  await mustGit(work, ["reset", "-q", "--hard", head]);
  const other = await commit();
  await push(who, branch);
  const [, second] = await described(number, 2);
  expect(JSON.parse(second!.body)).toEqual({ is_force_push: true, commit_ids: [commits[1], other] });
});

test("commits of the base are not told", async () => {
  const { number, branch } = await open(alice);
  const ofMain = await commitFile(alice, "alice/site", { path: `main-${made}.txt`, text: "m\n" });
  await mustGit(work, ["fetch", "-q", remote(alice), "main"]);
  await mustGit(work, ["merge", "-q", "--no-edit", "FETCH_HEAD"]);
  const merge = await mustGit(work, ["rev-parse", "HEAD"]);
  await push(alice, branch);
  const [entry] = await described(number, 1);
  expect(JSON.parse(entry!.body)).toEqual({ is_force_push: false, commit_ids: [merge] });
  expect(entry!.body).not.toContain(ofMain);
});

test("a push that is not described yet is shown to nobody, and a long one has its newest commits", async () => {
  const { number, branch } = await open(alice);
  const lines = Array.from({ length: 260 }, (_, index) => index);
  const tip = await mustGit(work, ["rev-parse", "HEAD"]);
  const stream = lines.map(
    (index) =>
      `commit refs/heads/many\nmark :${index + 1}\ncommitter A <a@example.com> ${1_700_000_000 + index} +0000\ndata 2\n${index % 10}\n${index === 0 ? `from ${tip}\n` : ""}`,
  );
  await mustGit(work, ["fast-import", "--quiet", "--force"], { input: `${stream.join("\n")}\n` });
  await mustGit(work, ["checkout", "-q", "many"]);
  await push(alice, branch);
  const [entry] = await described(number, 1);
  const { commit_ids } = JSON.parse(entry!.body) as { commit_ids: string[] };
  expect(commit_ids).toHaveLength(250);
  expect(commit_ids.at(-1)).toBe(await mustGit(work, ["rev-parse", "HEAD"]));
  await sql`update comment set pending = true, body = '' where kind = 'pull_push' and issue_id in (select id from issue where number = ${number})`;
  expect(await pushesOf(number)).toEqual([]);
});
