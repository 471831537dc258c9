import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, truncateSync, watch, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { mustGit, Scratch } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { hasGitLfs, LfsWorkTree } from "./lfs-client.ts";
import { LfsClient, sha256 } from "./raw-lfs.ts";

/** Large objects, interrupted ones, and a server that is killed while one arrives. */

const MiB = 1024 * 1024;
const scratch = new Scratch();
const data = new OpenDirectory();
let server: ServerProcess;
let token = "";

beforeAll(async () => {
  server = await ServerProcess.start(data.path);
  await server.repository("large");
  token = (await server.api.post<{ sha1: string }>("/users/root/tokens", { name: "lfs", scopes: ["all"] })).body.sha1;
  // The first of everything costs what is there for good.
  await client().put(sha256("warm"), "warm");
  await (await client().get(sha256("warm"))).text();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const client = (url = server.url) => LfsClient.of({ url }, "root/large", token);

/** A file of so many bytes with something at its begin, and its SHA-256. */
async function largeFile(name: string, bytes: number): Promise<{ path: string; oid: string; bytes: number }> {
  const path = scratch.join(name);
  writeFileSync(path, name);
  truncateSync(path, bytes);
  return { path, oid: await hashOf(Bun.file(path).stream()), bytes };
}

async function hashOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of stream) {
    hasher.update(chunk);
  }
  return hasher.digest("hex");
}

