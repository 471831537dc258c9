import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { serverDoer, type Doer } from "../../src/domain/spine/doer.ts";
import type { Event } from "../../src/domain/spine/events.ts";
import type { NamedRepository } from "../../src/domain/spine/events/names.ts";
import { subscribers, type Subscriber } from "../../src/domain/server/subscribers.ts";
import type { Work } from "../../src/domain/spine/work.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What a unit of work promises to those who write in it. */

const app = await useTestApp({ database: { connections: 6 } });
const { change, database } = app.forge;
const { sql } = database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const doer = serverDoer("test");
const repository: NamedRepository = { id: 7, name: "site", private: false, owner: { id: alice.id, name: "alice" } };

const rows = async () => [...(await sql`select kind, doer, owner_id, repository_id, payload from outbox order by id`)];
const lockAccount = (work: Work, id: number) =>
  work.tx.execute(`update account set language = 'seen' where owner_id = ${id}`);

/** Subscribers of these tests hear after those of the product. */
const further = subscribers as Subscriber[];
const usual = further.length;
afterEach(async () => {
  further.splice(usual);
  await sql`delete from outbox`;
});

test("a change that the database ended because of a deadlock runs again, and its events are told once", async () => {
  let runs = 0;
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cross = (first: number, second: number, which: number) =>
    change(doer, async (work) => {
      runs++;
      work.tell({ kind: "repository.archived", repository: { ...repository, id: which } });
      await lockAccount(work, first);
      begun[which]!.resolve();
      await begun[1 - which]!.promise;
      await lockAccount(work, second);
      return which;
    });
  expect(await Promise.all([cross(alice.id, bob.id, 0), cross(bob.id, alice.id, 1)])).toEqual([0, 1]);
  // On a busy machine the one that runs again may meet the other once more.
  expect(runs).toBeGreaterThanOrEqual(3);
  expect((await rows()).map((row) => Number(row["repository_id"])).sort()).toEqual([0, 1]);
});

test("a change whose target was deleted meanwhile is a busy error that every surface maps, and is logged once", async () => {
  const missing = 999_999_999;
  using warned = spyOn(app.forge.log, "warn");
  const late = change(doer, async (work) => {
    await work.tx.execute(`insert into email_address (user_id, email, lower_email) values (${missing}, 'a@b', 'a@b')`);
  });
  expect(await late.catch((error: unknown) => error)).toMatchObject({
    kind: "busy",
    code: "overtaken",
    message: "What this belongs to was deleted in the meantime; try again to see what is left",
  });
  expect(warned.mock.calls).toEqual([
    [
      expect.objectContaining({ doer: "server", reason: expect.stringContaining("email_address") }),
      "A change was overtaken by another one",
    ],
  ]);
});

test("a change of what is deleted meanwhile is answered as one of what is not there", async () => {
  const { id } = await app.repository(alice, "passing");
  const { starred } = await sql.begin(async (tx) => {
    await tx`delete from repository where id = ${id}`;
    const starred = bob.api.put("/user/starred/alice/passing");
    await until("the star waits for the repository", async () => {
      const [row] = await sql`select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid)
        where not l.granted and a.datname = current_database()`;
      return row?.["n"] > 0;
    });
    return { starred };
  });
  expect((await starred).status).toBe(404);
});

test("the outbox says who did what to what, by name and by id", async () => {
  await change(doer, async (work) => {
    work.tell({ kind: "repository.renamed", repository, oldName: "old" });
    work.tell({ kind: "hook.redelivered", hookId: 5, deliveryId: 6 });
    // What no receiver hears is told to subscribers alone.
    work.tell({ kind: "avatar.changed", owner: { id: bob.id, name: "bob" } });
  });
  const who = { kind: "server", reason: "test", id: null, name: null };
  expect(await rows()).toEqual([
    {
      kind: "repository.renamed",
      doer: who,
      owner_id: String(alice.id),
      repository_id: "7",
      payload: { repository, oldName: "old" },
    },
    {
      kind: "hook.redelivered",
      doer: who,
      owner_id: null,
      repository_id: null,
      payload: { hookId: 5, deliveryId: 6 },
    },
  ]);
});

test("a change over the API is told with the user and the kind of credential", async () => {
  const { id } = await app.repository(alice, "told");
  const issue = (await alice.api.post<{ id: number; number: number }>("/repos/alice/told/issues", { title: "Old" }))
    .body;
  await sql`delete from outbox`;
  // What is so already is not told again.
  for (const state of ["closed", "closed"]) {
    expect((await alice.api.patch(`/repos/alice/told/issues/${issue.number}`, { state })).status).toBe(201);
  }
  expect(await rows()).toEqual([
    {
      kind: "issue.closed",
      doer: { kind: "user", id: alice.id, name: "alice", credential: "token" },
      owner_id: String(alice.id),
      repository_id: String(id),
      payload: {
        repository: { id, name: "told", private: false, owner: { id: alice.id, name: "alice" } },
        issue: { id: issue.id, number: issue.number, title: "Old", isPull: false },
      },
    },
  ]);
});

