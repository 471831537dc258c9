import { afterAll, expect, test } from "bun:test";
import { chmodSync, openSync, closeSync, writeSync } from "node:fs";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { RecipeNotes, type PackRecipe } from "../../src/git/transport/pack-recipe.ts";
import { Job } from "../../src/git/job/job.ts";
import { Memo } from "../../src/git/operations/memo.ts";
import { OpenRepository } from "../../src/git/operations/open-repository.ts";
import { fetchPack, type FetchPackArgs } from "../../src/git/operations/fetch-pack.ts";
import { GitFixture } from "./git-fixture.ts";

/** Answers that are too large to be kept are sent again from what was noted of how they were made. */

const fixture = new GitFixture();
const caches = new EngineCaches(16 * 1024 * 1024);
const repository = fixture.repository();
// Half of each file does not compress; the second commit changes the rest, so that files are deltas on those of the first.
const noise = (seed: number): string =>
  Array.from({ length: 60 }, (_, line) => new Bun.CryptoHasher("sha512").update(`${seed} ${line}`).digest("hex")).join(
    "\n",
  );
const file = (number: number, version: number): string => `${noise(number)}\nversion ${version}\n`;
const commit = (version: number): string => {
  const files = Array.from(
    { length: 40 },
    (_, number) =>
      `M 100644 inline folder${number % 4}/file${number}\ndata ${file(number, version).length}\n${file(number, version)}`,
  );
  return `commit refs/heads/main\ncommitter C <c@example.com> ${1_700_000_000 + version} +0000\ndata 1\nm\n${files.join("\n")}\n`;
};
fixture.git(repository, ["fast-import", "--quiet"], commit(1) + commit(2));
fixture.git(repository, ["repack", "-adfq"]);
const packs = fixture.packs(repository);
const head = fixture.git(repository, ["rev-parse", "main"]).toString().trim();

const nothing = new Uint8Array(0);
const request: FetchPackArgs = {
  version: 2,
  wants: Buffer.from(head, "hex"),
  wantedRefs: [],
  haves: [],
  ending: "done",
  shallow: [],
  deepen: { kind: "depth", commits: 1, relative: false },
  filter: null,
  acknowledge: "detailed",
  noDone: false,
  waitForDone: false,
  sideband: 65_520,
  sidebandAll: false,
  thinPack: true,
  ofsDelta: true,
  noProgress: true,
  includeTag: false,
  unadvertised: nothing,
  tips: nothing,
  tags: [],
};
/** Of this much, 3/8 may be one answer. */
const open = new OpenRepository({ key: "1:1", format: "sha1", packs }, caches, new Memo(64 * 1024), null);

afterAll(() => {
  open[Symbol.dispose]();
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

/** The pack of the answer: how it is divided into packets depends on how fast it is read. */
function ask(args: FetchPackArgs = request, repository: OpenRepository = open): Buffer {
  const answer = Buffer.concat(
    Array.from(fetchPack(repository, args, new Job("fetchPack", null, () => {})), (chunk) => chunk?.slice() ?? nothing),
  );
  const parts: Buffer[] = [];
  for (let at = 0, length = 4; at < answer.length; at += Math.max(length, 4)) {
    length = Number.parseInt(answer.toString("latin1", at, at + 4), 16);
    if (length > 4 && answer[at + 4] === 1) {
      parts.push(answer.subarray(at + 5, at + length));
    }
  }
  expect(answer.toString("latin1", answer.length - 4)).toBe("0000");
  return Buffer.concat(parts);
}

/** Runs `work` while no object can be looked for. */
function withoutSelecting<Result>(work: () => Result, { reader: { graph } }: OpenRepository = open): Result {
  graph.treeOf = () => {
    throw new Error("The history is walked");
  };
  try {
    return work();
  } finally {
    Reflect.deleteProperty(graph, "treeOf");
  }
}

test("a large shallow clone is sent again byte for byte, without looking for its objects", () => {
  const first = ask();
  expect(first.length).toBeGreaterThan(100_000);
  expect(withoutSelecting(() => ask()).equals(first)).toBe(true);
  expect(withoutSelecting(() => ask()).equals(first)).toBe(true);
});

test("whether an answer is put aside, is noted as parts of packs, or both were thought possible, it is sent again byte for byte", () => {
  const { length } = ask();
  // From much too little to keep it to more than enough.
  for (const share of [0.5, 0.9, 1.1, 1.9, 2.1, 10]) {
    using repository = new OpenRepository(
      { key: "1:1", format: "sha1", packs },
      caches,
      new Memo((length * share * 8) / 3),
      null,
    );
    const first = ask(request, repository);
    expect(first.equals(ask())).toBe(true);
    expect(withoutSelecting(() => ask(request, repository), repository).equals(first)).toBe(true);
  }
});

test("one byte of another request is another answer", () => {
  ask();
  expect(() => withoutSelecting(() => ask({ ...request, ofsDelta: false }))).toThrow("The history is walked");
});

test("damage that a pack takes meanwhile breaks the answer off", () => {
  ask();
  // Git closes its packs to writing.
  chmodSync(packs[0]!, 0o600);
  const descriptor = openSync(packs[0]!, "r+");
  const at = open.odb.packs[0]!.entriesEnd - 3000;
  writeSync(descriptor, Buffer.alloc(100), 0, 100, at);
  closeSync(descriptor);
  expect(() => ask()).toThrow("are damaged");
});

test("what takes too much memory is not noted, by one pack or by all together", () => {
  const pack = open.odb.packs[0]!;
  const note = (notes: RecipeNotes, parts: number): PackRecipe | null => {
    for (let part = 0; part < parts; part++) {
      notes.copied(pack, 12 + 100 * (part % 2), 20 + 100 * (part % 2));
    }
    return notes.finish();
  };
  using small = new RecipeNotes([pack]);
  expect(note(small, 1000)?.parts.length).toBe(4000);
  using large = new RecipeNotes([pack]);
  expect(note(large, 200_000)).toBeNull();
  const many = Array.from({ length: 20 }, () => new RecipeNotes([pack]));
  const made = many.map((notes) => note(notes, 30_000));
  expect(made.filter((recipe) => recipe !== null).length).toBeGreaterThan(3);
  expect(made.at(-1)).toBeNull();
  many.forEach((notes) => notes[Symbol.dispose]());
  using later = new RecipeNotes([pack]);
  expect(note(later, 30_000)?.packBytes).toBe(240_000);
});
