import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import { GitEngine } from "../../src/git/engine.ts";
import type { ComparedFile } from "../../src/git/operations/compare-files.ts";
import type { FormatPatchArgs } from "../../src/git/operations/format-patch.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { makeBranchingHistory, type BranchingHistory } from "./branching-history.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";

/*
 * Ranges of commits as mails, and the files of a comparison, against git's own answers.
 */
const fixture = new GitFixture();
let engine: GitEngine;
let branching: BranchingHistory;
let special: BranchingHistory;
let gitVersion = "";

/** A commit of `git fast-import`, on the one before it. */
interface Step {
  readonly message: string | Uint8Array;
  readonly author?: string;
  readonly encoding?: string;
  readonly files?: readonly (readonly [path: string, content: string | Uint8Array | null])[];
}

const binary = (seed: number) => Uint8Array.from({ length: 900 }, (_, at) => (at * seed + (at >> 3)) & 0xff);
const lines = (count: number, word = "line") => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

const steps: readonly Step[] = [
  {
    message: "root\n",
    files: [
      ["a.txt", lines(40)],
      ["bin", binary(3)],
      ["gone", "x\n"],
    ],
  },
  { message: "nothing changes\n" },
  { message: "a file with spaces\n\nand a body\n", files: [["dir with space/ü.txt", "no newline at end"]] },
  {
    message: "binary, changed and added\n",
    files: [
      ["bin", binary(5)],
      ["bin2", binary(7)],
    ],
  },
  { message: Buffer.from("caf\xe9 in latin 1\n", "latin1"), encoding: "ISO-8859-1", files: [["l", "1\n"]] },
  {
    message: "renamed and changed\n",
    files: [
      ["a.txt", null],
      ["b/a.txt", lines(40).replace("line 7", "LINE 7")],
    ],
  },
  { message: "nothing again\n" },
  {
    message: "Ünï subject that is long enough to be folded into more than one line of the header\n\nbödy\n",
    author: "Ünï",
    files: [["gone", null]],
  },
  { message: "From here\nthe subject goes on\n\n  indented body\n\n--- \nFrom me\n", files: [["b/a.txt", lines(41)]] },
  { message: "spaces only\n", files: [["b/a.txt", lines(41).replaceAll("line ", " line   ")]] },
  {
    message: "ends of lines\n",
    files: [["b/a.txt", lines(41).replaceAll("line ", " line   ").replaceAll("\n", "  \n")]],
  },
];

function makeSpecialHistory(): BranchingHistory {
  const path = fixture.repository();
  const script: Uint8Array[] = [];
  const put = (text: string | Uint8Array) => script.push(Buffer.from(text as string));
  const data = (content: string | Uint8Array) => {
    put(`data ${Buffer.from(content as string).length}\n`);
    put(content);
    put("\n");
  };
  for (const [at, { message, author, encoding, files }] of steps.entries()) {
    put("commit refs/heads/main\n");
    put(`author ${author ?? "Ann"} <ann@example.org> ${1_600_000_000 + at * 100_000} +0130\n`);
    put(`committer C <c@example.org> ${1_600_000_000 + at * 100_000} +0000\n`);
    put(encoding === undefined ? "" : `encoding ${encoding}\n`);
    data(message);
    for (const [name, content] of files ?? []) {
      put(content === null ? `D "${name}"\n` : `M 100644 inline "${name}"\n`);
      if (content !== null) {
        data(content);
      }
    }
  }
  fixture.git(path, ["fast-import", "--quiet", "--force"], Buffer.concat(script));
  fixture.git(path, ["repack", "-adq"]);
  const oids = fixture.git(path, ["rev-list", "--reverse", "main"]).toString().trim().split("\n");
  return { path, packs: fixture.packs(path), oids };
}

beforeAll(() => {
  branching = makeBranchingHistory(fixture, randomFrom(17), 120);
  special = makeSpecialHistory();
  gitVersion = fixture.git(special.path, ["version"]).toString().trim().replace("git version ", "");
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
  fixture[Symbol.dispose]();
});

function viewOf({ path, packs }: BranchingHistory) {
  return { key: `${path.length}:${path}`, format: "sha1" as const, packs };
}

