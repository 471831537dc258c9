import { beforeAll, beforeEach, expect, spyOn, test } from "bun:test";
import { refreshPulls } from "../../../src/domain/work/pulls/refresh-pull.ts";
import { countJobs } from "../../../src/queue/queries.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** Pull requests whose base moved are worked out some at a time, when its branches are at rest. */

const app = await useTestApp();
const alice = await app.user("alice");
const { sql } = app.forge.database;
const { engine } = app.forge.git;
const site = await app.repository(alice, "site");
const pulls = 23;

const call = engine.call.bind(engine);
let previews = 0;
/** What happens before a preview, of which this is the number. */
let before: ((number: number) => Promise<void>) | null = null;
spyOn(engine, "call").mockImplementation(async (view, name, args, ended) => {
  if (name === "previewMerge") {
    await before?.(++previews);
  }
  return call(view, name, args, ended);
});
const atRest = async () => {
  const { waiting, running } = await countJobs(app.forge.database.db);
  return waiting + running === 0;
};
const signal = () => new AbortController().signal;

const rows = () =>
  sql<{ number: number; mergeability: string; additions: number; commits: number; fresh: boolean; files: string[] }[]>`
    select issue.number, pull.mergeability, pull.additions, pull.commit_count as commits, pull.conflicted_files as files,
      coalesce(pull.checked_base_oid = pull.base_oid and pull.checked_head_oid = pull.head_oid, false) as fresh
    from pull join issue on issue.id = pull.issue_id where pull.base_repository_id = ${site.id} order by issue.number`;
const allFresh = async () => (await rows()).every(({ mergeability, fresh }) => fresh && mergeability !== "checking");
/** As a push to the base leaves them, so long ago; no job is enqueued. */
const makeStale = async (restMs: number) => {
  await sql`update pull set mergeability = 'checking', checked_base_oid = null where base_repository_id = ${site.id}`;
  await sql`update repository set updated_at = now() - ${restMs} * interval '1 millisecond' where id = ${site.id}`;
};

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  for (let number = 1; number <= pulls; number++) {
    const branch = `head-${number}`;
    // The third is in conflict with what comes to the base.
    const path = number === 3 ? "base-0.txt" : `${branch}.txt`;
    await commitFile(alice, "alice/site", { path, text: `${number}\n`, branch, from: "main" });
    await alice.api.post("/repos/alice/site/pulls", { title: branch, base: "main", head: branch });
  }
});

beforeEach(async () => {
  before = async () => {};
  await until("no job to be left", atRest);
  previews = 0;
});

test("a burst of commits to the base leaves all of them as it wants them in the end", async () => {
  for (let round = 0; round < 6; round++) {
    await commitFile(alice, "alice/site", { path: `base-${round}.txt`, text: "base\n" });
  }
  await until("all to be worked out", allFresh);
  for (const { number, mergeability, additions, commits, files } of await rows()) {
    const isConflict = number === 3;
    expect({ number, mergeability }).toEqual({ number, mergeability: isConflict ? "conflict" : "mergeable" });
    expect({ additions, commits, files }).toEqual({
      additions: 1,
      commits: 1,
      files: isConflict ? ["base-0.txt"] : [],
    });
  }
});

test("nothing is worked out while branches move", async () => {
  await makeStale(-3_600_000);
  const waiting = refreshPulls(app.forge, site.id, AbortSignal.timeout(500));
  expect(await waiting.catch((error: unknown) => (error as Error).name)).toBe("TimeoutError");
  expect(previews).toBe(0);
  await makeStale(1000);
  await refreshPulls(app.forge, site.id, signal());
  expect(previews).toBe(pulls);
  expect(await allFresh()).toBe(true);
});

test("who looks at one meanwhile does not wait", async () => {
  await makeStale(-3_600_000);
  const { body } = await alice.api.get<PullJson>("/repos/alice/site/pulls/1");
  expect(body).toMatchObject({ mergeable: true, additions: 1 });
  expect(previews).toBe(1);
  await makeStale(1000);
  await refreshPulls(app.forge, site.id, signal());
});

test("what was overtaken is not stored, and what cannot be worked out keeps none of the others", async () => {
  await makeStale(1000);
  before = async (number) => {
    if (number === 2) {
      await sql`update pull set base_oid = head_oid from issue
        where issue.id = pull.issue_id and pull.base_repository_id = ${site.id} and issue.number = 2`;
    }
    if (number === 5) {
      throw new Error("It fell over");
    }
  };
  await refreshPulls(app.forge, site.id, signal());
  const found = await rows();
  expect(found.filter(({ mergeability }) => mergeability === "checking").map(({ number }) => number)).toEqual([2]);
  expect(found.filter(({ mergeability }) => mergeability === "error").map(({ number }) => number)).toEqual([5]);
  // What was known of it stays.
  expect(found.every(({ additions, commits }) => additions === 1 && commits === 1)).toBe(true);
});

test("one that a change holds is left to that change, and keeps none of the others", async () => {
  await makeStale(1000);
  await sql.begin(async (tx) => {
    // As a merge, which then moves the base of all of them.
    await tx`select from pull join issue on issue.id = pull.issue_id
      where pull.base_repository_id = ${site.id} and issue.number = 4 for update of pull`;
    await refreshPulls(app.forge, site.id, signal());
  });
  expect((await rows()).filter(({ fresh }) => !fresh).map(({ number }) => number)).toEqual([4]);
});
