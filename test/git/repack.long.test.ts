import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { RepackNotices, requestDueRepacks } from "../../src/domain/server/maintenance/request-repacks.ts";
import {
  repackRepository,
  type Maintenance,
  type RepackKind,
  type RepackSummary,
} from "../../src/domain/server/maintenance/repack-repository.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { moveRefs } from "../../src/domain/git/refs/move-refs.ts";
import { collectPacks } from "../../src/domain/git/packs/collect-packs.ts";
import { packPath } from "../../src/domain/git/packs/pack-path.ts";
import { listPacks } from "../../src/domain/git/packs/queries.ts";
import { reachabilityPathOf } from "../../src/git/pack/pack-paths.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { repack as repackPacks } from "../../src/git/repack/repack.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { randomFrom } from "../support/random.ts";
import { checkedRefs } from "../support/server-process.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { generateHistory } from "./generated-history.ts";

/** Repacking a repository that is in use: the same objects in fewer packs, nothing lost, nothing in anybody's way. */

const app = await useTestApp({ git: { unreachable_days: 0 } });
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { config, database } = app.forge;
const { packDirectory, temporaryDirectory } = app.forge.files;
const git = app.forge.git.engine;
const maintenance: Maintenance = {
  db: database.db,
  change: app.forge.change,
  blobs: app.forge.files.blobs,
  config,
  git,
  packDirectory,
  temporaryDirectory,
};
const random = randomFrom(7);
const urlOf = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;

function repack(repositoryId: number, kind: RepackKind): Promise<RepackSummary | null> {
  return repackRepository(maintenance, { repositoryId, kind });
}

const linked = (repositoryId: number) => listPacks(database.db, repositoryId);
const onlyLine = (text: string) => text.split("\n").filter(Boolean).length;

/** A work tree with an empty repository of Alice's to push to. */
async function newRepository(
  name: string,
  format: "sha1" | "sha256" = "sha1",
): Promise<{ id: number; url: string; work: string }> {
  const { id } = await app.repository(alice, name, { object_format_name: format, default_branch: "main" });
  const work = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", `--object-format=${format}`, work]);
  return { id, url: urlOf(name), work };
}

