import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { hearEvents } from "../../support/hear-events.ts";
import { expectRefused, PullsOf } from "../../support/merges.ts";
import { commitFile, type PullJson } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "a\n");
  await alice.api.post(`${at}/branches`, { new_branch_name: "stable", old_branch_name: "main" });
  for (const name of ["bob", "carol"]) {
    await alice.api.put(`${at}/collaborators/${name}`, { permission: "write" });
  }
});

const open = async () => site.open(await site.branch());
const schedule = (number: number, fields: object = {}, by = bob) =>
  site.merge(number, { merge_when_checks_succeed: true, ...fields }, by.api);
const status = (sha: string, state: string, context = "build") =>
  alice.api.post(`${at}/statuses/${sha}`, { context, state });
const cancel = (number: number, by = bob) => by.api.delete(`${at}/pulls/${number}/merge`);

async function isScheduled(number: number): Promise<boolean> {
  const rows = await sql`select 1 from pull_auto_merge join issue on issue.id = pull_id where number = ${number}`;
  return rows.length > 0;
}
const heard = hearEvents();
const eventsOf = (number: number) =>
  heard.flatMap((event) =>
    event.kind.startsWith("pull.merge") && "issue" in event && event.issue.number === number ? event.kind : [],
  );

async function scheduled(fields: object = {}, by = bob): Promise<PullJson> {
  const pull = await open();
  expect((await schedule(pull.number, fields, by)).status).toBe(201);
  return pull;
}

const merged = (number: number) => until("it is merged", () => site.isMerged(number));
const over = (number: number) => until("it waits no more", async () => !(await isScheduled(number)));
const jobsDone = () => waitUntilIdle(app.forge, 60_000);

describe("a merge that waits for checks", () => {
  test("is done when they have come and passed, in the name of whoever scheduled it", async () => {
    const { number, head } = await scheduled({
      Do: "squash",
      MergeTitleField: "Later",
      delete_branch_after_merge: true,
    });
    expect(await site.isMerged(number)).toBe(false);
    expect((await schedule(number, {}, carol)).status).toBe(409);
    await status(head.sha, "pending");
    await status(head.sha, "success", "test");
    expect(await site.isMerged(number)).toBe(false);
    await status(head.sha, "success");
    await merged(number);
    const { body } = await alice.api.get<{ merged_by: { login: string } }>(`${at}/pulls/${number}`);
    expect(body.merged_by.login).toBe("bob");
    const commit = await alice.api.get<{ commit: { message: string } }>(`${at}/git/commits/${await site.tip()}`);
    expect(commit.body.commit.message).toBe("Later\n");
    expect(await site.tip(head.ref)).toBeNull();
    expect(eventsOf(number)).toEqual(["pull.merge-scheduled", "pull.merged"]);
    expect(await isScheduled(number)).toBe(false);
  });

  test("is done at once where they have passed already", async () => {
    const { number, head } = await open();
    await status(head.sha, "success");
    expect((await schedule(number)).status).toBe(200);
    expect(await site.isMerged(number)).toBe(true);
  });

  test("waits for approvals, too, and for those checks alone that the rule names", async () => {
    const { number, head } = await open();
    await using _rule = {
      [Symbol.asyncDispose]: async () => void (await alice.api.delete(`${at}/branch_protections/main`)),
    };
    const rule = {
      rule_name: "main",
      required_approvals: 1,
      enable_status_check: true,
      status_check_contexts: ["build"],
    };
    await alice.api.post(`${at}/branch_protections`, rule);
    expect((await schedule(number)).status).toBe(201);
    await status(head.sha, "failure", "other");
    await status(head.sha, "success");
    expect(await site.isMerged(number)).toBe(false);
    const approved = await carol.api.post(`${at}/pulls/${number}/reviews`, { event: "APPROVED", body: "Fine" });
    expect(approved.status).toBe(200);
    await merged(number);
  });

  test("is refused as a merge is that nothing will make possible", async () => {
    const { number } = await open();
    const eve = await app.user("eve");
    expect(expectRefused(await schedule(number, {}, eve))).toStartWith("You may not merge");
    expect((await schedule(number, { Do: "manually-merged" })).status).toBe(422);
    expect((await schedule(number, { head_commit_id: "0".repeat(40) })).status).toBe(409);
    await alice.api.patch(`${at}/pulls/${number}`, { title: "WIP: no" });
    expect(expectRefused(await schedule(number))).toContain("draft");
    expect(await isScheduled(number)).toBe(false);
  });
});

