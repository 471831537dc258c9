import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { EditConflict, InvalidEdit } from "../../src/git/edit/errors.ts";
import type { FileChange } from "../../src/git/edit/apply-changes.ts";
import { GitEngine } from "../../src/git/engine.ts";
import { MissingObject } from "../../src/git/odb/object-database.ts";
import { PackRejected } from "../../src/git/pack/errors.ts";
import type { CommitChangesResult } from "../../src/git/operations/commit-changes.ts";
import type { IndexPackArgs } from "../../src/git/operations/index-received-pack.ts";
import { publishPack, type StagedPack } from "../../src/git/pack/staged-pack.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { generateHistory, type GeneratedHistory } from "./generated-history.ts";

let history: GeneratedHistory;
let engine: GitEngine;
let main = "";
let destination = { directory: "", temporary: "" };
let view: RepositoryView;

beforeAll(() => {
  history = generateHistory(60);
  main = history.git("rev-parse", "main");
  destination = { directory: join(history.directory, "published"), temporary: join(history.directory, "temporary") };
  mkdirSync(destination.temporary);
  view = { key: "1:1", format: "sha1", packs: history.packs };
  engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes: 32 << 20,
    log: silentLogger,
  });
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  history[Symbol.dispose]();
});

const person = { name: "Ed", email: "ed@example.org", seconds: 1_800_000_000, offsetMinutes: 60 };
const change = (operation: FileChange["operation"], path: string, more: Partial<FileChange> = {}): FileChange => ({
  operation,
  path,
  fromPath: null,
  bytes: null,
  mode: null,
  expectedOid: null,
  ...more,
});
const text = (content: string): Uint8Array => Buffer.from(content);
const commit = async (
  parents: readonly string[],
  changes: readonly FileChange[],
  on = view,
): Promise<CommitChangesResult> =>
  await engine.write(on, "commitChanges", {
    parents,
    changes,
    author: person,
    committer: person,
    message: "Edit\n",
    destination,
  });
const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => null,
    (error: unknown) => error,
  );

/** What lies where packs wait to be published. */
const staged = (): string[] => readdirSync(destination.temporary).sort();
/** The files of such a pack. */
const filesOf = (pack: StagedPack): string[] =>
  [pack.path.replace(/pack$/, "idx"), pack.path].map((path) => basename(path));

/** Lets git see a pack, as an export would. */
function adopt(pack: StagedPack | null): void {
  for (const path of pack === null ? [] : [pack.path, pack.path.replace(/pack$/, "idx")]) {
    cpSync(path, join(history.directory, "objects", "pack", `pack-${path.slice(path.lastIndexOf("/") + 1)}`));
  }
}

