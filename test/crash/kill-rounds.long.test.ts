import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configOf } from "../../src/cli/command-config.ts";
import { DiskBlobStore } from "../../src/blobs/disk-blob-store.ts";
import { connectDatabase } from "../../src/cli/command-database.ts";
import { blobFiles } from "../../src/domain/git/blobs/blob-files.ts";
import { packFiles } from "../../src/domain/git/packs/pack-files.ts";
import { findUnknownFiles, removeUnknownFiles } from "../../src/domain/git/blobs/unknown-files.ts";
import { listJobs } from "../../src/queue/queries.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { MailCatcher } from "../support/mail-catcher.ts";
import { untilWorked } from "../support/process-work.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { findDisagreements, type Before } from "./find-disagreements.ts";

/**
 * kill -9 of the server, and half the time of its database, in the middle of pushes, writes by API, uploads and jobs. Before
 * the next start the database is compared with itself and with the files: rows, outbox, queue and refs are of the same
 * transactions, and no file is missing. After it, whatever was answered is there, and every job that was enqueued is done.
 */

const rounds = fullNumber("STITHY_KILL_ROUNDS");
setDefaultTimeout(120_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const scratch = new Scratch();
const data = new OpenDirectory();
const catcher = await MailCatcher.start();
afterAll(async () => {
  scratch[Symbol.dispose]();
  data[Symbol.dispose]();
  await catcher[Symbol.asyncDispose]();
});
const settings = {
  STITHY_MAIL__SMTP_HOST: "127.0.0.1",
  STITHY_MAIL__SMTP_PORT: String(catcher.port),
  STITHY_MAIL__SMTP_SECURITY: "none",
  STITHY_MAIL__FROM: "forge@example.com",
  // Every user of a round adds addresses of their own.
  STITHY_USERS__EMAILS: "1000",
};
const password = "correct horse battery staple";
/** The server is killed after at most so many answers, and then within so many milliseconds of its work. */
const mostAnswers = 40;
const mostMs = 150;

const work = scratch.join("work");

async function commit(number: number): Promise<string> {
  writeFileSync(join(work, "noise"), random.bytes(60_000));
  writeFileSync(join(work, `file-${number % 5}.txt`), `${"the same line\n".repeat(300)}${number}\n`);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `commit ${number}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** What was answered with success before the kill. */
interface Answered {
  repositories: string[];
  files: string[];
  pages: string[];
  emails: string[];
  objects: string[];
  forks: string[];
  tip: string | null;
}

/** Does something again and again until the server is gone; only what it has answered counts. */
async function repeat(step: (count: number) => Promise<void>): Promise<void> {
  for (let count = 0; ; count++) {
    try {
      await step(count);
    } catch {
      return;
    }
  }
}

class Refused extends Error {}

/** Each caller shows a token: to check a password takes longer than everything else here. */
const tokens = new Map<string, string>();

async function makeToken(server: ServerProcess, user: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const response = await fetch(`${server.url}/api/v1/users/${user}/tokens`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "kills", scopes: ["all"] }),
  });
  expect(response.status).toBe(201);
  tokens.set(user, ((await response.json()) as { sha1: string }).sha1);
}

async function send(url: string, user: string, method: string, body: unknown, headers = {}): Promise<Response> {
  const authorization = `token ${tokens.get(user)}`;
  const isBytes = body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: { authorization, "content-type": isBytes ? "application/octet-stream" : "application/json", ...headers },
    body: isBytes ? Buffer.from(body) : JSON.stringify(body),
  });
  if (response.status >= 500 || response.status === 429) {
    throw new Refused(`${response.status} ${await response.text()}`);
  }
  return response;
}

/** Everything at once, until the server is gone. */
async function writeUntilKilled(server: ServerProcess, round: number, tip: string, answered: Answered): Promise<void> {
  const api = `${server.url}/api/v1`;
  const lfs = `${server.url}/root/site.git/info/lfs/objects`;
  const lfsType = "application/vnd.git-lfs+json";
  const expectStatus = (response: Response, status: number) => expect(response.status).toBe(status);
  await Promise.all([
    (async () => {
      const url = server.repositoryUrl("site");
      const { code } = await runGit(work, ["push", "-q", "--force", url, `${tip}:refs/heads/main`]);
      answered.tip = code === 0 ? tip : null;
    })(),
    repeat(async (count) => {
      const name = `r${round}-${count}`;
      expectStatus(await send(`${api}/user/repos`, "root", "POST", { name, auto_init: count % 2 === 0 }), 201);
      answered.repositories.push(name);
    }),
    repeat(async (count) => {
      const path = `r${round}/${count}`;
      const body = { message: path, content: Buffer.from(path).toString("base64") };
      expectStatus(await send(`${api}/repos/root/notes/contents/${path}`, "root", "POST", body), 201);
      answered.files.push(path);
    }),
    repeat(async (count) => {
      const title = `r${round} ${count}`;
      const body = { title, content_base64: Buffer.from(title).toString("base64") };
      expectStatus(await send(`${api}/repos/root/notes/wiki/new`, "root", "POST", body), 201);
      answered.pages.push(title);
    }),
    repeat(async (count) => {
      const email = `r${round}-${count}@example.com`;
      expectStatus(await send(`${api}/user/emails`, `user${round}`, "POST", { emails: [email] }), 201);
      answered.emails.push(email);
    }),
    repeat(async (count) => {
      // An owner has one fork of a repository.
      const organization = `o${round}-${count}`;
      expectStatus(await send(`${api}/orgs`, "root", "POST", { username: organization }), 201);
      expectStatus(await send(`${api}/repos/root/notes/forks`, "root", "POST", { organization }), 202);
      answered.forks.push(`${organization}/notes`);
    }),
    repeat(async () => {
      const content = random.bytes(20_000);
      const oid = createHash("sha256").update(content).digest("hex");
      const batch = { operation: "upload", objects: [{ oid, size: content.length }] };
      const headers = { accept: lfsType, "content-type": lfsType };
      const planned = await send(`${lfs}/batch`, "root", "POST", batch, headers);
      const { objects } = (await planned.json()) as {
        objects: { actions: { upload: { href: string; header: Record<string, string> } } }[];
      };
      const { href, header } = objects[0]?.actions.upload ?? { href: "", header: {} };
      const put = await fetch(href, { method: "PUT", headers: header, body: Buffer.from(content) });
      expectStatus(put, 200);
      answered.objects.push(oid);
    }),
  ]);
}

function countOf({ tip, ...lists }: Answered): number {
  return Object.values(lists).reduce((sum, { length }) => sum + length, Number(tip !== null));
}

function killDatabase(): void {
  const [pid = ""] = readFileSync(data.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

const openDatabase = () => connectDatabase(configOf({ data: data.path }), silentLogger);

/** Waits until every job is done, so that nothing of one round happens in the next. Answers those that failed for good. */
async function untilIdle(): Promise<{ kind: string; attempts: number; lastError: string | null }[]> {
  await using database = await openDatabase();
  const open = async () => listJobs(database.db, ["waiting", "running"], 1);
  await until("every job is done", async () => (await open()).length === 0);
  const dead = await listJobs(database.db, ["dead"], 10);
  return dead.map(({ kind, attempts, lastError }) => ({ kind, attempts, lastError }));
}

async function mustHave(server: ServerProcess, round: number, answered: Answered): Promise<void> {
  const { repositories, files, pages, emails, objects, forks, tip } = answered;
  for (const name of repositories) {
    expect({ name, status: (await server.api.get(`/repos/root/${name}`)).status }).toEqual({ name, status: 200 });
  }
  for (const name of forks) {
    const { status } = await server.api.get(`/repos/${name}/contents/README.md`);
    expect({ name, status }).toEqual({ name, status: 200 });
  }
  for (const path of files) {
    const { status, body } = await server.api.get<{ content: string }>(`/repos/root/notes/contents/${path}`);
    expect([status, Buffer.from(body.content ?? "", "base64").toString()]).toEqual([200, path]);
  }
  for (const title of pages) {
    const path = `/repos/root/notes/wiki/page/${encodeURIComponent(title)}`;
    const { status, body } = await server.api.get<{ content_base64: string }>(path);
    expect([status, Buffer.from(body.content_base64 ?? "", "base64").toString()]).toEqual([200, title]);
  }
  const listed = await send(`${server.url}/api/v1/user/emails`, `user${round}`, "POST", { emails: ["not one"] });
  expect(listed.status).toBe(422);
  const mailed = new Set(catcher.mails.flatMap(({ to }) => to));
  expect(emails.filter((email) => !mailed.has(email))).toEqual([]);
  for (const oid of objects) {
    const batch = { operation: "download", objects: [{ oid, size: 20_000 }] };
    const type = "application/vnd.git-lfs+json";
    const url = `${server.url}/root/site.git/info/lfs/objects/batch`;
    const planned = await send(url, "root", "POST", batch, { accept: type, "content-type": type });
    const { objects: found } = (await planned.json()) as {
      objects: { actions?: { download: { href: string; header: Record<string, string> } } }[];
    };
    const download = found[0]?.actions?.download;
    const content = await (await fetch(download?.href ?? "", { headers: download?.header ?? {} })).bytes();
    expect(createHash("sha256").update(content).digest("hex")).toBe(oid);
  }
  if (tip !== null) {
    expect(await mustGit(work, ["ls-remote", server.repositoryUrl("site"), "refs/heads/main"])).toStartWith(tip);
  }
}

test(`after ${rounds} times kill -9 during pushes, writes and jobs, outbox, queue, refs and files agree`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  const total = {
    repositories: 0,
    files: 0,
    pages: 0,
    emails: 0,
    objects: 0,
    forks: 0,
    pushes: 0,
    leftJobs: 0,
    interrupted: 0,
  };
  let server = await ServerProcess.start(data.path, settings);
  await server.repository("site");
  expect((await server.api.post("/user/repos", { name: "notes", auto_init: true })).status).toBe(201);
  await makeToken(server, "root");
  for (let round = 1; round <= rounds; round++) {
    const user = { username: `user${round}`, email: `user${round}@example.com`, password, must_change_password: false };
    expect((await server.api.post("/admin/users", user)).status).toBe(201);
    await makeToken(server, user.username);
    expect(await untilIdle()).toEqual([]);
    const tip = await commit(round);
    const before: Before = await (async () => {
      await using database = await openDatabase();
      return { outboxId: await lastOutboxId(database.sql), repositoryId: await lastRepositoryId(database.sql) };
    })();
    const running = server;
    const answered: Answered = {
      repositories: [],
      files: [],
      pages: [],
      emails: [],
      objects: [],
      forks: [],
      tip: null,
    };
    const writing = writeUntilKilled(running, round, tip, answered);
    const answers = random.below(mostAnswers);
    await until("the server has answered", () => countOf(answered) >= answers);
    await untilWorked(running.process.pid, random.below(mostMs));
    running.process.kill("SIGKILL");
    if (random.below(2) === 0) {
      killDatabase();
    }
    await running.process.ended();
    await writing;

    const found = await (async () => {
      await using database = await openDatabase();
      return await findDisagreements(database.sql, data.path, before, new Set(catcher.mails.flatMap(({ to }) => to)));
    })();
    expect({ round, disagreements: found.disagreements }).toEqual({ round, disagreements: [] });
    total.leftJobs += found.jobs;
    total.interrupted += found.lockedJobs;

    server = await ServerProcess.start(data.path, settings);
    expect(await untilIdle()).toEqual([]);
    await mustHave(server, round, answered);
    if (round % 5 === 0 || round === rounds) {
      const clone = scratch.join("clone");
      await checkedRefs(server.repositoryUrl("site"), clone);
      rmSync(clone, { recursive: true });
    }
    total.repositories += answered.repositories.length;
    total.files += answered.files.length;
    total.pages += answered.pages.length;
    total.emails += answered.emails.length;
    total.objects += answered.objects.length;
    total.forks += answered.forks.length;
    total.pushes += Number(answered.tip !== null);
  }
  console.log(`Answered before the kills: ${JSON.stringify(total)}`);
  expect(total.repositories * total.files * total.pages * total.emails * total.objects * total.forks).toBeGreaterThan(
    0,
  );
  expect(await server.process.stop()).toBe(0);
  expect(readdirSync(data.join("tmp"))).toEqual([]);
  expect(await runStithy(["doctor", "--recount", "--data", data.path])).toMatchObject({ code: 0 });
  // At most what each of the five writers was about to name; without it, each file has its row.
  await using database = await openDatabase();
  const packs = packFiles(database.db, data.join("packs"));
  const blobs = blobFiles(database.db, new DiskBlobStore(data.join("blobs"), data.join("tmp")));
  for (const files of [packs, blobs]) {
    const { unknown, names } = await findUnknownFiles(files, 0);
    console.log(`${unknown} ${files.kind} were left that no row names`);
    expect(unknown).toBeLessThanOrEqual(5 * rounds);
    expect(await removeUnknownFiles(files, names)).toBe(unknown);
  }
  expect(await findDisagreements(database.sql, data.path, null, new Set())).toMatchObject({
    disagreements: [],
    jobs: 0,
  });
});

async function lastOutboxId(sql: Awaited<ReturnType<typeof openDatabase>>["sql"]): Promise<number> {
  return Number((await sql`select coalesce(max(id), 0) as id from outbox`)[0]?.["id"]);
}

async function lastRepositoryId(sql: Awaited<ReturnType<typeof openDatabase>>["sql"]): Promise<number> {
  return Number((await sql`select coalesce(max(id), 0) as id from repository`)[0]?.["id"]);
}
