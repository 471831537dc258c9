import { afterAll, expect, test } from "bun:test";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { checkHealth } from "../../src/domain/server/health.ts";
import { newJob } from "../../src/queue/enqueue.ts";
import { mailJob } from "../../src/jobs/mail.ts";
import { workers } from "../../src/queue/job-runner.ts";
import type { QueuePulse } from "../../src/queue/queue-pulse.ts";
import { holdQueue } from "../support/hold-queue.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const given = process.argv.length;
afterAll(() => process.argv.splice(given));

test("what the health check says names commands, and not where this server keeps its data", async () => {
  // As the server was started.
  process.argv.push("--data", "/srv/where-nobody-looks");
  const alice = await app.user("alice");
  const job = newJob("mail", { about: "account-created", userId: alice.id });
  await using _held = await holdQueue(app.forge.database.sql);
  await app.forge.change(serverDoer("test"), (work) => work.enqueue(job));
  await app.forge.database.sql`update job set state = 'dead'`;
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
        files: { status: "pass" },
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

test("a queue that does not move is told, one that has no room is not", async () => {
  const { sql } = app.forge.database;
  await sql`delete from job`;
  await using _held = await holdQueue(sql);
  await sql`insert into job (kind, doer, payload, run_at) values ('mail', '{}', '{}', now() - interval '90 seconds')`;
  const seen = async (pulse: Partial<QueuePulse>) => {
    const still = { kinds: app.forge.pulse.kinds, running: 0, restMs: 61_000, ...pulse } as QueuePulse;
    return (await checkHealth({ ...app.forge, pulse: still })).checks["jobs"];
  };
  const { output, ...told } = (await seen({}))!;
  expect(told).toEqual({ status: "warn", observedValue: expect.any(Number), observedUnit: "s" });
  expect(output).toMatch(/^No job begins, although one waits for 9\d s; the server's log says why\. Restart/);
  const fine = { status: "pass", observedValue: expect.any(Number), observedUnit: "s" } as const;
  expect(await seen({ restMs: 59_000 })).toEqual(fine);
  expect(await seen({ running: workers })).toEqual(fine);
  await sql`insert into job (kind, doer, payload, state, leased_by, leased_until)
    select 'mail', '{}', '{}', 'running', 'another', now() + interval '1 hour' from generate_series(1, ${mailJob.concurrency})`;
  expect(await seen({})).toEqual(fine);
  await sql`delete from job`;
});
