import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { Scratch } from "../support/git.ts";
import { growthDuring } from "../support/process-memory.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** Large files of releases, with the memory that the server's process takes for them, and a server that is killed while one comes. */

const MiB = 1024 * 1024;
const bytes = 2048 * MiB;
const mostGrowth = 80 * MiB;

const scratch = new Scratch();
const data = new OpenDirectory();
const file = scratch.join("large.bin");
let server: ServerProcess;
let token = "";
let at = "";

beforeAll(async () => {
  writeFileSync(file, "at the beginning");
  truncateSync(file, bytes);
  server = await ServerProcess.start(data.path);
  token = (await server.api.post<{ sha1: string }>("/users/root/tokens", { name: "t", scopes: ["all"] })).body.sha1;
  await server.api.post("/user/repos", { name: "large", auto_init: true });
  const { body } = await server.api.post<{ id: number }>("/repos/root/large/releases", { tag_name: "v1" });
  at = `/api/v1/repos/root/large/releases/${body.id}/assets`;
  // The first of everything costs what is there for good.
  writeFileSync(scratch.join("small"), "small");
  await download(await upload("form", scratch.join("small")));
  await upload("body", scratch.join("small"));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

/** Sends a file with curl, and answers where it is. */
async function upload(how: "form" | "body", path: string): Promise<string> {
  const what = how === "form" ? ["-F", `attachment=@${path};filename=${how}`] : ["-X", "POST", "-T", path];
  const headers = ["-H", `authorization: token ${token}`, "-H", "expect:"];
  const curl = Bun.spawn(["curl", "-sS", ...headers, ...what, `${server.url}${at}?name=${how}.bin`], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { browser_download_url: address } = JSON.parse(await curl.stdout.text()) as { browser_download_url: string };
  return address;
}

async function download(address: string): Promise<number> {
  let received = 0;
  for await (const chunk of (await fetch(address)).body ?? []) {
    received += chunk.length;
  }
  return received;
}

test.skipIf(process.platform !== "linux")(
  "2 GB go up and come down within a small part of that in memory",
  async () => {
    const { pid } = server.process;
    let address = "";
    const grown = {
      form: await growthDuring(pid, async () => void (await upload("form", file))),
      body: await growthDuring(pid, async () => void (address = await upload("body", file))),
      down: await growthDuring(pid, async () => expect(await download(address)).toBe(bytes)),
      parts: await growthDuring(pid, async () => {
        for (const start of [0, 1000 * MiB, bytes - 10]) {
          const part = await fetch(address, { headers: { range: `bytes=${start}-${start + 9}` } });
          expect([part.status, (await part.bytes()).length]).toEqual([206, 10]);
        }
      }),
    };
    console.log(
      `2 GB of a release: ${Object.entries(grown)
        .map(([name, more]) => `${name} ${Math.round(more / MiB)} MB more`)
        .join(", ")}`,
    );
    expect(Math.max(...Object.values(grown))).toBeLessThan(mostGrowth);
  },
  300_000,
);

test("a server that is killed while a file comes has nothing of it", async () => {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(
    `POST ${at}?name=killed HTTP/1.1\r\nhost: ${host}\r\nauthorization: token ${token}\r\ncontent-length: ${10 * MiB}\r\n\r\n`,
  );
  socket.write(new Uint8Array(MiB));
  await until("the file comes", () => readdirSync(data.join("tmp")).length > 0);
  process.kill(server.process.pid, "SIGKILL");
  await server[Symbol.asyncDispose]();
  socket.destroy();
  server = await ServerProcess.start(data.path);
  expect(readdirSync(data.join("tmp"))).toEqual([]);
  const response = await fetch(`${server.url}${at}`);
  const names = ((await response.json()) as { name: string }[]).map(({ name }) => name);
  expect([names.includes("killed"), names.length > 0]).toEqual([false, true]);
});
