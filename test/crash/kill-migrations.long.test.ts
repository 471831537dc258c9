import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { commitFile } from "../support/pulls.ts";
import { untilWorked } from "../support/process-work.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * kill -9 of the server, and half the time of its database, while a repository of 1,000 issues is migrated from a second server, and while mirrors
 * are synchronized. The migration goes on where it was, and has everything once; the mirrors converge. Each run has moments of its own, and
 * says of which seed they came.
 */

const kills = fullNumber("STITHY_MIGRATION_KILLS");
const rounds = fullNumber("STITHY_MIRROR_KILLS");
setDefaultTimeout(300_000 + (kills + rounds) * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const directory = new OpenDirectory();
const scratch = new Scratch();
const source = await TestApp.start({ outbound: { allowed_networks: ["127.0.0.0/8"] } });
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const settings = { STITHY_OUTBOUND__ALLOWED_NETWORKS: "127.0.0.0/8" };
const issues = 1000;
const commented = 50;
const pulls = 10;
const releases = 10;
const carol = await source.user("carol");

function killDatabase(): void {
  const [pid = ""] = readFileSync(directory.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

/** Kills the server, and half the time its database, and starts it again. */
async function restart(server: ServerProcess): Promise<ServerProcess> {
  server.process.kill("SIGKILL");
  if (random.below(2) === 0) {
    killDatabase();
  }
  await server.process.ended();
  return ServerProcess.start(directory.path, settings);
}

async function allOf<Item>(server: ServerProcess, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const { body } = await server.api.get<Item[]>(`${path}${path.includes("?") ? "&" : "?"}limit=50&page=${page}`);
    items.push(...body);
    if (body.length === 0) {
      return items;
    }
  }
}

async function fillSource(): Promise<void> {
  const at = "/repos/carol/source";
  await source.repository(carol, "source", { auto_init: true, default_branch: "main" });
  for (let number = 1; number <= issues; number++) {
    expect((await carol.api.post(`${at}/issues`, { title: `Issue ${number}`, body: `Body ${number}` })).status).toBe(
      201,
    );
  }
  for (let number = 1; number <= commented; number++) {
    await carol.api.post(`${at}/issues/${number * 7}/comments`, { body: `Comment on ${number * 7}` });
  }
  for (let number = 1; number <= pulls; number++) {
    const branch = `topic-${number}`;
    await commitFile(carol, "carol/source", { path: `${branch}.txt`, text: branch, branch, from: "main" });
    expect((await carol.api.post(`${at}/pulls`, { title: branch, head: branch, base: "main" })).status).toBe(201);
  }
  for (let number = 1; number <= releases; number++) {
    const made = await carol.api.post<{ id: number }>(`${at}/releases`, { tag_name: `v${number}` });
    const form = new FormData();
    form.append("attachment", new File([`file of v${number}`], "file.txt"));
    const sent = await fetch(`${source.url}/api/v1${at}/releases/${made.body.id}/assets`, {
      method: "POST",
      headers: { authorization: `token ${carol.token}` },
      body: form,
    });
    expect(sent.status).toBe(201);
  }
  await carol.api.post(`${at}/wiki/new`, { title: "Home", content_base64: btoa("Welcome"), message: "Begin" });
}

interface Migration {
  id: number;
  state: string;
  error: string;
  percentage: number;
}

test(`a migration of ${issues} issues is cut off ${kills} times by kill -9, and brings everything once`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  await fillSource();
  let server = await ServerProcess.start(directory.path, settings);
  const body = {
    clone_addr: `${source.url}/carol/source.git`,
    repo_name: "target",
    service: "gitea",
    issues: true,
    labels: true,
    pull_requests: true,
    releases: true,
    wiki: true,
  };
  const asked = server.api.post("/repos/migrate", body).catch(() => null);
  const current = async (): Promise<Migration | undefined> =>
    (await server.api.get<Migration[]>("/user/migrations")).body[0];
  const isOver = async () => !["waiting", "running"].includes((await current())?.state ?? "");
  await until("it is begun", async () => (await current()) !== undefined);
  const seen: number[] = [];
  for (let round = 1; round <= kills; round++) {
    await untilWorked(server.process.pid, 100 + random.below(1500), isOver);
    seen.push((await current())?.percentage ?? 0);
    server = await restart(server);
  }
  await asked;
  await until("it is done", isOver, 300_000);
  expect(await current()).toMatchObject({ state: "done", error: "" });
  console.log(`It was killed at ${seen.join(", ")} percent`);

  const at = "/repos/root/target";
  const brought = await allOf<{ number: number; title: string; comments: number }>(
    server,
    `${at}/issues?state=all&type=issues`,
  );
  const expected = Array.from({ length: issues }, (_, index) => ({
    number: index + 1,
    title: `Issue ${index + 1}`,
    comments: (index + 1) % 7 === 0 && (index + 1) / 7 <= commented ? 1 : 0,
  }));
  expect(
    brought.map(({ number, title, comments }) => ({ number, title, comments })).sort((a, b) => a.number - b.number),
  ).toEqual(expected);
  const opened = await allOf<{ number: number; title: string }>(server, `${at}/pulls?state=all&sort=oldest`);
  expect(opened.map(({ title }) => title)).toEqual(Array.from({ length: pulls }, (_, index) => `topic-${index + 1}`));
  const published = await allOf<{ tag_name: string; assets: { name: string; size: number }[] }>(
    server,
    `${at}/releases`,
  );
  expect(published).toHaveLength(releases);
  expect(published.map(({ assets }) => assets.map(({ name }) => name))).toEqual(published.map(() => ["file.txt"]));
  expect((await server.api.get(`${at}/wiki/page/Home`)).status).toBe(200);
  const ours = await checkedRefs(server.repositoryUrl("target"), scratch.join("target"));
  const theirs = await checkedRefs(`${source.url}/carol/source.git`, scratch.join("source"));
  expect(ours).toEqual(theirs);
  await server[Symbol.asyncDispose]();
});

test(`mirrors are cut off ${rounds} times by kill -9 while they are synchronized, and converge`, async () => {
  let server = await ServerProcess.start(directory.path, settings);
  await source.repository(carol, "upstream", { auto_init: true, default_branch: "main" });
  await source.repository(carol, "downstream");
  const pull = { clone_addr: `${source.url}/carol/upstream.git`, repo_name: "pulled", mirror: true };
  expect((await server.api.post("/repos/migrate", pull)).status).toBe(201);
  await server.repository("pushed");
  const push = {
    remote_address: `${source.url}/carol/downstream.git`,
    remote_username: "carol",
    remote_password: carol.token,
    sync_on_commit: true,
  };
  expect((await server.api.post("/repos/root/pushed/push_mirrors", push)).status).toBe(200);
  const work = scratch.join("work");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (let round = 1; round <= rounds; round++) {
    await Bun.write(`${work}/file-${round}`, random.bytes(3_000_000));
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", `Round ${round}`]);
    await mustGit(work, ["push", "-q", server.repositoryUrl("pushed"), `HEAD:main`, `HEAD:refs/heads/r${round}`]);
    await mustGit(work, [
      "push",
      "-q",
      "-f",
      source.url.replace("://", `://carol:${carol.token}@`) + "/carol/upstream.git",
      "HEAD:main",
    ]);
    expect((await server.api.post("/repos/root/pulled/mirror-sync")).status).toBe(200);
    const running = server;
    // Behind the last of it nothing but these questions is work.
    const isGone = async () => (await running.health()) !== 200;
    await untilWorked(running.process.pid, random.below(400), isGone);
    server = await restart(server);
  }
  const refs = async (url: string) => (await mustGit(scratch.path, ["ls-remote", "--heads", "--tags", url])).trim();
  const pairs = [
    [server.repositoryUrl("pulled"), `${source.url}/carol/upstream.git`],
    [server.repositoryUrl("pushed"), `${source.url}/carol/downstream.git`],
  ] as const;
  for (const [one, other] of pairs) {
    // What was cut off is done again by itself, without anybody asking for it.
    await until(`${other} and its mirror are alike`, async () => (await refs(one)) === (await refs(other)));
  }
  await checkedRefs(server.repositoryUrl("pulled"), scratch.join("pulled"));
  await checkedRefs(`${source.url}/carol/downstream.git`, scratch.join("downstream"));
  await server[Symbol.asyncDispose]();
});
