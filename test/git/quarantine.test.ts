import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { importRepository } from "../../src/domain/server/maintenance/import-repository.ts";
import { repackRepository, type Maintenance } from "../../src/domain/server/maintenance/repack-repository.ts";
import { collectPacks } from "../../src/domain/git/packs/collect-packs.ts";
import { openBareRepository } from "../../src/git/import/bare-repository.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { Scratch, mustGit, runGit, type GitRun } from "../support/git.ts";
import { checkedRefs } from "../support/server-process.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Of what is refused nothing stays, not even for a moment; of what is taken nothing goes, whoever else has it or removes it. */

const app = await TestApp.start({ git: { deny_non_fast_forwards: true }, database: { connections: 10 } }, silentLogger);
const scratch = new Scratch();
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  scratch[Symbol.dispose]();
});
const alice = await app.user("alice");
const { config, database } = app.forge;
const { packDirectory, temporaryDirectory } = app.forge.files;
const git = app.forge.git.engine;
const { sql } = database;
const maintenance: Maintenance = {
  db: database.db,
  change: app.forge.change,
  blobs: app.forge.files.blobs,
  config,
  git,
  packDirectory,
  temporaryDirectory,
};
const work = scratch.join("work");
const gate = 4711;
let made = 0;

const urlOf = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
const push = (name: string, ...args: string[]): Promise<GitRun> => runGit(work, ["push", urlOf(name), ...args]);
const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true })
    .map(String)
    .filter((name) => name.includes("."))
    .sort();
const files = () => ({ temporary: readdirSync(temporaryDirectory), packs: filesIn(packDirectory) });

beforeAll(async () => {
  // A ref's name says what becomes of the transaction that makes it, behind everything else that it does.
  await sql.unsafe(`
    create function play_fate() returns trigger language plpgsql as $$ begin
      if new.name like '%held%' then perform pg_advisory_xact_lock(${gate}); end if;
      if new.name like '%failing%' then raise exception 'as the name says'; end if;
      return null;
    end $$;
    create function fail_late() returns trigger language plpgsql as $$ begin raise exception 'as the name says'; end $$;
    create trigger fate after insert on ref for each row execute function play_fate();
    create constraint trigger late_fate after insert on ref deferrable initially deferred for each row when (new.name like '%late%') execute function fail_late();
  `);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
});

/** A repository that has the first commit, and a new commit in the work tree. */
async function prepare(): Promise<{ name: string; id: number }> {
  const name = `repository-${++made}`;
  const { id } = await app.repository(alice, name, { default_branch: "main" });
  await commit();
  expect((await push(name, "main")).code).toBe(0);
  await commit();
  return { name, id };
}

async function commit(): Promise<void> {
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", `commit ${crypto.randomUUID()}`]);
}

/** Begins something that comes to wait at the gate, does something else in that moment, and opens the gate. */
async function held<Result>(begin: () => Promise<Result>, meanwhile: () => Promise<unknown>): Promise<Result> {
  await using session = await sql
    .reserve()
    .then((reserved) => ({ reserved, [Symbol.asyncDispose]: async () => reserved.release() }));
  await session.reserved`select pg_advisory_lock(${gate})`;
  try {
    const begun = begin();
    await until("it waits at the gate", async () => (await waiting("advisory")) > 0);
    await meanwhile();
    await session.reserved`select pg_advisory_unlock(${gate})`;
    return await begun;
  } finally {
    await session.reserved`select pg_advisory_unlock_all()`;
  }
}

/** How many wait for a lock of this kind; "transactionid": for the end of a transaction. */
async function waiting(kind: string): Promise<number> {
  const [row] =
    await sql`select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid) where not granted and l.locktype = ${kind} and a.datname = current_database()`;
  return Number(row?.["n"]);
}

async function expectWhole(name: string): Promise<void> {
  const refs = await checkedRefs(urlOf(name), scratch.join(crypto.randomUUID()));
  expect(refs.length).toBeGreaterThan(0);
}

