import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectFilter } from "../../src/git/graph/object-filter.ts";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { selectObjects } from "../../src/git/graph/select-objects.ts";
import { Bitset } from "../../src/git/graph/bitset.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { parseFilter } from "../../src/git/transport/parse-filter.ts";
import { readFilter } from "../../src/git/transport/read-filter.ts";
import { resolveFetch } from "../../src/git/transport/resolve-fetch.ts";
import type { FetchRequest } from "../../src/git/transport/fetch-request.ts";
import { type SeededRandom, randomFrom } from "../support/random.ts";
import { type GeneratedHistory, generateHistory } from "./generated-history.ts";
import { run } from "./transport-server.ts";
import { times } from "../support/thorough.ts";

/** Hundreds of combinations of wants, haves, depths and filters against `git rev-list --objects --filter`, on histories made at random. */

interface Subject {
  readonly history: GeneratedHistory;
  readonly reader: RepositoryReader;
  readonly commits: readonly string[];
}

const caches = new EngineCaches(32 * 1024 * 1024);
const subjects: Subject[] = [];

/** Files with sparse specifications, as commits of their own: nothing else in the history refers to them. */
const specifications = [
  "/*\n!/*/\n",
  "dir/\n",
  "*.txt\n!deep.txt\n",
  "# all\n*\n!/src/\n/src/lib/\n",
  "src/**\n**/sub/*\n",
  "/dir/sub\n\\!x\n[a-c]*\n   \n",
  "*\n",
];

beforeAll(() => {
  for (const seed of [3, 11]) {
    const history = generateHistory(160, seed);
    const tags = history.git("rev-list", "--all", "--max-count=4", "--skip=20").split("\n");
    tags.forEach((oid, index) =>
      history.git("-c", "user.name=A", "-c", "user.email=a@example.org", "tag", "-a", "-m", "t", `tag-${index}`, oid),
    );
    history.git("-c", "user.name=A", "-c", "user.email=a@example.org", "tag", "-a", "-m", "again", "nested", "tag-0");
    for (const [index, text] of specifications.entries()) {
      const path = join(history.directory, `specification-${index}`);
      writeFileSync(path, text);
      history.git("update-ref", `refs/sparse/${index}`, history.git("hash-object", "-w", path));
    }
    history.git("repack", "-adq");
    const pack =
      history.git("for-each-ref", "--count=1") === ""
        ? []
        : Array.from(new Bun.Glob("objects/pack/*.pack").scanSync(history.directory), (name) =>
            join(history.directory, name),
          );
    subjects.push({
      history,
      reader: new RepositoryReader(ObjectDatabase.open(sha1, pack, caches)),
      commits: history.git("rev-list", "--branches").split("\n"),
    });
  }
});

afterAll(() => {
  subjects.forEach(({ reader, history }) => {
    reader[Symbol.dispose]();
    history[Symbol.dispose]();
  });
  caches[Symbol.dispose]();
});

const simple = [
  "blob:none",
  "blob:limit=0",
  "blob:limit=30",
  "blob:limit=1k",
  "tree:0",
  "tree:1",
  "tree:2",
  "tree:3",
  "object:type=commit",
  "object:type=tree",
  "object:type=blob",
  "object:type=tag",
];

function filterAt(subject: Subject, random: SeededRandom): string {
  const kind = random.below(3);
  return kind > 0
    ? simple[random.below(simple.length)]!
    : `sparse:oid=${subject.history.git("rev-parse", `refs/sparse/${random.below(specifications.length)}`)}`;
}

function objectFilter({ history, reader }: Subject, text: string): ObjectFilter | null {
  const refs = history
    .git("for-each-ref", "--format=%(objectname) %(refname)")
    .split("\n")
    .map((line) => ({ oid: line.slice(0, 40), name: line.slice(41), peeled: null }));
  const request = {
    wants: new Uint8Array(0),
    wantedRefs: [],
    haves: [],
    shallow: [],
    ending: "done",
    includeTag: false,
    deepen: null,
    filter: parseFilter(text),
  } as unknown as FetchRequest;
  return run(readFilter(reader, resolveFetch(request, refs, "refs/heads/main", sha1)));
}

/** What we select, as oids. */
function select(
  subject: Subject,
  wants: readonly string[],
  haves: readonly string[],
  filter: ObjectFilter | null,
  shallow: readonly string[] = [],
): Set<string> {
  const { reader } = subject;
  const positions = (oids: readonly string[]): number[] => oids.map((oid) => reader.db.findHex(oid));
  const boundary = shallow.length === 0 ? null : new Bitset(reader.db.size);
  positions(shallow).forEach((position) => boundary?.add(position));
  const { objects, count } = run(
    selectObjects(reader, { wants: positions(wants), haves: positions(haves), boundary, knownBoundary: null, filter }),
  );
  const found = new Set([...objects].map((position) => reader.db.hexAt(position)));
  expect(found.size).toBe(count);
  return found;
}

