import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { GitEngine } from "../../src/git/engine.ts";
import { CorruptPack } from "../../src/git/pack/errors.ts";
import { Job } from "../../src/git/job/job.ts";
import { readBlob } from "../../src/git/operations/read-blob.ts";
import { RepositoryCache } from "../../src/git/workers/repository-cache.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";

/* Files beyond what is held, whole and as deltas on each other, through the workers as a download takes them. */
const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 8 << 20,
  log: silentLogger,
});
const versions: { oid: string; bytes: Buffer }[] = [];
let pack = "";

beforeAll(() => {
  const random = randomFrom(5);
  const repository = fixture.repository();
  const part = Buffer.from(random.bytes(1 << 20));
  const first = Buffer.concat(
    Array.from({ length: 10 }, (_, number) => Buffer.concat([Buffer.from(`part ${number}`), part])),
  );
  for (const bytes of [
    first,
    Buffer.concat([first.subarray(0, 5e6), Buffer.from("between"), first.subarray(5e6)]),
    Buffer.concat([first, Buffer.from("at the end")]),
  ]) {
    versions.push({ oid: fixture.git(repository, ["hash-object", "-w", "--stdin"], bytes).toString().trim(), bytes });
  }
  const name = fixture.path("large");
  const packed = fixture.git(
    repository,
    ["-c", "core.bigFileThreshold=1g", "pack-objects", "-q", "--window=10", name],
    `${versions.map(({ oid }) => `${oid} large`).join("\n")}\n`,
  );
  pack = `${name}-${packed.toString().trim()}.pack`;
  expect(fixture.git(repository, ["verify-pack", "-v", pack]).toString()).toContain("chain length = ");
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

let opened = 0;
const viewOf = (path: string): RepositoryView => ({ key: `${++opened}:1`, format: "sha1", packs: [path] });

async function download(view: RepositoryView, oid: string, start = 0, end = Number.POSITIVE_INFINITY): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(engine.stream(view, "readBlob", { oid, start, end })));
}

function spilledFiles(): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes(".spilled");
    } catch {
      return false;
    }
  }).length;
}

test("several are downloaded at once, whole and in part", async () => {
  const view = viewOf(pack);
  const ranges = [
    [0, 1],
    [4_999_990, 5_000_020],
    [10_485_700, Number.POSITIVE_INFINITY],
    [131_072, 262_144],
  ] as const;
  await Promise.all(
    versions.flatMap(({ oid, bytes }) => [
      download(view, oid).then((read) => expect(read.equals(bytes)).toBe(true)),
      ...ranges.map(([start, end]) =>
        download(view, oid, start, end).then((read) => expect(read.equals(bytes.subarray(start, end))).toBe(true)),
      ),
    ]),
  );
});

test("a reader that is slow is given no more than it may have, and others have their turns meanwhile", () => {
  using cache = new RepositoryCache(8 << 20);
  using lease = cache.acquire(viewOf(pack));
  const job = new Job("readBlob", null, () => {});
  job.windowBytes = 16 * 1024;
  for (const { oid, bytes } of versions) {
    let steps = 0;
    let read = 0;
    for (const piece of readBlob(lease.repository, { oid, start: 9e6, end: bytes.length }, job)) {
      steps++;
      read += piece?.length ?? 0;
      expect(piece?.length ?? 0).toBeLessThanOrEqual(job.pieceBytes);
    }
    expect(read).toBe(bytes.length - 9e6);
    // Also while it passes over what is not wanted, and while it makes what a delta is applied to.
    expect(steps).toBeGreaterThan(bytes.length / 200_000);
  }
});

test.if(process.platform === "linux")(
  "a client that hangs up leaves no file behind, and one that comes back soon finds what was made",
  async () => {
    using cache = new RepositoryCache(8 << 20);
    using lease = cache.acquire(viewOf(pack));
    const job = new Job("readBlob", null, () => {});
    job.windowBytes = 1 << 20;
    const begin = ({ oid, bytes }: (typeof versions)[number], count: number): Generator => {
      const reading = readBlob(
        lease.repository,
        { oid, start: bytes.length - 1, end: bytes.length, isHint: true },
        job,
      );
      for (let step = 0; step < count; step++) {
        reading.next();
      }
      return reading;
    };
    // Other tests of this process may have some, which go.
    const before = spilledFiles();
    for (const count of [0, 1, 5]) {
      versions.forEach((version) => begin(version, count).return(undefined));
      expect(spilledFiles()).toBeLessThanOrEqual(before);
    }
    const steps = versions.map((version) => [begin(version, 0).toArray().length, begin(version, 0).toArray().length]);
    // Of the one that is stored whole, nothing is made.
    expect(steps.filter(([first, second]) => second! < first! * 0.7).length).toBeGreaterThan(0);
  },
);

test("a download is broken off where the file is damaged, and is never whole", async () => {
  const random = randomFrom(17);
  const bytes = readFileSync(pack);
  for (let round = 0; round < 4; round++) {
    const damaged = fixture.path("damaged.pack");
    copyFileSync(pack.replace(/\.pack$/, ".idx"), damaged.replace(/\.pack$/, ".idx"));
    const copy = Buffer.from(bytes);
    // Nearly all of the pack is the one that is stored whole, which the others are built on.
    copy[1000 + random.below(bytes.length - 2000)]! ^= 1 << random.below(8);
    writeFileSync(damaged, copy);
    const view = viewOf(damaged);
    for (const { oid, bytes: expected } of versions) {
      let read = 0;
      const reading = (async () => {
        for await (const chunk of engine.stream(view, "readBlob", { oid, start: 0, end: Number.POSITIVE_INFINITY })) {
          read += chunk.length;
        }
      })();
      await expect(reading).rejects.toBeInstanceOf(CorruptPack);
      expect(read).toBeLessThan(expected.length);
    }
  }
});