describe("a scheduled merge is over", () => {
  test("if whoever scheduled it, or an administrator, cancels it", async () => {
    const first = await scheduled();
    expect((await cancel(first.number, carol)).status).toBe(403);
    expect((await cancel(first.number)).status).toBe(204);
    expect((await cancel(first.number)).status).toBe(404);
    expect(eventsOf(first.number)).toEqual(["pull.merge-scheduled", "pull.merge-unscheduled"]);
    await status(first.head.sha, "success");
    const second = await scheduled();
    expect((await cancel(second.number, alice)).status).toBe(204);
    const timeline = await alice.api.get<{ type: string }[]>(`${at}/issues/${second.number}/timeline`);
    expect(timeline.body.map(({ type }) => type)).toEqual(["pull_scheduled_merge", "pull_cancel_scheduled_merge"]);
    await jobsDone();
    expect(await site.isMerged(first.number)).toBe(false);
  });

  test("if the pull request is closed", async () => {
    const { number } = await scheduled();
    await alice.api.patch(`${at}/pulls/${number}`, { state: "closed" });
    expect(await isScheduled(number)).toBe(false);
  });

  test("if whoever scheduled it may not merge any more when it is tried", async () => {
    const { number, head } = await scheduled({}, carol);
    await alice.api.delete(`${at}/collaborators/carol`);
    await status(head.sha, "success");
    await over(number);
    expect(await site.isMerged(number)).toBe(false);
    expect(eventsOf(number)).toEqual(["pull.merge-scheduled", "pull.merge-unscheduled"]);
    await alice.api.put(`${at}/collaborators/carol`, { permission: "write" });
  });

  test.each([
    ["the token is deleted", (id: number) => sql`delete from access_token where id = ${id}`],
    [
      "the token has other scopes",
      (id: number) => sql`update access_token set scopes = '{read:repository,write:issue}' where id = ${id}`,
    ],
    [
      "the token has expired",
      (id: number) => sql`update access_token set expires_at = now() - interval '1 minute' where id = ${id}`,
    ],
  ])("if %s with which it was scheduled", async (_what, change) => {
    const pull = await open();
    const token = await app.scoped(carol, "write:repository");
    expect((await schedule(pull.number, {}, { ...carol, api: token })).status).toBe(201);
    const [row] = await sql<{ id: number }[]>`select max(id)::int as id from access_token where user_id = ${carol.id}`;
    await change(row!.id);
    await status(pull.head.sha, "success");
    await over(pull.number);
    await jobsDone();
    expect(await site.isMerged(pull.number)).toBe(false);
    expect(eventsOf(pull.number)).toEqual(["pull.merge-scheduled", "pull.merge-unscheduled"]);
  });

  test("if the password was changed with which it was scheduled", async () => {
    const dora = await app.user("dora");
    await alice.api.put(`${at}/collaborators/dora`, { permission: "write" });
    const pull = await open();
    expect((await schedule(pull.number, {}, { ...dora, api: app.withPassword("dora") })).status).toBe(201);
    await sql`update account set password_hash = 'x' where owner_id = ${dora.id}`;
    await status(pull.head.sha, "success");
    await over(pull.number);
    expect(await site.isMerged(pull.number)).toBe(false);
  });

  const heardOf = async (number: number, user = bob) =>
    (
      await sql<{ reason: string; status: string }[]>`select n.reason, n.status from notification n
        join issue i on i.id = n.issue_id where i.number = ${number} and n.user_id = ${user.id}`
    ).map(({ reason, status: state }) => [reason, state]);

  test("if somebody else pushes to the head, who may not merge", async () => {
    await using _rule = {
      [Symbol.asyncDispose]: async () => void (await alice.api.delete(`${at}/branch_protections/main`)),
    };
    const rule = { rule_name: "main", enable_merge_whitelist: true, merge_whitelist_usernames: ["bob"] };
    expect((await alice.api.post(`${at}/branch_protections`, rule)).status).toBe(201);
    const { number, head } = await scheduled();
    expectRefused(await site.merge(number, {}, carol.api));
    const tip = await commitFile(carol, "alice/site", { path: `bad-${number}.txt`, text: "bad", branch: head.ref });
    expect(await isScheduled(number)).toBe(false);
    await status(tip, "success");
    await status(head.sha, "success");
    await jobsDone();
    expect(await site.isMerged(number)).toBe(false);
    expect(eventsOf(number)).toEqual(["pull.merge-scheduled", "pull.merge-unscheduled"]);
    const timeline = await alice.api.get<{ type: string; user: { login: string } }[]>(
      `${at}/issues/${number}/timeline`,
    );
    expect(timeline.body.map(({ type, user }) => [type, user.login])).toEqual([
      ["pull_scheduled_merge", "bob"],
      ["pull_push", "carol"],
      ["pull_cancel_scheduled_merge", "carol"],
    ]);
    expect(await heardOf(number)).toEqual([["scheduled", "unread"]]);
  });

  test("but goes on with what the scheduler pushes", async () => {
    const { number, head } = await scheduled();
    const tip = await commitFile(bob, "alice/site", { path: `more-${number}.txt`, text: "more", branch: head.ref });
    await status(head.sha, "success");
    await jobsDone();
    expect([await site.isMerged(number), await isScheduled(number)]).toEqual([false, true]);
    await status(tip, "success");
    await merged(number);
  });

  test("if the head moved before it was known which one was agreed to", async () => {
    const { number, head } = await scheduled();
    await sql`update pull_auto_merge set head_oid = decode(${(await site.tip("main"))!}, 'hex')
      where pull_id = (select id from issue where number = ${number})`;
    await status(head.sha, "success");
    await over(number);
    expect(await site.isMerged(number)).toBe(false);
    expect(await heardOf(number)).toEqual([["scheduled", "unread"]]);
  });

  test("if others pushed to a fork before its scheduler did", async () => {
    const frank = await app.user("frank-of-the-fork");
    await frank.api.post(`${at}/forks`, { name: "site-of-frank" });
    const fork = `${frank.name}/site-of-frank`;
    await frank.api.put(`/repos/${fork}/collaborators/bob`, { permission: "write" });
    const franks = new PullsOf(app, frank, fork);
    const push = (by: typeof bob, branch: string, path: string) => commitFile(by, fork, { path, text: path, branch });
    for (const pushers of [[bob], [frank, bob]]) {
      const branch = await franks.branch();
      const { number } = await site.open(`${frank.name}:${branch}`, {}, frank.api);
      expect((await schedule(number)).status).toBe(201);
      // A job brings what was pushed to a fork, and may bring both at once.
      for (const [index, by] of pushers.entries()) {
        await push(by, branch, `${index}.txt`);
      }
      await jobsDone();
      expect([pushers.length, await isScheduled(number)]).toEqual([pushers.length, pushers.length === 1]);
    }
  });

  test("if somebody else pushes to the head from a fork", async () => {
    const eve = await app.user("eve-of-the-fork");
    await eve.api.post(`${at}/forks`, { name: "site-of-eve" });
    const eves = new PullsOf(app, eve, `${eve.name}/site-of-eve`);
    const head = await eves.branch();
    const { number } = await site.open(`${eve.name}:${head}`, {}, eve.api);
    expect((await schedule(number)).status).toBe(201);
    const tip = await eves.write("bad.txt", "bad", { branch: head });
    await over(number);
    await status(tip, "success");
    await jobsDone();
    expect(await site.isMerged(number)).toBe(false);
  });

  test("if somebody else has it merged into another branch", async () => {
    const pull = await open();
    expect((await schedule(pull.number)).status).toBe(201);
    // Who scheduled it says what becomes of it.
    expect((await bob.api.patch(`${at}/pulls/${pull.number}`, { base: "stable" })).status).toBe(201);
    expect(await isScheduled(pull.number)).toBe(true);
    expect((await alice.api.patch(`${at}/pulls/${pull.number}`, { base: "main" })).status).toBe(201);
    expect(await isScheduled(pull.number)).toBe(false);
    expect(eventsOf(pull.number)).toEqual(["pull.merge-scheduled", "pull.merge-unscheduled"]);
  });

  test("not by a conflict, which may go away", async () => {
    const head = await site.branch({ "a.txt": "other\n" });
    const pull = await site.open(head);
    await site.write("a.txt", "changed\n");
    expect((await schedule(pull.number)).status).toBe(201);
    await status(pull.head.sha, "success");
    await jobsDone();
    expect([await site.isMerged(pull.number), await isScheduled(pull.number)]).toEqual([false, true]);
  });
});

