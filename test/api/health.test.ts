import { afterAll, expect, test } from "bun:test";
import { serverDoer } from "../../src/domain/doer.ts";
import { newJob } from "../../src/queue/enqueue.ts";
import { mailJob } from "../../src/queue/kinds.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const given = process.argv.length;
afterAll(() => process.argv.splice(given));

test("what the health check says names commands, and not where this server keeps its data", async () => {
  // As the server was started.
  process.argv.push("--data", "/srv/where-nobody-looks");
  const alice = await app.user("alice");
  const job = newJob(mailJob, { about: "account-created", userId: alice.id });
  await app.forge.change(serverDoer("test"), (work) => work.enqueue(job));
  await app.forge.database
    .sql`update queue._private_jobs set max_attempts = 1, attempts = 1, locked_at = null, run_at = now() + interval '1 hour'`;
  const answer = await fetch(`${app.url}/api/healthz`);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      status: "warn",
      checks: {
        database: { status: "pass" },
        git: { status: "pass" },
        storage: { status: "pass" },
        packs: { status: "pass" },
        jobs: {
          status: "warn",
          output: '1 jobs failed for good; the server\'s log and "stithy doctor" say why',
          observedValue: 0,
          observedUnit: "s",
        },
      },
    },
  ]);
});