describe("commitChanges", () => {
  test("writes a commit that git finds whole, with all kinds of changes", async () => {
    const before = history.git("ls-tree", "-r", "--name-only", "-z", main).split("\0").filter(Boolean);
    const blobs = history
      .git("ls-tree", "-r", main)
      .split("\n")
      .filter((line) => line.startsWith("100644"))
      .map((line) => line.slice(line.indexOf("\t") + 1));
    const [moved, removed, updated] = blobs.filter((path) => !path.startsWith('"'));
    const result = await commit(
      [main],
      [
        change("create", "new/deep/file.txt", { bytes: text("new\n") }),
        change("create", "new/tool", { bytes: text("#!\n"), mode: 0o100755 }),
        change("create", "new/link", { bytes: text("tool"), mode: 0o120000 }),
        change("update", "new/moved.txt", { fromPath: moved! }),
        change("delete", removed!),
        change("update", updated!, {
          bytes: text("updated\n"),
          expectedOid: history.git("rev-parse", `${main}:${updated}`),
        }),
        change("put", "new/deep/file.txt", { bytes: text("newer\n") }),
      ],
    );
    adopt(result.pack);
    expect(history.git("fsck", "--strict", "--no-dangling", result.commit)).toBe("");
    expect(history.git("rev-parse", `${result.commit}^{tree}`)).toBe(result.tree);
    const gone = new Set([moved, removed]);
    const expected = [
      ...before.filter((path) => !gone.has(path)),
      "new/deep/file.txt",
      "new/link",
      "new/moved.txt",
      "new/tool",
    ];
    expect(history.git("ls-tree", "-r", "--name-only", "-z", result.commit).split("\0").filter(Boolean).sort()).toEqual(
      expected.sort(),
    );
    expect(history.git("show", `${result.commit}:new/deep/file.txt`)).toBe("newer");
    expect(
      history
        .git("ls-tree", "-r", result.commit, "new/")
        .split("\n")
        .map((line) => line.slice(0, 6)),
    ).toEqual(["100644", "120000", "100644", "100755"]);
    expect(history.git("rev-parse", `${result.commit}:new/moved.txt`)).toBe(
      history.git("rev-parse", `${main}:${moved}`),
    );
    expect(history.git("log", "-1", "--format=%an %ae %ai %P", result.commit)).toBe(
      `Ed ed@example.org 2027-01-15 09:00:00 +0100 ${main}`,
    );
    expect(result.files.at(4)).toEqual({ path: removed!, oid: null, mode: null });
    expect(staged()).toEqual(filesOf(result.pack!));
  });

  test("makes the first commit of an empty repository, and removes directories that become empty", async () => {
    const empty = { key: "2:0", format: "sha1" as const, packs: [] };
    const first = await commit(
      [],
      [change("create", "a/b/c.txt", { bytes: text("c") }), change("create", "d.txt", { bytes: text("d") })],
      empty,
    );
    const now = { key: "2:1", format: "sha1" as const, packs: [first.pack!.path] };
    const second = await commit([first.commit], [change("delete", "a/b/c.txt")], now);
    adopt(first.pack);
    adopt(second.pack);
    expect(history.git("ls-tree", "-r", "-t", "--name-only", second.commit)).toBe("d.txt");
    const same = await commit([first.commit], [change("put", "d.txt", { bytes: text("d") })], now);
    expect(same).toMatchObject({ unchanged: true, tree: first.tree, pack: { objectCount: 1 } });
  });

  test("refuses what does not fit the branch, says why, and writes nothing", async () => {
    const first = await commit(
      [],
      [change("create", "file", { bytes: text("1") }), change("create", "dir/x", { bytes: text("2") })],
      { key: "3:0", format: "sha1", packs: [] },
    );
    const now = { key: "3:1", format: "sha1" as const, packs: [first.pack!.path] };
    const reason = async (...changes: FileChange[]): Promise<unknown> => {
      const error = await failure(commit([first.commit], changes, now));
      return error instanceof EditConflict ? `${error.reason} ${error.path}` : error;
    };
    const bytes = text("3");
    const before = staged();
    expect(await reason(change("create", "file", { bytes }))).toBe("exists file");
    expect(await reason(change("update", "none", { bytes }))).toBe("missing none");
    expect(await reason(change("delete", "dir/none"))).toBe("missing dir/none");
    expect(await reason(change("delete", "dir"))).toBe("missing dir");
    expect(await reason(change("update", "file", { bytes, expectedOid: "1".repeat(40) }))).toBe("changed file");
    expect(await reason(change("create", "file/below", { bytes }))).toBe("file-directory file/below");
    expect(await reason(change("create", "dir", { bytes }))).toBe("file-directory dir");
    expect(await reason(change("put", "dir", { bytes }))).toBe("file-directory dir");
    expect(await reason(change("update", "dir/x", { fromPath: "file" }))).toBe("exists dir/x");
    expect(staged()).toEqual(before);
    expect(
      (await commit([first.commit], [change("update", "file/now/below", { fromPath: "file" })], now)).files,
    ).toHaveLength(1);
  });

  test.each([
    "",
    "/a",
    "a//b",
    "a/",
    "../a",
    "a/../b",
    "./a",
    ".git/config",
    "a/.GIT/x",
    ".git ",
    "git~1",
    ".g\u200cit",
    "a\0b",
  ])("refuses the path %j", async (path) => {
    const error = await failure(commit([main], [change("put", path, { bytes: text("x") })]));
    expect(error).toBeInstanceOf(InvalidEdit);
  });

  test("refuses a path of more than 4096 bytes", async () => {
    expect(await failure(commit([main], [change("put", "x".repeat(4097), { bytes: text("x") })]))).toBeInstanceOf(
      InvalidEdit,
    );
  });

  test("refuses what a client of git would not take", async () => {
    const mode = await failure(commit([main], [change("put", "x", { bytes: text("x"), mode: 0o160000 })]));
    const link = await failure(commit([main], [change("put", ".gitmodules", { bytes: text("x"), mode: 0o120000 })]));
    const url = await failure(
      commit([main], [change("put", ".gitmodules", { bytes: text('[submodule "a"]\n\turl = -x\n') })]),
    );
    expect([mode, link, url].every((error) => error instanceof InvalidEdit)).toBe(true);
  });
});