describe("what happens while it is merged", () => {
  /** Does something when the commit of the next merge is to be made. */
  function during(act: () => Promise<unknown>): Disposable {
    const { engine } = app.forge.git;
    const write = engine.write.bind(engine);
    let left = 1;
    const spy = spyOn(engine, "write").mockImplementation(async (view, name, args, signal) => {
      if (name === "commitMerge" && left-- > 0) {
        await act();
      }
      return write(view, name, args, signal);
    });
    return { [Symbol.dispose]: () => spy.mockRestore() };
  }

  const late = (number: number, branch: string, by: typeof bob) =>
    commitFile(by, "alice/site", { path: `late-${number}.txt`, text: "late", branch });

  test("a push to the head by the scheduler: that has no checks", async () => {
    const { number, head } = await scheduled();
    let tip = "";
    {
      using _ = during(async () => (tip = await late(number, head.ref, bob)));
      await status(head.sha, "success");
      await jobsDone();
    }
    expect(tip).not.toBe("");
    expect(await site.isMerged(number)).toBe(false);
    expect(await isScheduled(number)).toBe(true);
    await status(tip, "success");
    await merged(number);
  });

  test("a push to the head by somebody else, with checks", async () => {
    const { number, head } = await scheduled();
    let tip = "";
    {
      using _ = during(async () => {
        tip = await late(number, head.ref, carol);
        await status(tip, "success");
      });
      await status(head.sha, "success");
      await jobsDone();
    }
    expect(tip).not.toBe("");
    expect([await site.isMerged(number), await isScheduled(number)]).toEqual([false, false]);
  });

  test("the same, where the checks had passed when it was asked for", async () => {
    const { number, head } = await open();
    await status(head.sha, "success");
    using _ = during(async () => status(await late(number, head.ref, carol), "success"));
    expect((await schedule(number)).status).toBe(409);
    await jobsDone();
    expect([await site.isMerged(number), await isScheduled(number)]).toEqual([false, false]);
  });

  test("a check that fails", async () => {
    const { number, head } = await scheduled();
    using _ = during(() => status(head.sha, "failure"));
    await status(head.sha, "success");
    await jobsDone();
    expect(await site.isMerged(number)).toBe(false);
    expect(await isScheduled(number)).toBe(true);
  });

  test("it is cancelled, and scheduled by somebody else", async () => {
    const first = await scheduled();
    const second = await scheduled();
    const cancelled: number[] = [];
    {
      using _ = during(async () => cancelled.push((await cancel(first.number)).status));
      await status(first.head.sha, "success");
      await jobsDone();
    }
    {
      using _ = during(async () => {
        cancelled.push((await cancel(second.number)).status);
        await status(second.head.sha, "pending");
        cancelled.push((await schedule(second.number, { Do: "squash" }, carol)).status);
      });
      await status(second.head.sha, "success");
      await jobsDone();
    }
    expect(cancelled).toEqual([204, 204, 201]);
    for (const { number } of [first, second]) {
      expect(await site.isMerged(number)).toBe(false);
    }
    expect(await isScheduled(second.number)).toBe(true);
  });

  test("it is closed, or is for another branch", async () => {
    for (const change of [{ state: "closed" }, { base: "stable" }]) {
      const { number, head } = await scheduled();
      using _ = during(() => alice.api.patch(`${at}/pulls/${number}`, change));
      await status(head.sha, "success");
      await jobsDone();
      expect({ change, isMerged: await site.isMerged(number) }).toEqual({ change, isMerged: false });
    }
  });
});