test("half a surrogate pair is told as columns of text store it", async () => {
  await change(doer, async (work) => work.tell({ kind: "repository.renamed", repository, oldName: "a\ud800b" }));
  expect((await rows()).map(({ payload }) => payload)).toEqual([{ repository, oldName: "a\ufffdb" }]);
});

test("of very many refs a thousand are told, and how many they were", async () => {
  const refs = Array.from({ length: 1001 }, (_, index) => ({
    name: `refs/tags/${index}`,
    oldOid: null,
    newOid: "a".repeat(40),
  }));
  await change(doer, async (work) =>
    work.tell({ kind: "refs.moved", repository, refs, packBytes: 0, reason: "test", defaultBranch: "main" }),
  );
  const [row] = await rows();
  const payload = row?.["payload"] as { refs: unknown[]; total: number };
  expect([payload.refs.length, payload.total]).toEqual([1000, 1001]);
});

describe("subscribers", () => {
  test("hear in the transaction, and what they tell is heard after what was told before", async () => {
    const heard: string[] = [];
    further.push(async ({ tx, tell }, event) => {
      heard.push(event.kind);
      if (event.kind === "repository.created") {
        tell({ kind: "repository.archived", repository });
        await tx.execute(`update owner set description = 'heard' where id = ${alice.id}`);
      }
    });
    const seen = async () =>
      (await sql`select description from owner where id = ${alice.id}`)[0]?.["description"] as string;
    await change(doer, async (work) => {
      work.tell({ kind: "repository.created", repository });
      work.tell({ kind: "repository.unarchived", repository });
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(["repository.created", "repository.unarchived", "repository.archived"]);
    expect((await rows()).map(({ kind }) => kind)).toEqual(heard);
    expect(await seen()).toBe("heard");
  });

  test("that fail let the change fail", async () => {
    further.push(() => {
      throw new Error("not heard");
    });
    const failing = change(doer, async (work) => {
      await lockAccount(work, bob.id);
      await work.tx.execute(`update account set theme = 'lost' where owner_id = ${bob.id}`);
      work.tell({ kind: "repository.archived", repository });
    });
    await expect(failing).rejects.toThrow("not heard");
    expect(await sql`select 1 from account where theme = 'lost'`).toHaveLength(0);
    expect(await rows()).toEqual([]);
  });

  test("that tell each other in a circle are stopped", async () => {
    let heard = 0;
    further.push(({ tell }, event: Event) => {
      heard++;
      tell(event);
    });
    await expect(change(doer, async (work) => work.tell({ kind: "repository.archived", repository }))).rejects.toThrow(
      "Subscribers tell each other in a circle: repository.archived",
    );
    expect(heard).toBeLessThan(20);
    expect(await rows()).toEqual([]);
  });
});

describe("nothing is changed", () => {
  const changing = async (who: Doer) => {
    let ran = false;
    const error = await change(who, async () => {
      ran = true;
    }).catch((thrown: unknown) => thrown);
    return { ran, error: (error as Error | undefined)?.message ?? null };
  };

  test("by nobody", async () => {
    expect(await changing({ kind: "nobody" })).toEqual({
      ran: false,
      error: "Sign in with a user name and a password or token",
    });
  });

  test("by an application that was deleted, or has a new secret", async () => {
    const { status, body } = await alice.api.post<{ id: number }>("/user/applications/oauth2", {
      name: "app",
      redirect_uris: ["https://example.com/back"],
    });
    expect(status).toBe(201);
    const [row] = await sql`select * from oauth_application where id = ${body.id}`;
    const application = {
      ...(row as object),
      id: body.id,
      clientSecretHash: row?.["client_secret_hash"] as Uint8Array,
    } as unknown as (Doer & { kind: "application" })["application"];
    expect(await changing({ kind: "application", application })).toEqual({ ran: true, error: null });
    await alice.api.patch(`/user/applications/oauth2/${body.id}`, {
      name: "app",
      redirect_uris: ["https://example.com/back"],
    });
    const gone = { ran: false, error: "The application was deleted, or has a new secret" };
    expect(await changing({ kind: "application", application })).toEqual(gone);
    expect((await alice.api.delete(`/user/applications/oauth2/${body.id}`)).status).toBe(204);
    expect(await changing({ kind: "application", application })).toEqual(gone);
  });
});

test("who writes to a repository's code has its row before they are looked at", async () => {
  const { id } = await app.repository(alice, "held", { auto_init: true });
  await sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${bob.id}, 2)`;
  let writing: Promise<{ status: number }> | undefined;
  await sql.begin(async (tx) => {
    await tx`select 1 from repository where id = ${id} for update`;
    writing = bob.api.post(`/repos/alice/held/branches`, { new_branch_name: "late" });
    await until(
      "the write waits for the row",
      async () => (await sql`select 1 from pg_locks where not granted`).length > 0,
    );
    await tx`delete from collaborator where repository_id = ${id}`;
  });
  expect((await writing)?.status).toBe(403);
});