const reachable = async (oid: string, tip: string): Promise<boolean> =>
  await engine.call(view, "isReachable", { oid, tips: [tip] });

describe("tags and objects", () => {
  test("an annotated tag is one that git reads", async () => {
    const tag = await engine.write(view, "createTag", {
      object: main,
      name: "v1",
      tagger: person,
      message: "One\n",
      destination,
    });
    adopt(tag.pack);
    expect(history.git("cat-file", "-p", tag.oid)).toBe(
      `object ${main}\ntype commit\ntag v1\ntagger Ed <ed@example.org> 1800000000 +0100\n\nOne`,
    );
    const now = { ...view, key: "1:2", packs: [tag.pack!.path, ...view.packs] };
    expect(await engine.call(now, "readTag", { oid: tag.oid })).toEqual({
      oid: tag.oid,
      object: main,
      objectType: "commit",
      name: "v1",
      tagger: person,
      message: "One\n",
    });
    expect(await engine.call(now, "resolveObject", { name: tag.oid.slice(0, 12) })).toEqual({
      oid: tag.oid,
      type: "tag",
      peeled: main,
      peeledType: "commit",
    });
    expect(
      await failure(
        engine.write(view, "createTag", {
          object: "1".repeat(40),
          name: "v2",
          tagger: person,
          message: "",
          destination,
        }),
      ),
    ).toBeInstanceOf(MissingObject);
  });

  test("an object that is there already is not written again", async () => {
    const known = history.git("rev-parse", `${main}^{tree}`);
    const object = await engine.call(view, "readObject", { oid: known, maxBytes: 1 << 20 });
    const written = await engine.write(view, "writeObjects", {
      objects: [{ type: "tree", bytes: object!.bytes! }],
      destination,
    });
    expect(written).toEqual({ oids: [known], pack: null });
    expect(await engine.call(view, "readObject", { oid: known, maxBytes: 1 })).toMatchObject({
      type: "tree",
      size: object!.bytes!.length,
      bytes: null,
    });
  });

  test("a signed commit is read with its signature and the text that it signs", async () => {
    const headers = history.git("cat-file", "commit", main).split("\n\n")[0]!;
    const signature = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n";
    const signed = `${headers}\ngpgsig ${signature.replaceAll("\n", "\n ")}\n\nSigned\n`;
    const { oids, pack } = await engine.write(view, "writeObjects", {
      objects: [{ type: "commit", bytes: text(signed) }],
      destination,
    });
    const now = { ...view, key: "1:3", packs: [pack!.path, ...view.packs] };
    const [commitRead, absent] = await engine.call(now, "readCommits", { oids: [oids[0]!, "1".repeat(40)] });
    expect(commitRead).toMatchObject({
      oid: oids[0]!,
      message: "Signed\n",
      signature: { signature, payload: `${headers}\n\nSigned\n` },
    });
    expect(absent).toBeNull();
  });

  test("an object counts as reachable only below a tip", async () => {
    const [old, young] = [history.git("rev-parse", "b20"), history.git("rev-parse", "b60")];
    for (const tip of [old, young]) {
      const objects = new Set(history.git("rev-list", "--objects", "--no-object-names", tip).split("\n"));
      const listed = history.git("verify-pack", "-v", history.packs[0]!).split("\n");
      const every = listed.map((line) => line.slice(0, 40)).filter((oid) => /^[0-9a-f]{40}$/.test(oid));
      expect(every.length).toBeGreaterThan(objects.size);
      for (const oid of every) {
        expect({ oid, reachable: await reachable(oid, tip) }).toEqual({ oid, reachable: objects.has(oid) });
      }
    }
  });
});