async function commitText(work: string, text: string): Promise<string> {
  await Bun.write(join(work, "file.txt"), text);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", text.slice(0, 40)]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** A line of length and content, as pushes begin. */
const packet = (line: string) => `${(line.length + 4).toString(16).padStart(4, "0")}${line}`;

/** Pushes a pack of exactly these objects, whatever the refs need; answers the report. */
async function pushObjects(
  repository: { url: string; work: string },
  ref: string,
  tip: string,
  oids: readonly string[],
): Promise<string> {
  const { stdout: pack } = Bun.spawnSync(["git", "pack-objects", "--stdout", "-q"], {
    cwd: repository.work,
    stdin: Buffer.from(oids.join("\n")),
  });
  const { origin, pathname } = new URL(repository.url);
  const command = packet(`${"0".repeat(40)} ${tip} ${ref}\0report-status\n`);
  const response = await fetch(`${origin}${pathname}/git-receive-pack`, {
    method: "POST",
    headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${alice.token}` },
    body: Buffer.concat([Buffer.from(`${command}0000`), pack]),
  });
  return response.text();
}

async function expectSame(repository: { url: string; work: string }, name: string): Promise<void> {
  const clone = scratch.join(`${name}-clone`);
  await checkedRefs(repository.url, clone);
  expect(await closureOf(clone)).toBe(await closureOf(repository.work));
}

describe("forty small pushes", () => {
  test("are brought into one pack while the server runs, which then is what a clone gets", async () => {
    const repository = await newRepository("forty");
    using keeper = new RepackNotices(app.forge, { quietMs: 1, restMs: 1 });
    app.forge.git.views.onSeveralPacks = (id) => keeper.notice(id);
    let tip = "";
    for (let round = 0; round < 40; round++) {
      tip = await commitText(repository.work, `${"line\n".repeat(50)}${round}`);
      await mustGit(repository.work, ["push", "-q", repository.url, "main"]);
      const { status } = await alice.api.get("/repos/alice/forty/commits?limit=1");
      expect(status).toBe(200);
    }
    await requestDueRepacks(app.forge);
    await until("there is one pack", async () => (await linked(repository.id)).length === 1);
    app.forge.git.views.onSeveralPacks = () => {};
    const [pack] = await linked(repository.id);
    const path = packPath(packDirectory, pack?.checksum ?? "");
    expect(pack?.objects).toBe(120);
    expect(existsSync(reachabilityPathOf(path))).toBe(true);
    await mustGit(scratch.path, ["verify-pack", path.replace(/\.pack$/, ".idx")]);
    const clone = scratch.join("forty-one");
    await mustGit(scratch.path, ["clone", "-q", "--bare", repository.url, clone]);
    const file = readdirSync(join(clone, "objects", "pack")).find((name) => name.endsWith(".pack")) ?? "";
    expect(
      Buffer.from(await Bun.file(join(clone, "objects", "pack", file)).arrayBuffer()).equals(
        Buffer.from(await Bun.file(path).arrayBuffer()),
      ),
    ).toBe(true);
    expect(await mustGit(clone, ["rev-parse", "main"])).toBe(tip);
    await expectSame(repository, "forty");
  });
});

describe.each(["sha1", "sha256"] as const)("a full repack of a %s repository", (format) => {
  test("makes a pack at most 15 % larger than git does, with the same objects", async () => {
    const name = `full-${format}`;
    const repository = await newRepository(name, format);
    // Every object whole, in several packs: all deltas have to be found.
    const whole = ["-c", "pack.window=0", "-c", "pack.depth=0"];
    const lines = Array.from({ length: 400 }, () => random.bytes(12).toHex());
    let commits = "";
    for (let round = 0; round < 60; round++) {
      for (let change = 0; change < 5; change++) {
        lines[random.below(lines.length)] = random.bytes(12).toHex();
      }
      const files = {
        "file.txt": lines.join("\n"),
        [`src/part-${round % 7}/module.ts`]: lines.slice(round).join("\n"),
      };
      const parent = commits === "" && round > 0 ? "from refs/heads/main^0\n" : "";
      commits += `commit refs/heads/main\ncommitter Ada <ada@example.org> ${round} +0000\ndata 4\nmore\n${parent}${Object.entries(
        files,
      )
        .map(([path, text]) => `M 644 inline ${path}\ndata ${text.length}\n${text}\n`)
        .join("")}`;
      if (round % 6 === 5) {
        await mustGit(repository.work, ["fast-import", "--quiet", "--depth=0"], { input: commits });
        commits = "";
        await mustGit(repository.work, [...whole, "push", "-q", repository.url, "main"]);
      }
    }
    await mustGit(repository.work, ["repack", "-adfq"]);
    const packs = join(repository.work, ".git", "objects", "pack");
    const best = readdirSync(packs).find((file) => file.endsWith(".pack")) ?? "";
    for (const kind of ["whole", "full"] as const) {
      const done = await repack(repository.id, kind);
      expect(done?.after.length).toBe(1);
      expect(done?.after[0]?.bytes ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
        statSync(join(packs, best)).size * 1.15,
      );
      await mustGit(repository.work, [
        "verify-pack",
        packPath(packDirectory, done?.after[0]?.checksum ?? "").replace(/\.pack$/, ".idx"),
      ]);
      await expectSame(repository, `${name}-${kind}`);
    }
    expect(readdirSync(temporaryDirectory)).toEqual([]);
  });
});

test("all kinds of history survive, out of several packs, by copying and by new deltas", async () => {
  using history = generateHistory(300, 5);
  const tips = history.git("for-each-ref", "--format=%(objectname)").split("\n");
  const packs = [0, 100, 200].map((from, number) => {
    const path = scratch.join(`slice-${number}.pack`);
    const wanted = [...tips.slice(from, from + 110), ...tips.slice(0, from).map((oid) => `^${oid}`)];
    const { stdout } = Bun.spawnSync(["git", "pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset"], {
      cwd: history.directory,
      stdin: Buffer.from(`${wanted.join("\n")}\n`),
    });
    writeFileSync(path, stdout);
    Bun.spawnSync(["git", "index-pack", path], { cwd: history.directory });
    return path;
  });
  for (const [deltas, largeBytes] of [["stored"], ["search"], ["new"], ["stored", 300], ["new", 300]] as const) {
    using caches = new EngineCaches(16 * 1024 * 1024, 1e6, largeBytes);
    using db = ObjectDatabase.open(sha1, packs, caches);
    let made = 0;
    const result = repackPacks(db, caches, {
      tips,
      keep: [],
      deltas,
      temporaryPath: () => scratch.join(`${deltas}-${largeBytes}-${++made}.pack`),
      step: () => {},
    });
    expect(result.packs.length).toBe(1);
    const copy = scratch.join(`copy-${deltas}-${largeBytes}`);
    await mustGit(scratch.path, ["init", "-q", "--bare", copy]);
    for (const path of [result.packs[0]?.packPath ?? "", result.packs[0]?.indexPath ?? ""]) {
      copyFileSync(path, join(copy, "objects", "pack", `pack-${result.packs[0]?.checksum}${extname(path)}`));
    }
    await mustGit(copy, ["update-ref", "--stdin"], {
      input: `${history.git("for-each-ref", "--format=create %(refname) %(objectname)")}\n`,
    });
    // Its submodules are at the null object id, which git only warns of.
    await mustGit(copy, ["fsck", "--full"]);
    expect(await closureOf(copy)).toBe(await closureOf(history.directory));
    const chains = await mustGit(copy, ["verify-pack", "-v", result.packs[0]?.indexPath ?? ""]);
    expect(
      Math.max(0, ...[...chains.matchAll(/chain length = (\d+)/g)].map(([, length]) => Number(length))),
    ).toBeLessThanOrEqual(50);
  }
});

describe("what nothing reaches", () => {
  test("is dropped, and the old packs stay for an hour for those who read them", async () => {
    const repository = await newRepository("drop");
    await commitText(repository.work, "kept");
    await mustGit(repository.work, ["push", "-q", repository.url, "main"]);
    await mustGit(repository.work, ["checkout", "-q", "-b", "gone"]);
    const gone = await commitText(repository.work, "dropped");
    await mustGit(repository.work, ["push", "-q", repository.url, "gone"]);
    await mustGit(repository.work, ["push", "-q", repository.url, ":gone"]);
    const before = (await linked(repository.id)).map(({ checksum }) => packPath(packDirectory, checksum));
    const longAgo = Date.now() / 1000 - 7200;
    before.forEach((path) => utimesSync(path, longAgo, longAgo));

    expect(await repack(repository.id, "whole")).toMatchObject({ dropped: 3 });

    expect(await collectPacks(database.db, packDirectory, silentLogger)).toBe(0);
    expect(before.every((path) => existsSync(path))).toBe(true);
    expect(await collectPacks(database.db, packDirectory, silentLogger, { graceMs: 0 })).toBeGreaterThanOrEqual(1);
    const [left] = await linked(repository.id);
    expect(left?.objects).toBe(3);
    // The pack of the first push holds the same as the new one, so it is the new one.
    expect(before.filter((path) => existsSync(path))).toEqual([packPath(packDirectory, left?.checksum ?? "")]);
    const empty = scratch.join("empty");
    await mustGit(scratch.path, ["init", "-q", "--bare", empty]);
    expect((await runGit(empty, ["fetch", "-q", repository.url, gone])).code).not.toBe(0);
  });

  test("and is used by a push that began before: the push is refused, not broken", async () => {
    const { repository, tip } = await withLeftover("race-push");
    const index = git.index.bind(git);
    let repacked = false;
    git.index = async (...args) => {
      const result = await index(...args);
      if (!repacked) {
        repacked = true;
        expect(await repack(repository.id, "whole")).toMatchObject({ dropped: 3 });
      }
      return result;
    };
    try {
      const report = await pushObjects(repository, "refs/heads/again", tip, [tip]);
      expect(report).toContain("Cannot find the object");
    } finally {
      git.index = index;
    }
    expect(await checkedRefs(repository.url, scratch.join("race-push-clone"))).toHaveLength(1);
  });

  test("is not to be had by a push that names it", async () => {
    const { repository, tip, leftover } = await withLeftover("named");
    for (const [named, oids] of [
      [leftover, []],
      [tip, [tip]],
    ] as const) {
      expect(await pushObjects(repository, "refs/heads/again", named, oids)).toContain("Cannot find the object");
    }
    expect(await checkedRefs(repository.url, scratch.join("named-clone"))).toHaveLength(1);
  });

  test("and is reached again in the middle of a repack: the repack gives up", async () => {
    const { repository, leftover } = await withLeftover("race-repack");
    const maintain = git.maintain.bind(git);
    git.maintain = async (...args) => {
      const result = await maintain(...args);
      if (args[1] !== "repack") {
        return result;
      }
      await app.forge.change(serverDoer("test"), (work) =>
        moveRefs(work, {
          repository: { id: repository.id, name: "race-repack", private: false, owner: alice },
          changes: [{ name: "refs/heads/again", oldOid: null, newOid: leftover, peeled: null }],
          reason: "test",
        }),
      );
      return result;
    };
    try {
      expect(
        await repack(repository.id, "whole").then(
          () => "",
          (error: { code: string }) => error.code,
        ),
      ).toBe("missing-object");
    } finally {
      git.maintain = maintain;
    }
    expect(await checkedRefs(repository.url, scratch.join("race-repack-clone"))).toHaveLength(2);
    expect(await repack(repository.id, "whole")).toMatchObject({ dropped: 0 });
    expect(await checkedRefs(repository.url, scratch.join("race-repack-clone-2"))).toHaveLength(2);
  });

  /** A repository with one branch and what is left of another one, and a commit that needs that. */
  async function withLeftover(name: string) {
    const repository = await newRepository(name);
    await commitText(repository.work, "kept");
    await mustGit(repository.work, ["push", "-q", repository.url, "main"]);
    const leftover = await commitText(repository.work, "left over");
    await mustGit(repository.work, ["push", "-q", repository.url, "main:gone"]);
    await mustGit(repository.work, ["push", "-q", repository.url, ":gone"]);
    const tip = await mustGit(repository.work, ["commit-tree", "-m", "another with the same tree", "HEAD^{tree}"]);
    return { repository, tip, leftover };
  }
});

test("a push in the middle of a repack stays, and refs that moved are in it", async () => {
  const repository = await newRepository("beside");
  for (let round = 0; round < 5; round++) {
    await commitText(repository.work, `first ${round}`);
    await mustGit(repository.work, ["push", "-q", repository.url, "main"]);
  }
  const maintain = git.maintain.bind(git);
  git.maintain = async (...args) => {
    const result = await maintain(...args);
    // Languages are counted by the same engine.
    if (args[1] !== "repack") {
      return result;
    }
    await commitText(repository.work, "pushed meanwhile");
    await mustGit(repository.work, ["push", "-q", repository.url, "main"]);
    return result;
  };
  try {
    expect(await repack(repository.id, "full")).not.toBeNull();
  } finally {
    git.maintain = maintain;
  }
  expect((await linked(repository.id)).length).toBe(2);
  await expectSame(repository, "beside");
  expect(onlyLine(await mustGit(repository.work, ["rev-list", "main"]))).toBe(6);
});