describe("a refused push leaves no file behind, and changes nothing:", () => {
  const refusals: [string, (name: string, id: number) => Promise<GitRun>, string][] = [
    [
      "a forced one that is forbidden",
      async (name) => push(name, `+${await mustGit(work, ["commit-tree", "-m", `other ${made}`, "HEAD^{tree}"])}:main`),
      "non-fast-forward",
    ],
    [
      "a branch that is a blob",
      async (name) =>
        push(
          name,
          `${await mustGit(work, ["hash-object", "-w", "--stdin"], { input: `text ${made}` })}:refs/heads/blob`,
        ),
      "a branch cannot point at a blob",
    ],
    [
      "one of two names refused, atomic",
      (name) => push(name, "--atomic", "main", "main:refs/pull/1/head"),
      "atomic push failed",
    ],
    [
      "a change beside a branch",
      (name) => push(name, "main", "main:refs/for/main"),
      "push one change at a time to refs/for/, and nothing beside it",
    ],
    ["a change without a topic", (name) => push(name, "main:refs/for/main"), "Name the change"],
    [
      "the ref moved meanwhile",
      async (name, id) => {
        let pushed: Promise<GitRun> | undefined;
        await sql.begin(async (tx) => {
          await tx`select 1 from repository where id = ${id} for update`;
          pushed = push(name, "main");
          await until(
            "the push waits for the row",
            async () => (await waiting("tuple")) + (await waiting("transactionid")) > 0,
          );
          await tx`update ref set oid = decode(${"12".repeat(20)}, 'hex') where repository_id = ${id}`;
        });
        const answer = await pushed!;
        await sql`update ref set oid = decode(${await mustGit(work, ["rev-parse", "main~1"])}, 'hex') where repository_id = ${id}`;
        return answer;
      },
      "rejected",
    ],
    [
      "the repository was archived meanwhile",
      async (name, id) => {
        let pushed: Promise<GitRun> | undefined;
        await sql.begin(async (tx) => {
          await tx`update repository set archived_at = now() where id = ${id}`;
          pushed = push(name, "main");
          await until(
            "the push waits for the row",
            async () => (await waiting("tuple")) + (await waiting("transactionid")) > 0,
          );
        });
        return pushed!;
      },
      "is archived",
    ],
    [
      "the database fails behind the publication",
      (name) => push(name, "main:refs/heads/failing"),
      "something went wrong",
    ],
    ["the database fails at the end", (name) => push(name, "main:refs/heads/late"), "something went wrong"],
    [
      "the connection is lost behind the publication",
      (name) =>
        held(
          () => push(name, "main:refs/heads/held"),
          async () => {
            expect(filesIn(packDirectory).length).toBeGreaterThan(1);
            await sql`select pg_terminate_backend(pid) from pg_locks where not granted and locktype = 'advisory'`;
          },
        ),
      "cannot be reached",
    ],
  ];

  test.each(refusals)("%s", async (_, refused, reason) => {
    const { name, id } = await prepare();
    const refs = await mustGit(work, ["ls-remote", urlOf(name)]);
    const before = files();
    const { code, stderr } = await refused(name, id);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) as unknown as string });
    expect(files()).toEqual(before);
    expect(await mustGit(work, ["ls-remote", urlOf(name)])).toBe(refs);
    await expectWhole(name);
  });

  test("a file over the API, an annotated tag, and a repository with a first commit", async () => {
    const { name } = await prepare();
    // A fault of the server is no answer that the API declares, so it is not read as one.
    const post = async (path: string, body: object) =>
      (
        await fetch(`${app.url}/api/v1${path}`, {
          method: "POST",
          headers: { authorization: `token ${alice.token}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      ).status;
    const before = files();
    const content = Buffer.from("text").toString("base64");
    const statuses = [
      await post(`/repos/alice/${name}/contents/file`, { content, message: "m", new_branch: "failing" }),
      await post(`/repos/alice/${name}/tags`, { tag_name: "failing", message: "annotated" }),
      await post("/user/repos", { name: "failing", auto_init: true, default_branch: "late" }),
    ];
    expect(statuses).toEqual([500, 500, 500]);
    expect(files()).toEqual(before);
  });
});

describe("the same pack pushed to two repositories at once stays", () => {
  test("when the first is refused while the second waits for it", async () => {
    const [one, two] = [await prepare(), await app.repository(alice, `other-${made}`, { default_branch: "main" })];
    await push(two.name, "main~1:refs/heads/main");
    let second: Promise<GitRun> | undefined;
    const first = await held(
      () => push(one.name, "main:refs/heads/held-failing"),
      async () => {
        second = push(two.name, "main");
        await until("the second waits for the first", async () => (await waiting("transactionid")) > 0);
      },
    );
    expect(first.stderr).toContain("something went wrong");
    expect((await second!).code).toBe(0);
    await expectWhole(two.name);
    await expectWhole(one.name);
  });

  test("when the second is refused behind the first", async () => {
    const [one, two] = [await prepare(), await app.repository(alice, `other-${made}`, { default_branch: "main" })];
    await push(two.name, "main~1:refs/heads/main");
    expect((await push(one.name, "main")).code).toBe(0);
    const before = files();
    expect((await push(two.name, "main:refs/heads/failing")).code).toBe(1);
    expect(files()).toEqual(before);
    await expectWhole(one.name);
  });

  test("in rounds of four of which two fail", async () => {
    const { name } = await prepare();
    for (let round = 0; round < 4; round++) {
      const runs = await Promise.all(
        ["a", "failing", "b", "late"].map((ref) => push(name, `main:refs/heads/${ref}-${round}`)),
      );
      expect(runs.map(({ code }) => code)).toEqual([0, 1, 0, 1]);
      await commit();
    }
    await expectWhole(name);
    expect(readdirSync(temporaryDirectory)).toEqual([]);
  });
});

describe("a collection, for which every file is old,", () => {
  const everything = { graceMs: -1, uptimeMs: Infinity };
  const age = () => filesIn(packDirectory).forEach((file) => utimesSync(join(packDirectory, file), 1, 1));

  test("waits for the push that has published a pack and not committed yet", async () => {
    const { name } = await prepare();
    let collected: Promise<number> | undefined;
    const pushed = await held(
      () => push(name, "main:refs/heads/held"),
      async () => {
        age();
        collected = collectPacks(database.db, packDirectory, silentLogger, everything);
        await until("the collection waits", async () => (await waiting("transactionid")) > 0);
      },
    );
    expect(pushed.code).toBe(0);
    expect(await collected!).toBe(0);
    await expectWhole(name);
  });

  test("passes over a pack that has been about to be named for long", async () => {
    const { name } = await prepare();
    let collected: number | undefined;
    const pushed = await held(
      () => push(name, "main:refs/heads/held"),
      async () => {
        age();
        collected = await collectPacks(database.db, packDirectory, silentLogger, everything);
      },
    );
    expect([pushed.code, collected]).toEqual([0, 0]);
    await expectWhole(name);
  });

  test("finds nothing of an import of several packs, however long that takes, and of a repack", async () => {
    const source = scratch.join("source.git");
    await mustGit(scratch.path, ["init", "-q", "--bare", source]);
    for (const branch of ["one", "two"]) {
      await commit();
      await mustGit(work, ["push", "-q", source, `main:${branch}`]);
      await mustGit(source, ["repack", "-q"]);
    }
    await mustGit(work, ["push", "-q", source, "main:refs/heads/held"]);
    const { objects, ...found } = await openBareRepository(source);
    expect(found.packs.length).toBeGreaterThan(1);
    // Whenever a pack has been taken over, everything that is published is collected.
    const collections: Promise<number>[] = [];
    const imported = await held(
      () =>
        importRepository(maintenance, {
          owner: "alice",
          name: "imported",
          private: false,
          source: { ...found, looseObjects: objects },
          onProgress: () => collections.push(collectPacks(database.db, packDirectory, silentLogger, everything)),
        }),
      async () => collections.push(collectPacks(database.db, packDirectory, silentLogger, everything)),
    );
    expect(imported.refs).toBe(3);
    expect(new Set(await Promise.all(collections))).toEqual(new Set([0]));
    await expectWhole("imported");
    expect(readdirSync(temporaryDirectory)).toEqual([]);
    const [row] = await sql`select id from repository where name = 'imported'`;
    await repackRepository(maintenance, {
      repositoryId: Number(row?.["id"]),
      kind: "whole",
      onProgress: () => void collectPacks(database.db, packDirectory, silentLogger, everything),
    });
    await collectPacks(database.db, packDirectory, silentLogger, everything);
    await expectWhole("imported");
  });

  test("an import that fails leaves nothing", async () => {
    const source = scratch.join("failing.git");
    await mustGit(scratch.path, ["clone", "-q", "--bare", work, source]);
    await mustGit(source, ["branch", "late", "main"]);
    const { objects, ...found } = await openBareRepository(source);
    const before = files();
    const failed = importRepository(maintenance, {
      owner: "alice",
      name: "never",
      private: false,
      source: { ...found, looseObjects: objects },
      onProgress: () => {},
    });
    expect(
      await failed.then(
        () => null,
        (error: unknown) => error,
      ),
    ).not.toBeNull();
    expect(files()).toEqual(before);
  });
});
