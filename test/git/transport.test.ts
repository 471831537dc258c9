import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, TransportServer } from "./transport-server.ts";
import { repeated } from "../support/thorough.ts";

let root = "";
let source = "";

async function commit(repository: string, message: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(repository, name, ".."), { recursive: true });
    await writeFile(join(repository, name), text);
  }
  await git(repository, "add", "-A");
  await git(repository, "commit", "-q", "--allow-empty", "-m", message);
}

const lines = (seed: number): string =>
  Array.from({ length: 60 }, (_, line) => `line ${line} of ${line % 7 === seed % 7 ? seed : 0}`).join("\n");

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-transport-"));
  source = join(root, "source");
  await git(root, "init", "-q", "-b", "main", source);
  for (let number = 1; number <= 12; number++) {
    await commit(source, `change ${number}`, {
      "README.md": lines(number),
      [`src/deep/${number % 3}/file.txt`]: lines(number * 2),
    });
  }
  await git(source, "tag", "-a", "-m", "first", "v1.0", "HEAD~6");
  await git(source, "tag", "-a", "-m", "of a tag", "v1.0-again", "v1.0");
  await git(source, "tag", "light", "HEAD~3");
  await git(source, "switch", "-q", "-c", "feature/side", "HEAD~5");
  await commit(source, "side 1", { "side.txt": lines(3) });
  await commit(source, "side 2", { "side.txt": lines(4) });
  await git(source, "switch", "-q", "main");
  await git(source, "merge", "-q", "-m", "merge", "feature/side");
  await commit(source, "after", { "after.txt": "after" });
  await git(source, "tag", "-a", "-m", "a tree", "tree-tag", "HEAD^{tree}");
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let made = 0;
function folder(): string {
  return join(root, `folder-${++made}`);
}

/** A bare copy of the source in one pack, or in several that hold some objects twice. */
async function bare(layout: "one pack" | "several packs"): Promise<string> {
  const path = folder();
  await git(root, "clone", "-q", "--mirror", source, path);
  await git(path, "repack", "-adq");
  if (layout === "several packs") {
    const tip = (await git(path, "rev-parse", "main")).trim();
    const older = (await git(path, "rev-parse", "main~4")).trim();
    const full = readdirSync(join(path, "objects/pack"));
    const pack = async (...revisions: string[]): Promise<void> => {
      const child = Bun.spawn(["git", "pack-objects", "-q", "--revs", "objects/pack/pack"], {
        cwd: path,
        stdin: new Blob([revisions.join("\n")]),
        stdout: "ignore",
      });
      await child.exited;
    };
    await pack(older);
    await pack(tip, `^${older}~2`);
    await pack("v1.0-again", "tree-tag", "refs/heads/feature/side", `^${older}`);
    for (const name of full) {
      rmSync(join(path, "objects/pack", name));
    }
  }
  await git(path, "fsck", "--strict");
  return path;
}

async function sameObjects(left: string, right: string): Promise<void> {
  await git(left, "fsck", "--strict");
  const [here, there] = await Promise.all([left, right].map((path) => git(path, "rev-list", "--objects", "--all")));
  expect(here?.split("\n").sort()).toEqual(there?.split("\n").sort());
}

const versions = [0, 1, 2].map((version) => ["-c", `protocol.version=${version}`] as const);

