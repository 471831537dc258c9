import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { deflateSync, gzipSync } from "node:zlib";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { growthDuring } from "../support/process-memory.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { blob, commit, oidOf, refDelta, tree } from "./raw-objects.ts";
import { rawPack, sealed, type RawEntry } from "./raw-pack.ts";

/**
 * Pushes that no git would send, to a running server. Each is answered in words that say why, leaves no ref, object or
 * file, and takes no memory to speak of.
 */

const MiB = 1024 * 1024;
const scratch = new Scratch();
const data = new OpenDirectory();
let server: ServerProcess;

/** Every file that pushes can leave. */
const files = () =>
  ["tmp", "packs"]
    .flatMap((name) => readdirSync(data.join(name), { recursive: true }).filter((file) => /[.]/.test(String(file))))
    .sort();
const refs = () => mustGit(scratch.path, ["ls-remote", server.repositoryUrl("site")]);
let filesBefore: unknown;
let refsBefore = "";

const kept = [blob("what the repository has\n".repeat(20)), blob("what the repository has too\n".repeat(20))] as const;
const keptTree = tree(["100644", "a", kept[0]], ["100644", "b", kept[1]]);
const good = commit(keptTree);
/** Goes along with packs that are refused: it must not be there afterwards. */
const stowaway = blob("stowaway");

function line(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
}

const capabilities = "\0report-status object-format=sha1";
const zero = "0".repeat(40);

function pushBody(oid: string, pack: Uint8Array, name = "refs/heads/hostile"): Buffer {
  return Buffer.concat([Buffer.from(`${line(`${zero} ${oid} ${name}${capabilities}\n`)}0000`), pack]);
}