const limits = {
  objectBytes: 1 << 24,
  totalInflatedBytes: 1 << 28,
  inflationRatio: 1000,
  deltaDepth: 4096,
  objectCount: 100_000,
};
const received = (name: string, bytes: Uint8Array): string => {
  const path = join(destination.temporary, `${name}.pack`);
  writeFileSync(path, bytes);
  return path;
};
const request = (more: Partial<IndexPackArgs>): IndexPackArgs => ({
  path: null,
  directory: destination.directory,
  newTips: [],
  oldTips: [],
  moves: [],
  limits,
  check: "strict",
  ...more,
});
/** A pack as a push would send it. */
const pack = (revisions: string, ...options: string[]): Uint8Array =>
  Bun.spawnSync(["git", "pack-objects", "--revs", "--stdout", "-q", ...options], {
    cwd: history.directory,
    stdin: Buffer.from(revisions),
  }).stdout;

describe("index", () => {
  test("takes in a push, then a thin one on top, and tells which moves only add commits", async () => {
    const empty = { key: "4:0", format: "sha1" as const, packs: [] };
    const before = staged();
    const [old, young] = [history.git("rev-parse", "b30"), history.git("rev-parse", "b60")];
    const whole = await engine.index({
      view: empty,
      ...request({ path: received("whole", pack(`${old}\n`)), newTips: [old] }),
    });
    expect(whole.tips).toEqual([{ oid: old, type: "commit", peeled: null }]);
    expect(whole.pack?.finalPath).toBe(
      join(destination.directory, whole.pack!.checksum.slice(0, 2), `${whole.pack!.checksum}.pack`),
    );
    const next = { key: "4:1", format: "sha1" as const, packs: [whole.pack!.path] };
    const moves = [
      { from: old, to: young },
      { from: young, to: old },
      { from: old, to: old },
    ];
    const thin = await engine.index({
      view: next,
      ...request({
        path: received("thin", pack(`${young}\n^${old}\n`, "--thin")),
        newTips: [young],
        oldTips: [old],
        moves,
      }),
    });
    const ancestor = history.git("merge-base", old, young) === old;
    expect(thin.fastForwards).toEqual([ancestor, false, true]);
    const now = { key: "4:2", format: "sha1" as const, packs: [thin.pack!.path, whole.pack!.path] };
    const expected = history.git("rev-list", "--count", young);
    const log = await engine.call(now, "log", {
      tips: [young],
      not: [],
      paths: [],
      skip: 0,
      limit: 1,
      count: true,
      files: false,
      stats: false,
    });
    expect(`${log.total}`).toBe(expected);
    expect(staged()).toEqual([...before, ...[whole, thin].flatMap(({ pack: made }) => filesOf(made!))].sort());
    await publishPack(whole.pack!);
    expect(readdirSync(dirname(whole.pack!.finalPath)).sort()).toEqual(
      ["idx", "pack"].map((ending) => `${whole.pack!.checksum}.${ending}`),
    );
  });

  test("refuses a push that lacks objects or is damaged, and leaves nothing behind", async () => {
    const empty = { key: "5:0", format: "sha1" as const, packs: [] };
    const before = staged();
    const lacking = received("lacking", pack(`${main}\n^${main}~1\n`));
    expect(await failure(engine.index({ view: empty, ...request({ path: lacking, newTips: [main] }) }))).toBeInstanceOf(
      MissingObject,
    );
    const bytes = pack(`${main}\n`);
    bytes[bytes.length >> 1]! ^= 0xff;
    const damaged = received("damaged", bytes);
    expect(await failure(engine.index({ view: empty, ...request({ path: damaged, newTips: [main] }) }))).toBeInstanceOf(
      PackRejected,
    );
    expect(existsSync(damaged) || existsSync(lacking)).toBe(false);
    expect(staged()).toEqual(before);
  });

  test("answers for a push that brings no pack", async () => {
    const result = await engine.index({ view, ...request({ newTips: [main], oldTips: [main] }) });
    expect(result).toEqual({
      pack: null,
      tips: [{ oid: main, type: "commit", peeled: null }],
      fastForwards: [],
      absentFiles: [],
      quiet: null,
    });
  });
});