async function mails(history: BranchingHistory, args: Omit<FormatPatchArgs, "signature">): Promise<string> {
  const stream = engine.stream(viewOf(history), "formatPatch", { ...args, signature: gitVersion });
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("latin1");
}

function gitMails({ path }: BranchingHistory, range: string): string {
  return fixture.git(path, ["format-patch", "--stdout", "--root", range]).toString("latin1");
}

/** The alphabet of base 85 in git's binary patches. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Mails with the content of binary files in place of its compressed form, which is up to the version of zlib. */
function inflated(mail: string): string {
  return mail.replaceAll(
    /^(literal|delta) (\d+)\n((?:[A-Za-z][^\s]+\n)+)/gm,
    (_, kind: string, size: string, body: string) => {
      const bytes = body
        .trimEnd()
        .split("\n")
        .flatMap((line) => {
          const length = line.charCodeAt(0) - (line[0]! <= "Z" ? 0x40 : 0x60 - 26);
          const decoded: number[] = [];
          for (let at = 1; at < line.length; at += 5) {
            let value = 0;
            for (const digit of line.slice(at, at + 5)) {
              value = value * 85 + digits.indexOf(digit);
            }
            decoded.push((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
          }
          return decoded.slice(0, length);
        });
      return `${kind} ${size}\n${inflateSync(Buffer.from(bytes)).toString("hex")}\n`;
    },
  );
}

describe("the mails of a range", () => {
  test("are those of git for binary files, empty commits, other encodings and long subjects", async () => {
    const { oids } = special;
    const whole = inflated(gitMails(special, oids.at(-1)!));
    expect(whole).toMatch(/^literal 900\n[0-9a-f]{1800}$/m);
    expect(inflated(await mails(special, { tip: oids.at(-1)!, not: [] }))).toBe(whole);
    for (let first = 0; first < oids.length; first++) {
      for (const last of [first + 1, first + 2, first + 5].filter((at) => at < oids.length)) {
        const range = { tip: oids[last]!, not: [oids[first]!] };
        expect(inflated(await mails(special, range))).toBe(
          inflated(gitMails(special, `${oids[first]}..${oids[last]}`)),
        );
      }
    }
  });

  test("are those of git in a history of merges", async () => {
    const { oids } = branching;
    const random = randomFrom(5);
    let several = 0;
    for (let round = 0; round < 25; round++) {
      const [base, tip] = [oids[random.below(oids.length)]!, oids[random.below(oids.length)]!];
      const expected = gitMails(branching, `${base}..${tip}`);
      several += expected.includes("[PATCH 2/") || expected.includes("[PATCH 02/") ? 1 : 0;
      expect(inflated(await mails(branching, { tip, not: [base] }))).toBe(inflated(expected));
    }
    expect(several).toBeGreaterThan(5);
  });

  test("make the same commits again in git", async () => {
    const { oids, path } = special;
    const clone = fixture.path("clone");
    fixture.git(fixture.directory, ["clone", "-q", path, clone]);
    fixture.git(clone, ["reset", "-q", "--hard", oids[2]!]);
    const stream = engine.stream(viewOf(special), "formatPatch", {
      tip: oids.at(-1)!,
      not: [oids[2]!],
      signature: "x",
    });
    fixture.git(clone, ["am", "-q"], new Uint8Array(await new Response(stream).arrayBuffer()));
    expect(fixture.git(clone, ["rev-parse", "HEAD^{tree}"])).toEqual(
      fixture.git(path, ["rev-parse", `${oids.at(-1)}^{tree}`]),
    );
  });

  test("are none where there are no commits", async () => {
    expect(await mails(special, { tip: special.oids[2]!, not: [special.oids[5]!] })).toBe("");
  });

  test("end with a line that says how many are left out where they are too large", async () => {
    const tip = branching.oids.at(-1)!;
    const whole = await mails(branching, { tip, not: [] });
    const limits = { maxFiles: 1000, maxBytes: Math.floor(whole.length / 2), maxMilliseconds: 60_000 };
    const cut = await mails(branching, { tip, not: [], options: { limits } });
    const total = whole.match(/^From [0-9a-f]{40} /gm)!.length;
    const kept = cut.match(/^From [0-9a-f]{40} /gm)!.length;
    const counted = Number(/\[PATCH 0*1\/(\d+)\]/.exec(whole)![1]);
    const [, left] = /# The patches are cut off here, as they are too large: (\d+) commits are left out\.\n$/.exec(
      cut,
    )!;
    expect(kept).toBeLessThan(total);
    expect(Number(left)).toBeGreaterThanOrEqual(total - kept);
    expect(Number(left)).toBeLessThan(counted);
    expect(cut.length).toBeLessThan(whole.length / 2 + 500);
  });
});

describe("the files of a comparison", () => {
  const page = { whitespace: "significant", from: null, skip: 0, limit: 100_000 } as const;

  /** What `git diff --numstat --raw` prints, in the form of the engine. */
  function gitFiles({ path }: BranchingHistory, before: string, after: string, ...options: string[]): object[] {
    const common = ["diff", "-z", "-M", ...options, before, after];
    const raw = fixture
      .git(path, [...common, "--raw"])
      .toString()
      .split("\0");
    const numbers = new Map<string, [string, string]>();
    const counted = fixture
      .git(path, [...common, "--numstat"])
      .toString()
      .split("\0");
    for (let at = 0; at < counted.length - 1; at++) {
      const [additions, deletions, name] = counted[at]!.split("\t") as [string, string, string];
      numbers.set(name === "" ? counted[(at += 2)]! : name, [additions, deletions]);
    }
    const statuses = { A: "added", D: "removed", M: "modified", T: "retyped", R: "renamed" };
    const files: object[] = [];
    for (let at = 0; at < raw.length - 1; at += 2) {
      const letter = raw[at]!.split(" ")[4]![0] as keyof typeof statuses;
      const formerPath = letter === "R" ? raw[at + 1]! : null;
      at += letter === "R" ? 1 : 0;
      const name = raw[at + 1]!;
      const [additions, deletions] = numbers.get(name) ?? ["0", "0"];
      files.push({
        status: statuses[letter],
        path: name,
        formerPath,
        additions: Number(additions.replace("-", "0")),
        deletions: Number(deletions.replace("-", "0")),
        binary: additions === "-",
      });
    }
    return files;
  }

  function withoutSameContent(files: readonly ComparedFile[]): object[] {
    return files.map(({ status, path, formerPath, additions, deletions, binary }) => ({
      status,
      path,
      formerPath,
      additions,
      deletions,
      binary,
    }));
  }

  test("are those of git, renamed ones among them", async () => {
    const { oids } = branching;
    const random = randomFrom(8);
    for (let round = 0; round < 30; round++) {
      const [before, after] = [oids[random.below(oids.length)]!, oids[random.below(oids.length)]!];
      const { files, total } = await engine.call(viewOf(branching), "compareFiles", { before, after, ...page });
      expect(withoutSameContent(files)).toEqual(gitFiles(branching, before, after));
      expect(total).toBe(files.length);
    }
  });

  test("are counted as git does with whitespace that does not matter", async () => {
    const [before, after] = [special.oids[7]!, special.oids.at(-1)!];
    const seen = new Set<number>();
    for (const [whitespace, option] of [
      ["significant", ""],
      ["ignore-at-eol", "--ignore-space-at-eol"],
      ["ignore-change", "-b"],
      ["ignore", "-w"],
    ] as const) {
      const args = { before, after, ...page, whitespace };
      const { files } = await engine.call(viewOf(special), "compareFiles", args);
      const options = whitespace === "significant" ? [] : [option];
      expect(withoutSameContent(files)).toEqual(gitFiles(special, before, after, ...options));
      seen.add(files.find(({ path }) => path === "b/a.txt")!.additions);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  test("come in pages, and from a path on", async () => {
    const view = viewOf(special);
    const args = { before: special.oids[0]!, after: special.oids.at(-1)! };
    const all = await engine.call(view, "compareFiles", { ...args, ...page });
    const second = await engine.call(view, "compareFiles", { ...args, ...page, skip: 2, limit: 2 });
    expect(second).toEqual({ files: all.files.slice(2, 4), total: all.total });
    const from = await engine.call(view, "compareFiles", { ...args, ...page, from: all.files[3]!.path, limit: 1 });
    expect(from).toEqual({ files: [all.files[3]!], total: all.total! - 3 });
    expect(await engine.call(view, "compareFiles", { ...args, ...page, from: "none" })).toEqual({
      files: [],
      total: null,
    });
  });
});