/** What git lists. */
function list({ history }: Subject, args: readonly string[], shallow: readonly string[] = []): Set<string> {
  const path = join(history.directory, "boundary");
  writeFileSync(path, shallow.map((oid) => `${oid}\n`).join(""));
  const child = Bun.spawnSync(["git", "rev-list", "--objects", "--no-object-names", ...args], {
    cwd: history.directory,
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_NOSYSTEM: "1",
      HOME: history.directory,
      ...(shallow.length > 0 ? { GIT_SHALLOW_FILE: path } : {}),
    },
    stderr: "pipe",
  });
  expect(child.stderr.toString()).toBe("");
  return new Set(child.stdout.toString().split("\n").filter(Boolean));
}

const difference = (left: ReadonlySet<string>, right: ReadonlySet<string>): string[] =>
  [...left].filter((oid) => !right.has(oid)).sort();

function pick({ commits }: Subject, random: SeededRandom): string[] {
  return Array.from({ length: 1 + random.below(3) }, () => commits[random.below(commits.length)]!);
}

const most = times(30, 120);

test("what a filter keeps of whole histories, tags and shallow ones is what git keeps", () => {
  const random = randomFrom(1);
  for (let round = 0; round < most; round++) {
    const subject = subjects[round % subjects.length]!;
    const text = filterAt(subject, random);
    const wants = [
      ...pick(subject, random),
      ...(random.below(4) === 0 ? [subject.history.git("rev-parse", "nested")] : []),
    ];
    const shallow = random.below(3) === 0 ? subject.commits.filter(() => random.below(8) === 0) : [];
    const ours = select(subject, wants, [], objectFilter(subject, text), shallow);
    const theirs = list(subject, [`--filter=${text}`, ...wants], shallow);
    expect([text, shallow.length, difference(ours, theirs), difference(theirs, ours)]).toEqual([
      text,
      shallow.length,
      [],
      [],
    ]);
  }
});

test("of what the haves do not reach nothing is left out that git sends, and nothing added that the filter refuses", () => {
  const random = randomFrom(2);
  for (let round = 0; round < most; round++) {
    const subject = subjects[round % subjects.length]!;
    const text = filterAt(subject, random);
    const [wants, haves] = [pick(subject, random), pick(subject, random)];
    const ours = select(subject, wants, haves, objectFilter(subject, text));
    const held = list(subject, haves);
    const needed = [...list(subject, [`--filter=${text}`, ...wants, "--not", ...haves])].filter(
      (oid) => !held.has(oid),
    );
    expect([text, needed.filter((oid) => !ours.has(oid))]).toEqual([text, []]);
    expect([text, difference(ours, list(subject, [`--filter=${text}`, ...wants]))]).toEqual([text, []]);
  }
});

test("combined filters keep what every part keeps at some place", () => {
  const random = randomFrom(3);
  for (let round = 0; round < most / 2; round++) {
    const subject = subjects[round % subjects.length]!;
    const parts = [filterAt(subject, random), filterAt(subject, random)];
    const wants = pick(subject, random);
    const text = `combine:${parts.map((part) => encodeURIComponent(part)).join("+")}`;
    const ours = select(subject, wants, [], objectFilter(subject, text));
    // git forgets what one part kept at a place where another did not, so that it may list too little.
    expect([text, difference(list(subject, [`--filter=${text}`, ...wants]), ours)]).toEqual([text, []]);
    for (const part of parts) {
      expect([text, part, difference(ours, list(subject, [`--filter=${part}`, ...wants]))]).toEqual([text, part, []]);
    }
  }
});

test("what is wanted by name is sent whatever the filter says, with what the filter keeps of it", () => {
  const subject = subjects[0]!;
  const [tip = ""] = subject.commits;
  const blob = subject.history.git("rev-parse", "refs/sparse/0");
  const tree = subject.history.git("rev-parse", `${tip}^{tree}`);
  expect(select(subject, [blob], [], objectFilter(subject, "blob:none"))).toEqual(new Set([blob]));
  for (const text of ["tree:0", "tree:1", "tree:2", "blob:none", "object:type=blob"]) {
    expect([text, select(subject, [tree], [], objectFilter(subject, text))]).toEqual([
      text,
      list(subject, [`--filter=${text}`, tree]),
    ]);
  }
});

test("what a filter leaves of a closure is remembered, for each filter and as long as the closure is", () => {
  const subject = subjects[0]!;
  const { reader, commits } = subject;
  const wants = [commits.at(-1)!];
  const [none, limit] = ["blob:none", "blob:limit=500"].map((text) => objectFilter(subject, text)!);
  const objects = (filter: ObjectFilter) =>
    run(
      selectObjects(reader, {
        wants: wants.map((oid) => reader.db.findHex(oid)),
        haves: [],
        boundary: null,
        knownBoundary: null,
        filter,
      }),
    ).objects;
  expect(objects(none!)).toBe(objects(none!));
  expect(objects(limit!)).toBe(objects(limit!));
  expect(objects(none!)).not.toBe(objects(limit!));
  expect(new Set([...objects(none!)].map((position) => reader.db.hexAt(position)))).toEqual(
    list(subject, ["--filter=blob:none", ...wants]),
  );
});
