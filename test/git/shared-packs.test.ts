import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { repackRepository, type Maintenance } from "../../src/domain/server/maintenance/repack-repository.ts";
import { collectPacks } from "../../src/domain/git/packs/collect-packs.ts";
import { packPath } from "../../src/domain/git/packs/pack-path.ts";
import { linkedChecksums } from "../../src/domain/git/packs/queries.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { Scratch, closureOf, mustGit } from "../support/git.ts";
import { checkedRefs } from "../support/server-process.ts";
import { useTestApp } from "../support/test-app.ts";

/** Two repositories that refer to the same pack files, as forks do: what becomes of one does not touch the other. */

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
const urlOf = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
const linked = async (id: number) => [...(await linkedChecksums(database.db, id))].sort();

/** The collector spares what is younger than an hour. */
async function collect(): Promise<void> {
  const old = Date.now() / 1000 - 7200;
  for (const file of readdirSync(packDirectory, { recursive: true })
    .map(String)
    .filter((name) => name.includes("."))) {
    utimesSync(join(packDirectory, file), old, old);
  }
  await collectPacks(database.db, packDirectory, silentLogger, { graceMs: 0 });
}

test("one is repacked, collected, pushed to and deleted while the other is read", async () => {
  const work = scratch.join("work");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  const { id: origin } = await app.repository(alice, "origin", { default_branch: "main" });
  const { id: fork } = await app.repository(alice, "fork", { default_branch: "main" });
  for (const round of [0, 1, 2]) {
    await Bun.write(join(work, "file.txt"), `${"a line\n".repeat(200)}${round}\n`);
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", `commit ${round}`]);
    await mustGit(work, ["push", "-q", urlOf("origin"), "main"]);
  }
  const shared = await linked(origin);
  expect(shared).toBeArrayOfSize(3);
  // What forking is, at the level of tables.
  await database.sql`insert into repository_pack (repository_id, pack_id) select ${fork}, pack_id from repository_pack where repository_id = ${origin}`;
  await mustGit(work, ["push", "-q", urlOf("fork"), "main"]);
  const forked = await linked(fork);
  expect(forked).toEqual(expect.arrayContaining(shared) as unknown as string[]);
  const whole = await closureOf(work);

  async function expectWhole(name: string): Promise<void> {
    const clone = scratch.join(`${name}-${crypto.randomUUID()}`);
    expect(await checkedRefs(urlOf(name), clone)).toEqual([
      `${await mustGit(work, ["rev-parse", "main"])} refs/heads/main`,
    ]);
    expect(await closureOf(clone)).toBe(whole);
  }

  await repackRepository(maintenance, { repositoryId: origin, kind: "full" });
  const [repacked = "", ...others] = await linked(origin);
  expect(others).toEqual([]);
  expect(await linked(fork)).toEqual(forked);
  await collect();
  expect([...shared, repacked].map((checksum) => existsSync(packPath(packDirectory, checksum)))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  await expectWhole("fork");
  await expectWhole("origin");

  // The same objects make the same pack: now it is that which they share, and the old ones are nobody's.
  await repackRepository(maintenance, { repositoryId: fork, kind: "full" });
  expect(await linked(fork)).toEqual([repacked]);
  await collect();
  expect([...shared, repacked].map((checksum) => existsSync(packPath(packDirectory, checksum)))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  await expectWhole("fork");

  expect((await alice.api.delete("/repos/alice/origin")).status).toBe(204);
  await collect();
  expect(await linked(fork)).toEqual([repacked]);
  await expectWhole("fork");
  expect((await alice.api.delete("/repos/alice/fork")).status).toBe(204);
  await collect();
  expect(existsSync(packPath(packDirectory, repacked))).toBe(false);
});
