import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import { blob, commit as rawCommit, oidOf, tree } from "../git/raw-objects.ts";
import { rawPack, type RawEntry } from "../git/raw-pack.ts";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { until } from "../support/until.ts";
import { BesideServer, expectUndisturbed } from "./beside.ts";
import { commitOf, plant } from "./plant.ts";

/** What keeps the threads of the git engine busy, and the queues in front of them full. */

setDefaultTimeout(300_000);

const scratch = new Scratch();
let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  scratch[Symbol.dispose]();
});

const asRoot = { authorization: `Basic ${btoa("root:correct horse battery staple")}` };
const asQuiet = { authorization: `Basic ${btoa("quiet:a long password")}` };
const quietUrl = () => `${server.url.replace("://", "://quiet:a%20long%20password@")}/quiet/garden.git`;

const files = Object.fromEntries(
  Array.from({ length: 4000 }, (_, at) => [`d${at % 40}/e${at % 7}/file${at}.ts`, `${at}`]),
);
let clones = 0;

test.each([
  ["one line of **/", "**/".repeat(80_000)],
  ["1000 lines of stars", `${`*a${"*b".repeat(60)}\n`.repeat(1000)}`],
])("sparse specifications: %s", async (_what, specification) => {
  const url = await plant(server, scratch, `sparse${clones}`, commitOf({ ...files, specification }));
  const seen = await server.during(async () => {
    const runs = Array.from({ length: 4 }, () =>
      runGit(scratch.path, [
        "clone",
        "-q",
        "--bare",
        "--filter=sparse:oid=main:specification",
        url,
        scratch.join(`clone${clones++}`),
      ]),
    );
    for (const { code, stderr } of await Promise.all(runs)) {
      expect(code === 0 ? "" : stderr).toMatch(/^$|The filter cannot be applied/);
    }
  });
  expectUndisturbed(seen);
});

test.each([
  ["one line of **/", `${"**/".repeat(600)} text\n`.repeat(140)],
  ["200 lines of stars", "*a*b*c*d*e text\n".repeat(200)],
])(".gitattributes: %s", async (_what, attributes) => {
  const name = `attributes${clones++}`;
  await plant(server, scratch, name, commitOf({ ...files, ".gitattributes": attributes }));
  const seen = await server.during(async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fetch(`${server.url}/api/v1/repos/root/${name}/archive/main.tar`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await Promise.all(answers.map((answer) => answer.bytes().catch(() => null)));
  });
  expectUndisturbed(seen);
});

test("diffs of two texts of a million lines", async () => {
  const lines = (step: number) => Array.from({ length: 1_000_000 }, (_, at) => (at * step) % 7919).join("\n");
  const url = await plant(server, scratch, "diffs", commitOf({ text: lines(31) }) + commitOf({ text: lines(57) }));
  const oid = (await mustGit(scratch.path, ["ls-remote", url, "main"])).split("\t")[0];
  const seen = await server.during(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`${server.url}/root/diffs/commit/${oid}`)));
    expect(answers.filter(({ status }) => ![200, 413, 429].includes(status))).toEqual([]);
    await Promise.all(answers.map((answer) => answer.bytes()));
  });
  expectUndisturbed(seen);
});

/** A pack of a few KB whose deltas make a file of so many megabytes, so many times. */
function bomb(seed: number, megabytes: number, count: number): { pack: Buffer; tip: string } {
  const size = megabytes * 1024 * 1024;
  const sizes = (value: number) => {
    const bytes: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
      if (rest < 128) {
        return bytes;
      }
    }
  };
  const copy = (from: number, length: number) => [
    0xff,
    from & 255,
    (from >> 8) & 255,
    (from >> 16) & 255,
    from >>> 24,
    length & 255,
    (length >> 8) & 255,
    length >> 16,
  ];
  const half = size / 2;
  const base = Buffer.alloc(size);
  base.writeUInt32BE(seed);
  const root = tree(["100644", "file", blob("content")]);
  const tip = rawCommit(root);
  const entries: RawEntry[] = [
    { kind: ObjectType.blob, data: base },
    ...Array.from({ length: count }, (_, number) => ({
      kind: EntryKind.ofsDelta,
      base: 0,
      data: Uint8Array.from([
        ...sizes(size),
        ...sizes(size + 2),
        ...copy(0, half),
        2,
        number,
        seed,
        ...copy(half, half),
      ]),
    })),
    { kind: ObjectType.blob, data: Buffer.from("content") },
    root,
    tip,
  ];
  expect(tip.kind as number).toBe(ObjectType.commit);
  return { pack: rawPack(entries), tip: oidOf(tip) };
}