/** By how many bytes the most that the server's process held at once, while `work` ran, is above what it held before. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const status = (field: string) =>
    1024 *
    Number(
      new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))?.[1],
    );
  const before = status("VmRSS");
  // Makes the kernel forget the highest value so far.
  writeFileSync(`/proc/${server.process.pid}/clear_refs`, "5");
  await work();
  return status("VmHWM") - before;
}

/** Sends an upload by hand: its head, then content as fast as it is taken, as long as the connection lives. */
function startUpload(oid: string, bytes: number): Socket {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(
    `PUT /root/large.git/info/lfs/objects/${oid} HTTP/1.1\r\nhost: ${host}\r\nauthorization: token ${token}\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  return socket;
}

test.skipIf(process.platform !== "linux")(
  "200 MB go up and come down within a small part of that in memory, a client that does not read included",
  async () => {
    const { path, oid, bytes } = await largeFile("two hundred", 200 * MiB);
    const up = await growthDuring(async () => {
      expect((await client().put(oid, Bun.file(path).stream(), { "content-length": String(bytes) })).status).toBe(200);
    });
    const down = await growthDuring(async () => {
      const response = await client().get(oid);
      expect([response.headers.get("content-length"), await hashOf(response.body ?? new ReadableStream())]).toEqual([
        String(bytes),
        oid,
      ]);
    });
    const unread = await growthDuring(async () => {
      const { hostname, port, host } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      socket.once("readable", () => resolve());
      socket.write(
        `GET /root/large.git/info/lfs/objects/${oid} HTTP/1.1\r\nhost: ${host}\r\nauthorization: token ${token}\r\n\r\n`,
      );
      await begun;
      // Others are served meanwhile.
      for (let count = 0; count < 20; count++) {
        expect(await (await client().get(sha256("warm"))).text()).toBe("warm");
      }
      socket.destroy();
    });
    console.log(
      `200 MB of LFS: ${Math.round(up / MiB)} MB more up, ${Math.round(down / MiB)} MB down, ${Math.round(unread / MiB)} MB unread`,
    );
    expect(up).toBeLessThan(80 * MiB);
    expect(down).toBeLessThan(80 * MiB);
    expect(unread).toBeLessThan(80 * MiB);
  },
);

test("an upload whose client leaves is gone with it", async () => {
  const socket = startUpload(sha256("never"), 5 * MiB);
  socket.write(new Uint8Array(MiB));
  await until("the object arrives", () => readdirSync(data.join("tmp")).length > 0);
  socket.destroy();
  await until("nothing of it is left", () => readdirSync(data.join("tmp")).length === 0);
  expect((await client().get(sha256("never"))).status).toBe(404);
});

/** A way to the server that breaks off the first answer to a GET of an object after so many bytes, and notes the ranges asked for. */
async function breakingProxy(afterBytes: number) {
  const { port } = new URL(server.url);
  const ranges: string[] = [];
  let broken = false;
  const proxy = createServer((incoming) => {
    const upstream = connect(Number(port), "127.0.0.1");
    let passed = 0;
    let isDownload = false;
    incoming.on("data", (bytes) => {
      const head = bytes.toString("latin1");
      isDownload ||= head.startsWith("GET ") && head.includes("/info/lfs/objects/");
      ranges.push(...(/^range: (.*?)\r$/im.exec(head)?.slice(1) ?? []));
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      passed += bytes.length;
      if (isDownload && !broken && passed > afterBytes) {
        broken = true;
        incoming.write(Buffer.from(bytes).subarray(0, 1000), () => incoming.destroy());
        upstream.destroy();
      } else {
        incoming.write(bytes);
      }
    });
    for (const [one, other] of [
      [incoming, upstream],
      [upstream, incoming],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.end());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: own } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    ranges,
    wasBroken: () => broken,
    [Symbol.dispose]: () => void proxy.close(),
  };
}

test.skipIf(!hasGitLfs)("git-lfs goes on where a download was interrupted", async () => {
  await server.repository("resume");
  using tree = await LfsWorkTree.create(server.repositoryUrl("resume"));
  const content = crypto.getRandomValues(new Uint8Array(65_536));
  const large = Buffer.concat(
    Array.from({ length: 160 }, (_, index) => Buffer.concat([content, Buffer.from(String(index))])),
  );
  tree.write("large.bin", large);
  await tree.commit("large");
  await tree.git("push", "-q", "origin", "main");

  using proxy = await breakingProxy(4 * MiB);
  using clone = await LfsWorkTree.clone(server.repositoryUrl("resume"), { skipContent: true });
  await clone.git("remote", "set-url", "origin", server.repositoryUrl("resume", proxy.url));
  await clone.git("lfs", "pull");
  expect(proxy.wasBroken()).toBe(true);
  expect(proxy.ranges).toEqual([expect.stringMatching(/^bytes=\d{4,}-/)]);
  expect(Buffer.compare(readFileSync(clone.join("large.bin")), large)).toBe(0);
});

test("a server that is killed while an object arrives has it whole or not at all", async () => {
  const content = crypto.getRandomValues(new Uint8Array(50_000));
  const oid = sha256(content);
  /** Where in the upload the server is killed. */
  const moments: ((socket: Socket) => Promise<void>)[] = [
    async (socket) => {
      socket.write(content.subarray(0, 20_000));
      await until("the object arrives", () =>
        readdirSync(data.join("tmp")).some((name) => statSync(data.join("tmp", name)).size > 0),
      );
    },
    async (socket) => {
      const { promise: published, resolve } = Promise.withResolvers<void>();
      const watcher = watch(data.join("blobs"), { recursive: true }, () => resolve());
      socket.write(content);
      await published;
      watcher.close();
    },
  ];
  for (const reach of moments) {
    const socket = startUpload(oid, content.length);
    await reach(socket);
    process.kill(server.process.pid, "SIGKILL");
    await server[Symbol.asyncDispose]();
    socket.destroy();
    server = await ServerProcess.start(data.path);
    expect(readdirSync(data.join("tmp"))).toEqual([]);
    const found = await client().get(oid);
    const planned = await client().ask("upload", oid, content.length);
    expect([found.status, planned.actions === undefined]).toEqual(found.status === 200 ? [200, true] : [404, false]);
    expect(found.status === 200 ? sha256(await found.bytes()) : oid).toBe(oid);
  }
  expect((await client().put(oid, content)).status).toBe(200);
  expect(sha256(await (await client().get(oid)).bytes())).toBe(oid);
});

test.skipIf(!hasGitLfs)("a push of pointers whose objects were never uploaded is taken, as git takes it", async () => {
  await server.repository("pointers");
  using tree = await LfsWorkTree.create(server.repositoryUrl("pointers"));
  tree.write("a.bin", "content that stays at home");
  await tree.commit("pointer only");
  await mustGit(tree.path, ["push", "-q", "--no-verify", "origin", "main"]);
  expect(await mustGit(tree.path, ["ls-remote", "--heads", "origin"])).toContain("refs/heads/main");
});