describe("fetch", () => {
  const layouts = [
    ["several packs", 2],
    ["one pack", 0],
    ["one pack", 1],
    ["one pack", 2],
    ["several packs", 0],
  ] as const;

  test.each(repeated(layouts, 3))(
    "from %s with protocol version %d: mirror, clone, incremental fetch, tags, single branch",
    async (layout, version) => {
      const repository = await bare(layout);
      await using server = new TransportServer(repository);
      const options = versions[version]!;
      const [mirror, clone, single] = [folder(), folder(), folder()];
      await Promise.all([
        git(root, ...options, "clone", "-q", "--mirror", server.url, mirror),
        git(root, ...options, "clone", "-q", server.url, clone),
        git(root, ...options, "clone", "-q", "--single-branch", "-b", "feature/side", server.url, single),
      ]);
      await sameObjects(mirror, repository);
      expect((await git(clone, "status", "--porcelain=v1", "-b")).trim()).toBe("## main...origin/main");
      expect((await git(clone, "rev-parse", "v1.0-again^{commit}")).trim()).toBe(
        (await git(source, "rev-parse", "v1.0^{commit}")).trim(),
      );
      await git(single, "fsck", "--strict");
      expect((await git(single, "tag")).split("\n").filter(Boolean)).toEqual(["v1.0", "v1.0-again"]);

      // The server gets new commits in a pack of their own, the client has some of its own.
      const work = folder();
      await git(root, "clone", "-q", repository, work);
      await commit(work, "new 1", { "README.md": `${lines(1)}\nnew`, "new/file.txt": "new" });
      await commit(work, "new 2", { "README.md": lines(12) });
      await git(work, "tag", "-a", "-m", "second", "v2.0");
      await git(work, "push", "-q", "origin", "main", "v2.0");
      await git(repository, "-c", "transfer.unpackLimit=1", "repack", "-dq");
      await commit(clone, "mine", { "mine.txt": "mine" });
      server.sent = 0;
      await git(clone, ...options, "fetch", "-q");
      expect(server.sent).toBeLessThan(6000);
      await git(clone, "fsck", "--strict");
      expect(await git(clone, "rev-parse", "origin/main", "v2.0")).toBe(await git(work, "rev-parse", "main", "v2.0"));
      await git(mirror, ...options, "fetch", "-q");
      await sameObjects(mirror, repository);
    },
  );

  test.each([
    ["several packs", 0],
    ["one pack", 2],
  ] as const)(
    "from %s with protocol version %d: shallow clones hold what git's own server gives, at every depth",
    async (layout, version) => {
      const repository = await bare(layout);
      await using server = new TransportServer(repository);
      const [ours, theirs] = [folder(), folder()];
      await both((url, path) =>
        git(root, ...versions[version]!, "clone", "-q", "--depth", "1", "--no-single-branch", url, path),
      );
      const steps = [
        ["--depth=3"],
        ["--deepen=1"],
        ["--shallow-exclude=v1.0"],
        ["--depth=2"],
        ["--shallow-since=2001-01-01"],
        ["--depth=4"],
        ["--unshallow", "--tags"],
      ];
      for (const step of steps) {
        await both((_, path) => git(path, ...versions[version]!, "fetch", "-q", ...step));
        await git(ours, "fsck", "--strict");
        expect(await history(ours)).toEqual(await history(theirs));
      }
      expect(await git(ours, "rev-list", "--objects", "origin/main")).toBe(
        await git(repository, "rev-list", "--objects", "main"),
      );

      async function both(run: (url: string, path: string) => Promise<unknown>): Promise<void> {
        await Promise.all([run(server.url, ours), run(`file://${repository}`, theirs)]);
      }
    },
  );
});

/** The boundary and everything within it. */
async function history(repository: string): Promise<{ boundary: string[]; objects: string[] }> {
  const shallow = Bun.file(join(repository, ".git/shallow"));
  const boundary = (await shallow.exists()) ? (await shallow.text()).split("\n").sort() : [];
  return { boundary, objects: (await git(repository, "rev-list", "--objects", "--all")).split("\n").sort() };
}

/** Sends a v0 request of these lines; null is a flush. */
async function uploadPack(server: TransportServer, lines: readonly (string | null)[]): Promise<Buffer> {
  const body = lines
    .map((line) => (line === null ? "0000" : `${(line.length + 5).toString(16).padStart(4, "0")}${line}\n`))
    .join("");
  const response = await fetch(`${server.url}/git-upload-pack`, { method: "POST", body });
  return Buffer.from(await response.arrayBuffer());
}

async function objectsOf(pack: Uint8Array): Promise<number> {
  const path = folder();
  await git(root, "init", "-q", "--bare", path);
  await Bun.write(join(path, "received.pack"), pack);
  await git(path, "index-pack", "received.pack");
  return (await git(path, "verify-pack", "-v", "received.pack"))
    .split("\n")
    .filter((line) => /^[0-9a-f]{40} /.test(line)).length;
}

test("a client's own name for a conversation is noted, in every version, and only what fits in a log", async () => {
  const repository = await bare("one pack");
  await using server = new TransportServer(repository);
  for (const options of versions) {
    const clone = folder();
    await git(root, ...options, "-c", "transfer.advertiseSID=true", "clone", "-q", server.url, clone);
    await commit(clone, "more", {});
    await git(
      clone,
      ...options,
      "-c",
      "transfer.advertiseSID=true",
      "push",
      "-q",
      "origin",
      `HEAD:refs/heads/new-${options[1]}`,
    );
    const heard = server.clients.splice(0);
    expect(heard.every(({ agent }) => agent?.startsWith("git/") === true)).toBe(true);
    // One for the fetch and one for the push: git does not say it with `ls-refs`.
    const sessions = heard.flatMap(({ session }) => session ?? []);
    expect(sessions).toEqual([expect.stringMatching(/^[\dTZ.-]+-H[0-9a-f]+-P[0-9a-f]+$/), expect.stringMatching(/-P/)]);
  }
  const main = (await git(repository, "rev-parse", "main")).trim();
  await uploadPack(server, [`want ${main} agent=\u001b[31mred session-id=${"long".repeat(100)}`, null, "done"]);
  expect(server.clients).toEqual([{ agent: ".[31mred", session: "long".repeat(32) }]);
});

