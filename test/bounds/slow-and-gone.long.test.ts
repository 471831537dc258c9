import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setInterval } from "node:timers/promises";
import { growthDuring, residentBytes } from "../support/process-memory.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** Clients that send slowly, and clients that leave. */

const data = new OpenDirectory();
let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start(data.path, {
    STITHY_SERVER__IDLE_TIMEOUT_SECONDS: "2",
    STITHY_LOG__LEVEL: "debug",
    STITHY_MARKDOWN__TIME_LIMIT_MILLISECONDS: "30000",
  });
  await server.repository("site");
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
});

const authorization = `Authorization: Basic ${btoa("root:correct horse battery staple")}\r\n`;
const json = "Content-Type: application/json\r\n";
const gitFetch = "Content-Type: application/x-git-upload-pack-request\r\nGit-Protocol: version=2\r\n";
const gitPush = "Content-Type: application/x-git-receive-pack-request\r\n";
const form = "Content-Type: application/x-www-form-urlencoded\r\n";

const object = randomFrom(1).bytes(140_000);
const oid = new Bun.CryptoHasher("sha256").update(object).digest("hex");
const commands = Buffer.from("0014command=ls-refs\n0015agent=test/0.0.00010000");
const content = Buffer.from(JSON.stringify({ content: "aaaa".repeat(400_000), message: "slow" }));

function open(head: string): { socket: Socket; answer: () => string; isClosed: () => boolean } {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  let closed = false;
  socket.on("data", (bytes) => (text += bytes.toString("latin1")));
  socket.on("error", () => {});
  socket.on("close", () => (closed = true));
  socket.write(head.replace("\r\n", ` HTTP/1.1\r\nHost: ${host}\r\n`));
  return { socket, answer: () => text, isClosed: () => closed };
}

/** Resolves when the system has taken all that was written. */
function send(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error))),
  );
}

/** Longer than the server waits for a silent client, with its clock's steps of four seconds; milliseconds. */
const long = 14_000;
/** Longer than one idle timeout, and less than the four that a small body may take; milliseconds. */
const longForSmall = 7000;

/** By what is sent: the head without the length, the body, the status of the answer, and how long it is under way. */
const uploads: [string, string, Uint8Array, number, number][] = [
  [
    "a small body",
    `POST /api/v1/markdown/raw\r\nContent-Type: text/plain\r\n`,
    Buffer.from("x".repeat(140)),
    200,
    longForSmall,
  ],
  [
    "a large body",
    `POST /api/v1/markdown/raw\r\nContent-Type: text/plain\r\n`,
    Buffer.from("word word\n\n".repeat(13_000)),
    200,
    long,
  ],
  ["a file", `POST /api/v1/repos/root/site/contents/a\r\n${authorization}${json}`, content, 201, long],
  ["an LFS object", `PUT /root/site.git/info/lfs/objects/${oid}\r\n${authorization}`, object, 200, long],
  [
    "commands of git",
    `POST /root/site.git/git-upload-pack\r\n${authorization}${gitFetch}`,
    commands,
    200,
    longForSmall,
  ],
  ["a push", `POST /root/site.git/git-receive-pack\r\n${authorization}${gitPush}`, Buffer.from("0000"), 200, long],
];

async function sendSlowly([, head, body, , milliseconds]: (typeof uploads)[number]): Promise<string> {
  const { socket, answer, isClosed } = open(`${head}Content-Length: ${body.length}\r\n\r\n`);
  const pieces = Math.min(14, body.length);
  const piece = (index: number) => body.subarray((body.length * index) / pieces, (body.length * (index + 1)) / pieces);
  socket.write(piece(0));
  let sent = 1;
  // How long it is under way is what this is about: a piece at each tick.
  for await (const _ of setInterval(milliseconds / pieces)) {
    if (sent === pieces || isClosed()) {
      break;
    }
    socket.write(piece(sent++));
  }
  await until("there is an answer", () => answer().includes("\r\n\r\n") || isClosed());
  socket.destroy();
  return answer().slice(0, 12);
}