// Objects that are in files, and the largest that are in memory.
test.each([
  [20, 90],
  [7, 200],
])("pushes of a few KB that stand for %d MB %d times, beside another's commit", async (megabytes, count) => {
  const name = `bombs${megabytes}`;
  await server.server.repository(name);
  const line = (text: string) => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
  const bodies = [1, 2, 3, 4].map((seed) => {
    const { pack, tip } = bomb(seed, megabytes, count);
    expect(pack.length).toBeLessThan(40_000);
    const command = `${"0".repeat(40)} ${tip} refs/heads/b${seed}\0report-status object-format=sha1\n`;
    return Buffer.concat([Buffer.from(`${line(command)}0000`), pack]);
  });
  const waits: number[] = [];
  const seen = await server.during(async () => {
    const pushes = bodies.map((body) =>
      fetch(`${server.url}/root/${name}.git/git-receive-pack`, {
        method: "POST",
        headers: { ...asRoot, "content-type": "application/x-git-receive-pack-request" },
        body,
      }).then((answer) => answer.text()),
    );
    for (let number = 0; number < 5; number++) {
      const began = performance.now();
      const answer = await fetch(`${server.url}/api/v1/repos/quiet/garden/contents/${name}-${number}`, {
        method: "POST",
        headers: { ...asQuiet, "content-type": "application/json" },
        body: JSON.stringify({ content: btoa(`${number}`), message: "beside" }),
      });
      expect(answer.status).toBe(201);
      waits.push(Math.round(performance.now() - began));
    }
    for (const text of await Promise.all(pushes)) {
      expect(text).toMatch(/ok refs\/heads|too-large|more than/);
    }
  });
  console.log(`another's commits took ${waits.join(", ")} ms, and the server held ${Math.round(seen.memory / 1e6)} MB`);
  expect(Math.max(...waits)).toBeLessThan(10_000);
  expectUndisturbed(seen);
});

/** Sends a request of which no more than the first bytes of its answer are read. */
function askWithoutReading(request: string): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(request);
  return socket;
}

const begun = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.once("readable", () => resolve(String(socket.read(12) ?? "")));
    socket.once("close", () => resolve("closed"));
  });

test("fetches that nobody reads, all from one address, leave room for others", async () => {
  // Random bytes, so that nothing of an answer is whole in what the system takes for a socket.
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString("base64");
  const url = await plant(server, scratch, "large", commitOf({ large: noise.repeat(60) + clones, more: noise }));
  const oid = (await mustGit(scratch.path, ["ls-remote", url, "main"])).split("\t")[0];
  const want = `0032want ${oid}\n`;
  const body = `0011command=fetch0001${want}0009done\n0000`;
  const sockets: Socket[] = [];
  const seen = await server.during(async () => {
    for (let count = 0; count < 600; count++) {
      sockets.push(
        askWithoutReading(
          `POST /root/large.git/git-upload-pack HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-git-upload-pack-request\r\n` +
            `Git-Protocol: version=2\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      );
    }
    await Promise.all(sockets.slice(0, 20).map(begun));
    for (let number = 0; number < 5; number++) {
      await mustGit(scratch.path, ["clone", "-q", "--bare", quietUrl(), scratch.join(`quiet${clones++}`)]);
    }
  });
  sockets.forEach((socket) => socket.destroy());
  expectUndisturbed(seen);
});

test("archives that are read slowly leave places for others, and no answer is empty", async () => {
  await plant(
    server,
    scratch,
    "packed",
    commitOf({ large: crypto.getRandomValues(new Uint8Array(4096)).toBase64().repeat(800) }),
  );
  const sockets = Array.from({ length: 40 }, () =>
    askWithoutReading(`GET /api/v1/repos/root/packed/archive/main.tar HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  );
  let answered = 0;
  sockets.forEach((socket) => void begun(socket).then(() => answered++));
  await until("those with a place are answered", () => answered >= 8);
  const answer = await fetch(`${server.url}/api/v1/repos/quiet/garden/archive/main.tar`, { headers: asQuiet });
  const bytes = await answer.bytes();
  expect([answer.status, bytes.length >= 10_240]).toEqual([200, true]);
  sockets.forEach((socket) => socket.destroy());
});