describe("requests that git clients of today do not make", () => {
  test("a client without capabilities gets a plain pack, one with side-band small packets", async () => {
    const repository = await bare("several packs");
    await using server = new TransportServer(repository);
    const main = (await git(repository, "rev-parse", "main")).trim();
    const expected = (await git(repository, "rev-list", "--objects", "main")).trim().split("\n").length;
    const plain = await uploadPack(server, [`want ${main}`, null, "done"]);
    expect(plain.subarray(0, 8).toString()).toBe("0008NAK\n");
    expect(await objectsOf(plain.subarray(8))).toBe(expected);

    const banded = await uploadPack(server, [`want ${main} side-band ofs-delta`, null, "done"]);
    const packets: Buffer[] = [];
    for (let at = 8; at < banded.length - 4;) {
      const length = Number.parseInt(banded.toString("latin1", at, at + 4), 16);
      expect(length).toBeLessThanOrEqual(1000);
      if (banded[at + 4] === 1) {
        packets.push(banded.subarray(at + 5, at + length));
      }
      at += length;
    }
    expect(packets.length).toBeGreaterThan(2);
    expect(await objectsOf(Buffer.concat(packets))).toBe(expected);
    expect(banded.subarray(-4).toString()).toBe("0000");
  });

  test("haves are acknowledged as each mode says", async () => {
    const repository = await bare("one pack");
    await using server = new TransportServer(repository);
    const [main, older, oldest] = (await git(repository, "rev-parse", "main", "main~2", "main~4")).trim().split("\n");
    const unknown = "1".repeat(40);
    const answer = async (capabilities: string, ...haves: (string | null)[]): Promise<string> => {
      const reply = await uploadPack(server, [`want ${main}${capabilities}`, null, ...haves]);
      const end = reply.indexOf("PACK");
      return reply
        .toString("latin1", 0, end < 0 ? reply.length : end)
        .replaceAll(/[0-9a-f]{4}(?=ACK|NAK)/g, "")
        .replaceAll(older!, "older")
        .replaceAll(oldest!, "oldest")
        .replaceAll(unknown, "unknown");
    };
    expect(await answer("", `have ${older}`, `have ${oldest}`, null)).toBe("ACK older\n");
    expect(await answer("", `have ${unknown}`, null)).toBe("NAK\n");
    expect(await answer("", `have ${older}`, "done")).toBe("ACK older\n");
    expect(await answer(" multi_ack", `have ${older}`, `have ${unknown}`, null)).toBe(
      "ACK older continue\nACK unknown continue\nNAK\n",
    );
    expect(await answer(" multi_ack_detailed", `have ${older}`, null)).toBe("ACK older common\nACK older ready\nNAK\n");
    expect(await answer(" multi_ack_detailed", `have ${unknown}`, `have ${older}`, `have ${unknown}`, null)).toBe(
      "ACK older common\nACK unknown ready\nNAK\n",
    );
    expect(await answer(" multi_ack_detailed no-done", `have ${older}`, null)).toBe(
      "ACK older common\nACK older ready\nNAK\nACK older\n",
    );
    expect(await answer(" multi_ack_detailed", `have ${older}`, "done")).toBe("ACK older common\nACK older\n");
    // Haves above an old boundary are not enough to go on below it.
    const below = await uploadPack(server, [
      `want ${main} multi_ack_detailed no-done`,
      `shallow ${older}`,
      "deepen 2147483647",
      null,
      `have ${main}`,
      null,
    ]);
    expect(below.toString().replace(main!, "main").replace(older!, "older")).toBe(
      "0036unshallow older00000038ACK main common\n0008NAK\n",
    );
  });

  test("hostile requests end in an error packet", async () => {
    const repository = await bare("one pack");
    await using server = new TransportServer(repository);
    const main = (await git(repository, "rev-parse", "main")).trim();
    const hidden = (await git(repository, "commit-tree", "-m", "hidden", "main^{tree}")).trim();
    await git(repository, "update-ref", "refs/heads/gone", hidden);
    await git(repository, "repack", "-adq");
    await git(repository, "update-ref", "-d", "refs/heads/gone");
    const cases: [lines: (string | null)[], message: string][] = [
      [[`want ${"2".repeat(40)}`, null, "done"], `not our ref ${"2".repeat(40)}`],
      [[`want ${hidden}`, null, "done"], `not our ref ${hidden}`],
      [["want main", null, "done"], "expected to get oid"],
      [[`want ${main}`, "push me", null], "unexpected line 'push me'"],
      [[`want ${main}`, null, `have ${main}`], "ended among its have lines"],
      [[`want ${main}`, null, "nonsense"], "got 'nonsense'"],
      [[`want ${main}`, "deepen -1", null], "invalid number"],
      [[`want ${main}`, "deepen 1", "deepen-not main", null, "done"], "cannot be used together"],
      [[`want ${main}`, "deepen-not nowhere", null, "done"], "deepen-not is not a ref"],
      [[`want ${main}`, "deepen-since 99999999999", null, "done"], "no commits selected"],
      [[`want ${main} object-format=sha256`, null, "done"], "mismatched object format"],
    ];
    for (const [request, message] of cases) {
      const reply = (await uploadPack(server, request)).toString("latin1");
      expect(reply).toContain("ERR ");
      expect(reply).toContain(message);
      expect(reply).not.toContain("PACK");
    }
    // What a ref reaches may be asked for by its oid, whatever it is.
    for (const name of ["main~3", "main:README.md", "main~1^{tree}"]) {
      const reply = await uploadPack(server, [
        `want ${(await git(repository, "rev-parse", name)).trim()}`,
        null,
        "done",
      ]);
      expect(await objectsOf(reply.subarray(8))).toBeGreaterThan(0);
    }
  });
});
