import { afterAll, expect, spyOn, test } from "bun:test";
import { chmodSync, truncateSync } from "node:fs";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { packOids } from "../../src/git/objects/oid-list.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { CorruptPack } from "../../src/git/pack/errors.ts";
import type { ResolvedFetch } from "../../src/git/transport/fetch-request.ts";
import { sideband64k } from "../../src/git/wire/sideband.ts";
import { Job } from "../../src/git/job/job.ts";
import { Memo } from "../../src/git/operations/memo.ts";
import { OpenRepository } from "../../src/git/operations/open-repository.ts";
import { fetchPack } from "../../src/git/operations/fetch-pack.ts";
import { generateHistory } from "./generated-history.ts";

/** The next to ask for what was answered with a pack as it lies on disk: without looking for anything. */

const history = generateHistory(200);
const caches = new EngineCaches(8 * 1024 * 1024);
const repository = new OpenRepository(
  { key: "1:1", format: "sha1", packs: history.packs },
  caches,
  new Memo(1024 * 1024),
  null,
);
afterAll(() => {
  repository[Symbol.dispose]();
  caches[Symbol.dispose]();
  history[Symbol.dispose]();
});

const refs = history.git("for-each-ref", "--format=%(objectname)").split("\n");
const none = new Uint8Array(0);
const whole: ResolvedFetch = {
  version: 2,
  wants: packOids(refs, sha1),
  wantedRefs: [],
  haves: [],
  ending: "done",
  shallow: [],
  deepen: null,
  filter: null,
  acknowledge: "detailed",
  noDone: false,
  waitForDone: false,
  sideband: sideband64k,
  sidebandAll: false,
  thinPack: false,
  ofsDelta: true,
  noProgress: false,
  includeTag: false,
  unadvertised: none,
  tips: none,
  tags: [],
};

function answer(request: ResolvedFetch): Generator<Uint8Array | undefined, void> {
  const job = new Job("fetchPack", null, () => {});
  job.windowBytes = 16_384;
  return fetchPack(repository, request, job);
}

function read(request: ResolvedFetch): Buffer {
  const chunks: Buffer[] = [];
  for (const chunk of answer(request)) {
    // Each is gone when the next one is asked for.
    chunks.push(Buffer.from(chunk ?? none));
  }
  return Buffer.concat(chunks);
}

test("is given the same bytes, and who asks for something else is not", () => {
  const closures = spyOn(repository.reader.closures, "of");
  const first = read(whole);
  const again = read(structuredClone(whole));
  expect(closures).toHaveBeenCalledTimes(1);
  expect(first.includes("Counting objects")).toBe(true);
  expect(again.equals(first)).toBe(true);

  const quiet = read({ ...whole, noProgress: true });
  expect(quiet.includes("Counting objects")).toBe(false);
  expect(quiet.length).toBeLessThan(first.length);
  const fewer = read({ ...whole, wants: packOids([history.git("rev-parse", "main~50")], sha1) });
  expect(fewer.length).toBeLessThan(first.length - 1000);
  const narrow = read({ ...whole, sideband: 1000 });
  expect(narrow.length).toBeGreaterThan(first.length);
  expect(read({ ...whole, sideband: 1000 }).equals(narrow)).toBe(true);
  // Nothing of any of them is in the way of another.
  expect(read(whole).equals(first)).toBe(true);
  closures.mockRestore();
});

test("is told, too, when the pack cannot be read", () => {
  const [path = ""] = history.packs;
  read(whole);
  // Git closes its packs to writing.
  chmodSync(path, 0o600);
  truncateSync(path, 1000);
  const chunks: Buffer[] = [];
  expect(() => {
    for (const chunk of answer(whole)) {
      chunks.push(Buffer.from(chunk ?? none));
    }
  }).toThrow(CorruptPack);
  expect(Buffer.concat(chunks).toString("latin1")).toContain("\u0003The server failed to read this repository");
});
