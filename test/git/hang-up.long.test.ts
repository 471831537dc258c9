import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fullNumber } from "../support/full-number.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * Clients that hang up after every number of bytes that they send or read: then nothing is left of them, no work in the
 * engine, no file, no connection to the client or the database, and the next one is served at once.
 */

setDefaultTimeout(600_000);

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "site", { default_branch: "main" });
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
const { host, hostname, port } = new URL(app.url);
const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/site.git`;

const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
for (const name of ["first", "second"]) {
  await Bun.write(join(work, name), `${name}\n`.repeat(100));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", name]);
}
await mustGit(work, ["push", "-q", url, "main~1:refs/heads/main"]);
const [oldOid, newOid] = [await mustGit(work, ["rev-parse", "main~1"]), await mustGit(work, ["rev-parse", "main"])];

const line = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;

function request(service: string, body: Uint8Array, ...headers: string[]): Buffer {
  const head = [
    `POST /alice/site.git/${service} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: token ${alice.token}`,
    `Content-Type: application/x-${service}-request`,
    ...headers,
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), body]);
}

/** The pack that git itself would push. */
const pack = Bun.spawnSync(["git", "pack-objects", "--stdout", "-q", "--revs", "--thin"], {
  cwd: work,
  stdin: Buffer.from(`${newOid}\n^${oldOid}\n`),
}).stdout;
const pushed = Buffer.concat([
  Buffer.from(`${line(`${oldOid} ${newOid} refs/heads/main\0report-status side-band-64k atomic\n`)}0000`),
  pack,
]);
const wanted = Buffer.from(`${line("command=fetch")}0001${line(`want ${oldOid}\n`)}${line("done\n")}0000`);
const chunk = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

const push = request("git-receive-pack", pushed, `Content-Length: ${pushed.length}`);
const pushInChunks = request(
  "git-receive-pack",
  Buffer.concat([chunk(pushed.subarray(0, 150)), chunk(pushed.subarray(150)), Buffer.from("0\r\n\r\n")]),
  "Transfer-Encoding: chunked",
);
const clone = request("git-upload-pack", wanted, `Content-Length: ${wanted.length}`, "Git-Protocol: version=2");

async function open(): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

/** Sends so much of a request, and leaves: in one go, or politely, having said that nothing more will come. */
async function sendAndLeave(bytes: Buffer, politely: boolean): Promise<void> {
  const socket = await open();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  if (politely) {
    socket.end();
  } else {
    socket.resetAndDestroy();
  }
  await closed;
}

/** Reads so many bytes of an answer, or all there are, and leaves. */
async function readAndLeave(bytes: Buffer, count: number): Promise<void> {
  const socket = await open();
  socket.write(bytes);
  let read = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (piece: Buffer) => {
      read += piece.length;
      if (read >= count) {
        socket.pause();
        resolve();
      }
    });
    socket.once("close", () => resolve());
  });
  socket.resetAndDestroy();
}

/** Connections that the server holds open: those with its port that are established, or closed by the other side only. */
function connections(): number {
  const own = `:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/self/net/tcp", "utf8")
    .split("\n")
    .filter((entry) => {
      const [, local = "", , state] = entry.trim().split(/ +/);
      return local.endsWith(own) && (state === "01" || state === "08");
    }).length;
}

/** All numbers below a length, or as many of them as there is time for, with the last ones, where a request is nearly whole. */
function positions(length: number): number[] {
  const every = Math.max(1, Math.ceil(length / fullNumber("STITHY_HANG_UPS")));
  return Array.from({ length }, (_, at) => at).filter((at) => at % every === 0 || at > length - 4);
}

async function expectNothingLeft(): Promise<void> {
  await until("the engine has nothing to do", () => app.forge.git.engine.load === 0);
  await until("no file is left", () => readdirSync(app.forge.files.temporaryDirectory).length === 0);
  // What this process itself keeps open for its next requests is no more than a few.
  await until("the connections are closed", () => connections() <= 3);
  await until("no transaction is open", async () => {
    const [row] = await app.forge.database.sql<
      { open: number }[]
    >`select count(*)::int as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    return row?.open === 0;
  });
  expect((await alice.api.get("/repos/alice/site")).status).toBe(200);
  expect(await mustGit(work, ["ls-remote", url, "refs/heads/main"])).toMatch(new RegExp(`^(${oldOid}|${newOid})\\t`));
}

describe.each([true, false])("politely: %p", (politely) => {
  test.each([
    ["a push", push],
    ["a push in chunks", pushInChunks],
    ["a clone", clone],
  ] as const)("in the middle of %s", async (_, bytes) => {
    const places = positions(bytes.length);
    for (const place of places) {
      await sendAndLeave(bytes.subarray(0, place), politely);
    }
    console.log(`${places.length} of ${bytes.length} places`);
    await expectNothingLeft();
  });
});

test("while a clone is read", async () => {
  const answer = await fetch(`${app.url}/alice/site.git/git-upload-pack`, {
    method: "POST",
    body: wanted,
    headers: {
      "content-type": "application/x-git-upload-pack-request",
      "git-protocol": "version=2",
      authorization: `token ${alice.token}`,
    },
  });
  const { length } = await answer.bytes();
  for (const place of positions(length + 200)) {
    await readAndLeave(clone, place);
  }
  await expectNothingLeft();
});

test("while a clone is read that is larger than what the system keeps for a connection", async () => {
  await app.repository(alice, "large", { default_branch: "main" });
  await Bun.write(
    join(work, "noise"),
    Buffer.concat(Array.from({ length: 192 }, () => crypto.getRandomValues(new Uint8Array(65_536)))),
  );
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", "noise"]);
  await mustGit(work, ["push", "-q", url.replace("site.git", "large.git"), "main"]);
  const large = Buffer.from(
    clone
      .toString("latin1")
      .replace("site.git", "large.git")
      .replace(oldOid, await mustGit(work, ["rev-parse", "main"])),
    "latin1",
  );
  for (let place = 1; place < 10_000_000; place += 500_000) {
    await readAndLeave(large, place);
  }
  await expectNothingLeft();
});

test("a push whose answer is not read is taken all the same, and the refs are those of it", async () => {
  await mustGit(work, ["push", "-q", "--force", url, "main~1:refs/heads/main"]);
  await sendAndLeave(push, true);
  await until("the push is done", async () =>
    (await mustGit(work, ["ls-remote", url, "refs/heads/main"])).startsWith(newOid),
  );
  const checked = scratch.join("checked");
  await mustGit(scratch.path, ["clone", "-q", "--mirror", url, checked]);
  expect(await runGit(checked, ["fsck", "--full", "--strict"])).toMatchObject({ code: 0 });
});
