import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { GitWorkTree } from "../../support/git-work-tree.ts";
import { useTestApp } from "../../support/test-app.ts";

/**
 * From a fork to the base, with real git on both sides: each style of merge by the server is compared with the same merge by
 * git, as a clone shows it.
 */

interface PullJson {
  number: number;
  state: string;
  mergeable: boolean;
  merged: boolean;
  merge_base: string;
  merge_commit_sha: string | null;
  merged_by: { login: string } | null;
  head: { sha: string; label: string };
  base: { sha: string };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/forge";
const upstream = `${app.url}/alice/forge.git`;
const fork = `${app.url}/bob/forge.git`;
const text = (change: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join("");

beforeAll(async () => {
  await app.repository(alice, "forge");
  await work.write("text.txt", text());
  for (const topic of ["merged", "rebase", "rebase-merge", "squashed", "behind", "forward"]) {
    await work.write(`old ${topic}.txt`, `${topic}\n${"kept as it is\n".repeat(10)}`);
  }
  await work.commit("root");
  await work.push(upstream, alice.token, "main");
  expect((await bob.api.post(`${base}/forks`, {})).status).toBe(202);
});

/** Brings the work tree's `main` to where the server has it. */
async function update(): Promise<string> {
  await work.git("checkout", "-q", "main");
  await work.git("pull", "-q", "--ff-only", upstream, "main");
  return work.git("rev-parse", "main");
}

/** A branch of two commits in the fork, and one commit that the base has beside it unless `behind` is false. */
async function pushTopic(topic: string, behind = true): Promise<void> {
  await update();
  await work.git("checkout", "-q", "-b", topic);
  await work.write(`${topic}/one.txt`, "one\n");
  await work.commit(`${topic}: first\n\nWith a body.`);
  await work.git("mv", `old ${topic}.txt`, `${topic}/name.txt`);
  await work.write(`${topic}/two.txt`, "two\n");
  await work.commit(`${topic}: second`);
  await work.push(fork, bob.token, topic);
  await work.git("checkout", "-q", "main");
  if (behind) {
    await work.write(`old ${topic}.txt`, `${topic}\n${"kept as it is\n".repeat(10)}and one more\n`);
    await work.commit(`beside ${topic}`);
    await work.push(upstream, alice.token, "main");
  }
}

async function open(topic: string): Promise<PullJson> {
  const { status, body } = await bob.api.post<PullJson>(`${base}/pulls`, {
    title: `Add ${topic}`,
    body: "As was said.",
    head: `bob:${topic}`,
    base: "main",
  });
  expect(status).toBe(201);
  return body;
}

async function approve(number: number): Promise<void> {
  const review = await alice.api.post<{ state: string }>(`${base}/pulls/${number}/reviews`, {
    event: "APPROVED",
    body: "Well done",
  });
  expect([review.status, review.body.state]).toEqual([200, "APPROVED"]);
}

const get = async (number: number) => (await app.anonymous.get<PullJson>(`${base}/pulls/${number}`)).body;
const merge = (number: number, style: string, fields: object = {}) =>
  alice.api.post(`${base}/pulls/${number}/merge`, { Do: style, ...fields });

/** A clone of the base as it is now. */
async function clone(name: string): Promise<(...args: string[]) => Promise<string>> {
  const directory = join(work.directory, ".git", `clone-${name}`);
  await work.git("clone", "-q", upstream, directory);
  return (...args) => work.git("-C", directory, ...args);
}

const parents = (line: string) => line.split(" ").slice(1);
/** What each commit since another one says, and its tree, oldest first. */
const series = ["log", "--reverse", "--format=%an <%ae> %ai %T %B"];

describe("each style of merge does what git does", () => {
  test("merge", async () => {
    await pushTopic("merged");
    const before = await work.git("rev-parse", "main");
    const head = await work.git("rev-parse", "merged");
    const opened = await open("merged");
    expect(opened).toMatchObject({ state: "open", merged: false, head: { sha: head }, base: { sha: before } });
    await approve(opened.number);
    expect((await get(opened.number)).mergeable).toBe(true);
    expect((await merge(opened.number, "merge")).status).toBe(200);

    const cloned = await clone("merged");
    await work.git("merge", "-q", "--no-ff", "-m", "by git", "merged");
    expect(await cloned("rev-parse", "main^{tree}")).toBe(await work.git("rev-parse", "main^{tree}"));
    expect(parents(await cloned("rev-list", "--parents", "-1", "main"))).toEqual([before, head]);
    const after = await get(opened.number);
    expect(after).toMatchObject({ state: "closed", merged: true, merged_by: { login: "alice" } });
    expect(after.merge_commit_sha).toBe(await cloned("rev-parse", "main"));
    await work.git("reset", "-q", "--hard", before);
  });

  test("rebase, and rebase with a merge commit", async () => {
    for (const style of ["rebase", "rebase-merge"]) {
      await pushTopic(style);
      const before = await work.git("rev-parse", "main");
      const { number } = await open(style);
      await approve(number);
      expect((await merge(number, style)).status).toBe(200);

      const cloned = await clone(style);
      await work.git("rebase", "-q", "main", style);
      const tip = style === "rebase" ? "main" : "main^2";
      expect(await cloned(...series, `${before}..${tip}`)).toBe(await work.git(...series, `main..${style}`));
      expect(await cloned("rev-list", "--count", "--merges", `${before}..main`)).toBe(style === "rebase" ? "0" : "1");
      expect(await cloned("rev-parse", "main^{tree}")).toBe(await work.git("rev-parse", `${style}^{tree}`));
      expect((await get(number)).merge_commit_sha).toBe(await cloned("rev-parse", "main"));
    }
  });

  test("squash", async () => {
    await pushTopic("squashed");
    const before = await work.git("rev-parse", "main");
    const { number } = await open("squashed");
    await approve(number);
    expect((await merge(number, "squash")).status).toBe(200);

    const cloned = await clone("squashed");
    await work.git("merge", "-q", "--squash", "squashed");
    await work.git("commit", "-q", "-m", "by git");
    expect(await cloned("rev-parse", "main^{tree}")).toBe(await work.git("rev-parse", "main^{tree}"));
    expect(parents(await cloned("rev-list", "--parents", "-1", "main"))).toEqual([before]);
    expect(await cloned("log", "-1", "--format=%s", "main")).toBe(`Add squashed (#${number})`);
    await work.git("reset", "-q", "--hard", before);
  });

  test("fast-forward-only, which is refused where the base has moved on", async () => {
    await pushTopic("behind");
    const { number: behind } = await open("behind");
    const refused = await merge(behind, "fast-forward-only");
    expect([refused.status, refused.body]).toEqual([405, null]);
    expect(refused.headers.get("x-merge-refused")).not.toBeNull();
    expect((await get(behind)).merged).toBe(false);

    await pushTopic("forward", false);
    const { number } = await open("forward");
    await approve(number);
    expect((await merge(number, "fast-forward-only")).status).toBe(200);
    const cloned = await clone("forward");
    expect(await cloned("rev-parse", "main")).toBe(await work.git("rev-parse", "forward"));
    expect((await get(number)).merge_commit_sha).toBe(await work.git("rev-parse", "forward"));
  });
});

test("a conflict is refused, resolved by git, and then merged", async () => {
  await update();
  await work.git("checkout", "-q", "-b", "clash");
  await work.write("text.txt", text({ 5: "theirs" }));
  await work.commit("theirs");
  await work.push(fork, bob.token, "clash");
  await work.git("checkout", "-q", "main");
  await work.write("text.txt", text({ 5: "ours" }));
  await work.commit("ours");
  await work.push(upstream, alice.token, "main");
  const before = await work.git("rev-parse", "main");

  const { number } = await open("clash");
  expect((await get(number)).mergeable).toBe(false);
  for (const style of ["merge", "rebase", "rebase-merge", "squash", "fast-forward-only"]) {
    const refused = await merge(number, style);
    expect([style, refused.status, refused.body]).toEqual([style, 405, null]);
    expect(refused.headers.get("x-merge-refused")).not.toBeNull();
  }
  expect(await update()).toBe(before);

  await work.git("checkout", "-q", "clash");
  await work.git("merge", "-q", "main").catch(() => "");
  await work.write("text.txt", text({ 5: "ours and theirs" }));
  await work.commit("Merge main into clash");
  await work.push(fork, bob.token, "clash");
  const head = await work.git("rev-parse", "clash");
  await approve(number);
  expect(await get(number)).toMatchObject({ mergeable: true, head: { sha: head } });
  const stale = await merge(number, "merge", { head_commit_id: await work.git("rev-parse", "clash~1") });
  expect(stale.status).toBe(409);
  expect((await merge(number, "merge", { head_commit_id: head })).status).toBe(200);
  const cloned = await clone("clash");
  expect(await cloned("rev-parse", "main^{tree}")).toBe(await work.git("rev-parse", "clash^{tree}"));
  expect(parents(await cloned("rev-list", "--parents", "-1", "main"))).toEqual([before, head]);
});

test("the head of each is there to be fetched from the base", async () => {
  const { body } = await app.anonymous.get<PullJson[]>(`${base}/pulls?state=all&limit=50`);
  expect(body.length).toBeGreaterThan(6);
  const listed = (await work.git("ls-remote", upstream, "refs/pull/*/head")).split("\n").toSorted();
  expect(listed).toEqual(body.map(({ number, head }) => `${head.sha}\trefs/pull/${number}/head`).toSorted());
});
