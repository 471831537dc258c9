import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fullNumber } from "../support/full-number.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { growthDuring } from "../support/process-memory.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";

/** What a client sends or leaves unread does not add up in the server's memory. */

setDefaultTimeout(300_000);

const MiB = 1024 * 1024;
const scratch = new Scratch();
const data = new OpenDirectory();
let server: ServerProcess;
let token = "";

beforeAll(async () => {
  server = await ServerProcess.start(data.path);
  const { body } = await server.api.post<{ sha1: string }>("/users/root/tokens", { name: "memory", scopes: ["all"] });
  token = body.sha1;
  // The first of everything costs what is there for good: workers, compiled code.
  const work = await noise("warm", 1);
  await mustGit(work, ["push", "-q", await server.repository("warm"), "main"]);
  await mustGit(scratch.path, ["clone", "-q", server.repositoryUrl("warm"), "warm-clone"]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

/** A repository with a commit of files of a megabyte each that do not compress. */
async function noise(name: string, megabytes: number): Promise<string> {
  const path = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", path]);
  for (let file = 0; file < megabytes; file++) {
    writeFileSync(
      join(path, `file-${file}`),
      Buffer.concat(Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(65_536)))),
    );
  }
  await mustGit(path, ["config", "core.compression", "0"]);
  await mustGit(path, ["add", "-A"]);
  await mustGit(path, ["commit", "-q", "-m", "noise"]);
  return path;
}

const growthWhile = (work: () => Promise<void>): Promise<number> => growthDuring(server.process.pid, work);

/** A connection on which a request's head has been sent. */
function send(method: string, path: string, headers: Record<string, string>): Socket {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return socket;
}

/** Sends a chunked body of so many bytes as fast as it is taken, answer or not; answers the status and what was taken. */
async function sendForever(headers: Record<string, string>, bytes: number): Promise<{ status: number; sent: number }> {
  const socket = send("POST", "/api/v1/user/repos", {
    "content-type": "application/json",
    "transfer-encoding": "chunked",
    ...headers,
  });
  let answer = "";
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (piece) => {
      answer += piece.toString("latin1");
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const piece = `10000\r\n${"[".repeat(65_536)}\r\n`;
  let sent = 0;
  while (sent < bytes && !socket.destroyed) {
    sent += 65_536;
    if (!socket.write(piece)) {
      await Promise.race([closed, new Promise<void>((resolve) => socket.once("drain", resolve))]);
    }
  }
  await Promise.race([answered, closed]);
  socket.destroy();
  return { status: Number(answer.split(" ")[1]), sent };
}

test("a JSON body of 400 MB, of unknown length, from nobody and from somebody", async () => {
  for (const [headers, status] of [
    [{}, 401],
    [{ authorization: `token ${token}` }, 413],
  ] as const) {
    const growth = await growthWhile(async () => {
      const answer = await sendForever(headers, 400 * MiB);
      console.log(`${answer.status} for ${Math.round(answer.sent / MiB)} MB`);
      expect(answer.status).toBe(status);
    });
    console.log(`${Math.round(growth / MiB)} MB more`);
    expect(growth).toBeLessThan(60 * MiB);
  }
});

const megabytes = fullNumber("STITHY_PACK_MEGABYTES");

test(`a push of ${megabytes} MB that does not compress, while the API goes on answering`, async () => {
  const work = await noise("large", megabytes);
  const url = await server.repository("large");
  let answered = 0;
  const growth = await growthWhile(async () => {
    const over = new AbortController();
    const push = mustGit(work, ["push", "-q", url, "main"]).finally(() => over.abort());
    while (!over.signal.aborted) {
      const { status } = await server.api.get("/repos/root/large");
      expect(status).toBe(200);
      answered++;
    }
    await push;
  });
  console.log(`${Math.round(growth / MiB)} MB more, ${answered} requests answered`);
  expect(answered).toBeGreaterThan(20);
  // The indexing arena and the caches are 130 MB; a pack held whole would be its size more.
  expect(growth).toBeLessThan(180 * MiB);
});