// Both of these wait, so they do it at once.
test.concurrent("an upload that comes slowly is taken", async () => {
  const statuses = await Promise.all(uploads.map(sendSlowly));
  expect(Object.fromEntries(uploads.map(([name], index) => [name, statuses[index]]))).toEqual(
    Object.fromEntries(uploads.map(([name, , , status]) => [name, `HTTP/1.1 ${status}`])),
  );
});

test.concurrent("a client that is silent is cut off", async () => {
  const { isClosed, socket } = open(
    `POST /api/v1/markdown/raw\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n\r\n`,
  );
  socket.write("x".repeat(1000));
  await until("the connection is closed", isClosed);
});

test("four thousand bodies that stop before their end hold a bounded memory", async () => {
  const body = "x".repeat(60_000);
  const head = `POST /api/v1/markdown/raw\r\nContent-Type: text/plain\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
  const { pid } = server.process;
  const before = residentBytes(pid);
  const opened: ReturnType<typeof open>[] = [];
  const growth = await growthDuring(
    pid,
    async () => {
      for (let count = 0; count < 4000; count += 100) {
        const some = Array.from({ length: 100 }, () => open(head));
        opened.push(...some);
        await Promise.all(some.map(({ socket }) => send(socket, body).catch(() => {})));
      }
      // Somebody else is answered meanwhile.
      expect((await server.api.get("/user")).status).toBe(200);
    },
    before,
  );
  const refused = opened.filter(({ answer }) => answer().startsWith("HTTP/1.1 429")).length;
  opened.forEach(({ socket }) => socket.destroy());
  console.log(`${refused} of 4000 refused, ${Math.round(growth / 1e6)} MB more than before`);
  expect(growth).toBeLessThan(200e6);
});

/** Lines of the log from `from` on that say that something went wrong. */
function faults(from: number): string[] {
  return server.process.stderr
    .slice(from)
    .split("\n")
    .filter((line) => /"level":"(error|warn)"/.test(line));
}

const leaving: [string, string][] = [
  ...uploads.map(([name, head]): [string, string] => [name, head]),
  ["a form", `POST /user/login\r\n${form}`],
  [
    "the batch of LFS",
    `POST /root/site.git/info/lfs/objects/batch\r\n${authorization}${json}Accept: application/json\r\n`,
  ],
];

test.each(leaving)("a client that leaves while it sends %s is no fault", async (_, head) => {
  const [, path = ""] = head.split(/[ \r]/);
  const from = server.process.stderr.length;
  for (const length of ["Content-Length: 60000", "Content-Length: 2000000", "Transfer-Encoding: chunked"]) {
    const { socket } = open(`${head}${length}\r\n\r\n`);
    await send(socket, length.startsWith("Tr") ? "64\r\n" + "x".repeat(50) : "x".repeat(2));
    // By the time that the same user's next requests are answered, this one was identified and its body is waited for.
    await server.api.get("/user");
    await server.api.get("/user");
    socket.destroy();
  }
  await until(
    "all requests are over",
    () => (server.process.stderr.slice(from).match(new RegExp(`"path":"${path}"`, "g"))?.length ?? 0) >= 3,
  );
  expect(faults(from)).toEqual([]);
});

test.each([
  "/api/v1/repos/root/site",
  "/root/site",
  "/root/site.git/info/refs?service=git-upload-pack",
  "/api/v1/version",
])("a client that leaves before %s is answered is no fault", async (path) => {
  const from = server.process.stderr.length;
  const moments: readonly ((socket: Socket) => unknown)[] = [
    () => {},
    (socket) => once(socket, "connect"),
    (socket) => send(socket, ""),
    () => server.health(),
  ];
  for (let time = 0; time < 20; time++) {
    const { socket } = open(`GET ${path}\r\n${authorization}\r\n`);
    await moments[time % moments.length]?.(socket);
    socket.destroy();
  }
  expect(await server.health()).toBe(200);
  expect(faults(from)).toEqual([]);
});