async function post(
  service: "git-receive-pack" | "git-upload-pack",
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}/root/site.git/${service}`, {
    method: "POST",
    headers: {
      "content-type": `application/x-${service}-request`,
      authorization: `Basic ${Buffer.from(`root:${new URL(server.repositoryUrl("site")).password.replaceAll("%20", " ")}`).toString("base64")}`,
      ...headers,
    },
    body: Buffer.from(body),
  });
  return { status: response.status, text: await response.text() };
}

beforeAll(async () => {
  server = await ServerProcess.start(data.path, {
    STITHY_GIT__REFS_PER_PUSH: "100",
    STITHY_GIT__PUSH_LIMIT_BYTES: String(32 * MiB),
    STITHY_GIT__OBJECT_LIMIT_BYTES: String(16 * MiB),
    STITHY_GIT__INFLATED_LIMIT_BYTES: String(256 * MiB),
    STITHY_GIT__OBJECTS_PER_PUSH: "20000",
  });
  await server.repository("site");
  const { status, text } = await post(
    "git-receive-pack",
    pushBody(oidOf(good), rawPack([...kept, keptTree, good]), "refs/heads/main"),
  );
  expect({ status, text }).toEqual({ status: 200, text: `${line("unpack ok\n")}${line("ok refs/heads/main\n")}0000` });
  filesBefore = files();
  refsBefore = await refs();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

async function expectNothing(): Promise<void> {
  await until("no file is left", () => Bun.deepEquals(files(), filesBefore));
  await expectNothingVisible();
}

async function expectNothingVisible(): Promise<void> {
  expect(await refs()).toEqual(refsBefore);
  const { status } = await server.api.get(`/repos/root/site/git/blobs/${oidOf(stowaway)}`);
  expect(status).toBe(404);
}

/** A pack is refused in the report: of the pack as a whole, or of the ref. */
async function expectRefused(pack: Uint8Array, reason: RegExp, oid = oidOf(good)): Promise<void> {
  await expectUnwanted(pack, reason, oid);
  await expectNothing();
}

async function expectUnwanted(pack: Uint8Array, reason: RegExp, oid: string): Promise<void> {
  let answer = { status: 0, text: "" };
  const growth = await growthDuring(server.process.pid, async () => {
    answer = await post("git-receive-pack", pushBody(oid, pack));
  });
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(reason);
  expect(answer.text).toContain("ng refs/heads/hostile ");
  expect(answer.text).not.toContain("went wrong");
  // The arena of objects that is there while a pack is indexed, and the largest objects.
  expect(growth).toBeLessThan(280 * MiB);
}

/** A delta that makes `times` copies of the first 64 KB of its base. */
function copies(baseBytes: number, times: number): Uint8Array {
  const number = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...number(Math.floor(value / 128))];
  // Copy from 0, the size left out: 64 KB.
  return Uint8Array.from([...number(baseBytes), ...number(65_536 * times), ...Array<number>(times).fill(0x80)]);
}

/** Deltas that each add a byte to the one before, behind one other entry. */
function chain(length: number): RawEntry[] {
  const entries: RawEntry[] = [blob("x".repeat(100))];
  for (let size = 100; entries.length < length; size++) {
    const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
    entries.push({
      kind: EntryKind.ofsDelta,
      base: entries.length,
      data: Uint8Array.from([...number(size), ...number(size + 1), 0xb0, size & 255, size >> 8, 1, 0x79]),
    });
  }
  return entries;
}

const with_ = (...entries: RawEntry[]): Buffer => rawPack([stowaway, ...entries]);
const fine = with_();
const twoKept = [kept[0].data, kept[1].data].map((bytes) => Buffer.from(bytes)) as [Buffer, Buffer];
const submodule = (text: string): Buffer => {
  const gitmodules = blob(text);
  return with_(gitmodules, tree(["100644", ".gitmodules", gitmodules]));
};

describe("a push with", () => {
  test.each<[string, () => Uint8Array, RegExp]>([
    [
      "a bomb of zeros",
      () => with_(...Array.from({ length: 6 }, (_, at) => blob(Buffer.alloc(15 * MiB, at)))),
      /unpack Cannot accept the pack: .*(times|inflate)/,
    ],
    [
      "objects of more bytes together than allowed",
      () =>
        with_(
          ...Array.from({ length: 18 }, (_, at) =>
            blob(Buffer.concat([crypto.getRandomValues(new Uint8Array(65_536)), Buffer.alloc(15 * MiB, at)])),
          ),
        ),
      /unpack Cannot accept the pack: /,
    ],
    [
      "an object of more bytes than allowed",
      () => with_({ ...blob("small"), size: 400 * MiB }),
      /unpack Cannot accept the pack: .*(allowed|larger)/,
    ],
    [
      "a delta that makes much of little",
      () => with_(blob(Buffer.alloc(65_536, 1)), { kind: EntryKind.ofsDelta, base: 1, data: copies(65_536, 1000) }),
      /unpack Cannot accept the pack: /,
    ],
    [
      "many deltas that each make much of little",
      () =>
        with_(
          blob(Buffer.alloc(65_536, 1)),
          ...Array.from({ length: 60 }, (_, at): RawEntry => ({
            kind: EntryKind.ofsDelta,
            base: 1,
            data: copies(65_536, 100 + at),
          })),
        ),
      /unpack Cannot accept the pack: /,
    ],
    ["a chain of deltas that is too long", () => with_(...chain(4200)), /unpack Cannot accept the pack: .*delta/],
    [
      "deltas of objects that are only each other",
      () =>
        with_(
          refDelta("11".repeat(20), encodeDelta(twoKept[0], twoKept[1], 1e6)!),
          refDelta("22".repeat(20), encodeDelta(twoKept[1], twoKept[0], 1e6)!),
        ),
      /unpack Cannot accept the pack: .*missing/,
    ],
    [
      "deltas that lead back to themselves",
      () =>
        with_(
          refDelta(oidOf(kept[0]), encodeDelta(twoKept[0], twoKept[1], 1e6)!),
          refDelta(oidOf(kept[1]), encodeDelta(twoKept[1], twoKept[0], 1e6)!),
        ),
      /unpack Cannot accept the pack: .*back to itself/,
    ],
    ["fewer objects than it says", () => rawPack([stowaway], 2), /unpack Cannot accept the pack: /],
    ["more objects than it says", () => rawPack([stowaway, blob("b")], 1), /unpack Cannot accept the pack: .*follow/],
    ["millions of objects, it says", () => rawPack([stowaway], 4_000_000_000), /unpack Cannot accept the pack: /],
    ["an end in the middle", () => fine.subarray(0, -25), /unpack Cannot accept the pack: /],
    ["no pack at all", () => Buffer.alloc(0), /unpack Cannot accept the pack: /],
    [
      "a wrong checksum",
      () => Buffer.concat([fine.subarray(0, -1), Buffer.from([fine.at(-1)! ^ 1])]),
      /unpack Cannot accept the pack: its checksum/,
    ],
    [
      "garbage behind the pack",
      () => Buffer.concat([fine, Buffer.from("garbage")]),
      /unpack Cannot accept the pack: .*/,
    ],
    ["a second pack behind the first", () => Buffer.concat([fine, fine]), /unpack Cannot accept the pack: /],
    ["an object twice", () => with_(stowaway), /unpack Cannot accept the pack: .*twice/],
    [
      "padding without end",
      () =>
        sealed(
          Buffer.concat([
            rawPack([], 1).subarray(0, 12),
            Buffer.from([0x31]),
            Buffer.from([0x78, 0x9c]),
            Buffer.alloc(25 * MiB, Buffer.from([0, 0, 0, 0xff, 0xff])),
          ]),
        ),
      /unpack Cannot accept the pack: .*takes more than/,
    ],
    ["a tree with .git in it", () => with_(tree(["40000", ".git", oidOf(keptTree)])), /unpack .*hasDotgit/],
    [
      "a tree with .git as macOS reads it",
      () => with_(tree(["40000", ".g\u200cit", oidOf(keptTree)])),
      /unpack .*hasDotgit/,
    ],
    ["a tree with .git as Windows reads it", () => with_(tree(["100644", "git~1", stowaway])), /unpack .*hasDotgit/],
    ["a tree that leads out of itself", () => with_(tree(["40000", "..", oidOf(keptTree)])), /unpack .*hasDotdot/],
    ["a tree with a path for a name", () => with_(tree(["100644", "a/b", stowaway])), /unpack .*fullPathname/],
    ["a mode that does not exist", () => with_(tree(["107777", "a", stowaway])), /unpack .*badFilemode/],
    [
      "a name twice in a tree",
      () => with_(tree(["100644", "a", stowaway], ["100755", "a", stowaway])),
      /unpack .*duplicateEntries/,
    ],
    [
      "a submodule whose address is an option",
      () => submodule('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/owned\n'),
      /unpack .*gitmodulesUrl/,
    ],
    [
      "a submodule whose path is an option",
      () => submodule('[submodule "x"]\n\tpath = -x\n\turl = https://example.org/x\n'),
      /unpack .*gitmodulesPath/,
    ],
    [
      "a submodule whose name leads out of .git/modules",
      () => submodule('[submodule "../../hooks"]\n\tpath = x\n\turl = https://example.org/x\n'),
      /unpack .*gitmodulesName/,
    ],
    [
      "a .gitmodules that is to come later",
      () => with_(tree(["100644", ".gitmodules", "9".repeat(40)])),
      /unpack .*gitmodulesMissing/,
    ],
    [
      "a .gitattributes with a line that no git reads",
      () => {
        const attributes = blob("x".repeat(3000));
        return with_(attributes, tree(["100644", ".gitattributes", attributes]));
      },
      /unpack .*gitattributesLineLength/,
    ],
    [
      "a .gitmodules that is a link",
      () => with_(tree(["120000", ".gitmodules", stowaway])),
      /unpack .*gitmodulesSymlink/,
    ],
  ])("%s is refused", async (_, pack, reason) => {
    await expectRefused(pack(), reason);
  });

  test("a ref to an object that is nowhere is refused", async () => {
    await expectRefused(fine, /Cannot find the object/, "12".repeat(20));
  });

  test("a commit whose tree, or whose file, is nowhere is refused", async () => {
    const withoutTree = commit("34".repeat(20));
    await expectRefused(with_(withoutTree), /Cannot find the object/, oidOf(withoutTree));
    const partial = tree(["100644", "a", "56".repeat(20)]);
    const withoutFile = commit(partial);
    await expectRefused(with_(partial, withoutFile), /Cannot find the object/, oidOf(withoutFile));
    const withoutParent = commit(keptTree, "78".repeat(20));
    await expectRefused(with_(withoutParent), /Cannot find the object/, oidOf(withoutParent));
  });

  test.each(["tag", "tag of a tag"])(
    "a %s that says of an object that it is of another type is refused",
    async (kind) => {
      const tag = (oid: string, type: string): RawEntry => ({
        kind: ObjectType.tag,
        data: Buffer.from(`object ${oid}\ntype ${type}\ntag v\ntagger A <a@example.org> 1 +0000\n\nm\n`),
      });
      const lying = tag(oidOf(good), "tree");
      const tip = kind === "tag" ? lying : tag(oidOf(lying), "tag");
      await expectRefused(
        with_(lying, ...(tip === lying ? [] : [tip])),
        /names [0-9a-f]{40} as a tree, which it is not/,
        oidOf(tip),
      );
    },
  );

  test("a branch that is a file is refused, when the pack is in its place already, where nobody refers to it", async () => {
    await expectUnwanted(fine, /ng refs\/heads\/hostile a branch cannot point at a blob/, oidOf(stowaway));
    await expectNothingVisible();
    filesBefore = files();
  });
});

describe("a request", () => {
  const command = (number: number) =>
    line(`${zero} ${oidOf(good)} refs/heads/many-${number}${number === 0 ? capabilities : ""}\n`);
  const flood = (bytes: string): Buffer => Buffer.alloc(8 * MiB, bytes);

  test.each<[string, () => Uint8Array, number, RegExp]>([
    [
      "of more refs than allowed",
      () => Buffer.from(Array.from({ length: 101 }, (_, at) => command(at)).join("") + "0000"),
      200,
      /unpack .*more than 100 refs/,
    ],
    [
      "to change one ref twice",
      () => Buffer.from(`${command(0)}${line(`${zero} ${oidOf(good)} refs/heads/many-0\n`)}0000`),
      200,
      /unpack multiple updates/,
    ],
    [
      "with a line that is too long",
      () => Buffer.from(line(`${zero} ${oidOf(good)} refs/heads/${"x".repeat(9000)}${capabilities}\n`) + "0000"),
      400,
      /longer than/,
    ],
    ["with the longest of all lines", () => Buffer.concat([Buffer.from("ffff"), flood("x")]), 400, /longer than/],
    ["with digits that are none", () => Buffer.from("zzzz"), 400, /does not begin with its length/],
    ["with a line that is cut off", () => Buffer.from("00ff00"), 400, /ended inside/],
    ["of flushes only", () => flood("0000"), 200, /^$/],
    ["of empty lines only", () => flood("0004"), 400, /./],
    [
      "with a push certificate",
      () => Buffer.from(`${line(`push-cert${capabilities}\n`)}0000`),
      200,
      /unpack Signed pushes/,
    ],
  ])("to push %s", async (_, body, status, text) => {
    let answer = { status: 0, text: "" };
    const growth = await growthDuring(server.process.pid, async () => {
      answer = await post("git-receive-pack", body());
    });
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    expect(growth).toBeLessThan(60 * MiB);
    await expectNothing();
  });

  test.each<[string, string, () => Uint8Array, RegExp]>([
    ["of flushes only", "version=0", () => flood("0000"), /^$/],
    ["of flushes only", "version=2", () => flood("0000"), /^$/],
    ["of empty lines only", "version=0", () => flood("0004"), /ERR/],
    ["of empty lines only", "version=2", () => flood("0004"), /ERR/],
    ["of delimiters only", "version=2", () => flood("0001"), /^$/],
    [
      "of haves without end",
      "version=2",
      () =>
        Buffer.concat([
          Buffer.from(`${line("command=fetch")}0001${line(`want ${oidOf(good)}\n`)}`),
          Buffer.alloc(40 * MiB, line(`have ${"12".repeat(20)}\n`)),
        ]),
      /ERR/,
    ],
    [
      "of wants that are not there",
      "version=2",
      () => Buffer.from(`${line("command=fetch")}0001${line(`want ${oidOf(stowaway)}\n`)}${line("done\n")}0000`),
      /ERR .*not our ref/,
    ],
    ["of a line that is cut off", "version=2", () => Buffer.from("00ffcommand"), /ERR/],
  ])("to fetch %s, %s", async (_, version, body, text) => {
    let answer = { status: 0, text: "" };
    const growth = await growthDuring(server.process.pid, async () => {
      answer = await post("git-upload-pack", body(), { "git-protocol": version });
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(text);
    expect(growth).toBeLessThan(100 * MiB);
  });
});

describe("a compressed request that", () => {
  /** 1 GB, of which a few packets make sense. */
  const bomb = (head: string): Buffer => {
    // Members of gzip may follow one another.
    const member = gzipSync(Buffer.alloc(64 * MiB, 0x30), { level: 9 });
    return Buffer.concat([gzipSync(Buffer.from(head)), ...Array<Buffer>(16).fill(member)]);
  };

  test.each<[string, "git-upload-pack" | "git-receive-pack", () => Buffer, number, RegExp]>([
    ["is a bomb of wants", "git-upload-pack", () => bomb(line("command=fetch")), 200, /ERR|^$/],
    [
      "is a small bomb of wants",
      "git-upload-pack",
      () => Buffer.concat([gzipSync(line("command=fetch")), gzipSync(Buffer.alloc(16 * MiB, 0x30), { level: 9 })]),
      200,
      /ERR|^$/,
    ],
    [
      "is a bomb of a pack",
      "git-receive-pack",
      () => bomb(`${line(`${zero} ${oidOf(good)} refs/heads/hostile${capabilities}\n`)}0000PACK`),
      200,
      /unpack (A pack of more than|Cannot accept the pack)|400/,
    ],
    ["is no gzip", "git-receive-pack", () => Buffer.from("GIF89a"), 400, /not whole gzip data/],
    [
      "is cut off",
      "git-receive-pack",
      () => gzipSync(pushBody(oidOf(stowaway), fine)).subarray(0, -12),
      400,
      /not whole gzip data/,
    ],
    [
      "has a wrong checksum",
      "git-receive-pack",
      () => Buffer.concat([gzipSync(pushBody(oidOf(stowaway), fine)).subarray(0, -8), Buffer.alloc(8)]),
      400,
      /not whole gzip data/,
    ],
    [
      "is deflated instead",
      "git-receive-pack",
      () => deflateSync(pushBody(oidOf(stowaway), fine)),
      400,
      /not whole gzip data/,
    ],
  ])("%s", async (_, service, body, status, text) => {
    let answer = { status: 0, text: "" };
    const bytes = body();
    const growth = await growthDuring(server.process.pid, async () => {
      answer = await post(service, bytes, {
        "content-encoding": "gzip",
        ...(service === "git-upload-pack" ? { "git-protocol": "version=2" } : {}),
      });
    });
    expect({ status: answer.status, text: answer.text.slice(0, 300) }).toEqual({
      status,
      text: expect.stringMatching(text),
    });
    console.log(`${Math.round(growth / MiB)} MB more`);
    expect(growth).toBeLessThan(100 * MiB);
    await expectNothing();
  });
});

test("after all that the server is well, and takes a push", async () => {
  expect(await server.health()).toBe(200);
  const next = commit(keptTree, oidOf(good));
  const { text } = await post("git-receive-pack", pushBody(oidOf(next), rawPack([next]), "refs/heads/after"));
  expect(text).toContain("ok refs/heads/after");
  expect(server.process.stderr).not.toContain('"level":"error"');
});
