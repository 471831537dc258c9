import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { RepositoryArchived } from "../../src/domain/spine/errors.ts";
import { moveRefs } from "../../src/domain/git/refs/move-refs.ts";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** A write that was allowed when it came in, and is not any more when its turn comes. */

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
await writeFile(join(work, "file.txt"), "text\n");
await mustGit(work, ["add", "-A"]);
await mustGit(work, ["commit", "-q", "-m", "first"]);

let number = 0;
let name = "";
let id = 0;

beforeEach(async () => {
  name = `repo-${++number}`;
  ({ id } = await app.repository(alice, name, { auto_init: true }));
  await sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${bob.id}, 2)`;
  expect((await alice.api.post(`/repos/alice/${name}/branches`, { new_branch_name: "side" })).status).toBe(201);
});

const pushTo =
  (ending: string, ...refspecs: string[]) =>
  async () => {
    const { code, stderr } = await runGit(work, [
      "push",
      `${app.url.replace("://", `://bob:${bob.token}@`)}/alice/${name}${ending}`,
      ...refspecs,
    ]);
    return { status: code, message: stderr };
  };
const push = (...refspecs: string[]) => pushTo(".git", ...refspecs);

const call = (method: string, path: string, body?: object) => async () => {
  const { status, body: answer } = await bob.api.request<{ message?: string }>(
    method,
    `/repos/alice/${name}${path}`,
    body === undefined ? {} : { body: JSON.stringify(body) },
  );
  return { status, message: answer?.message ?? "" };
};

const refs = () =>
  sql`select name, encode(oid, 'hex') as oid from ref where repository_id = ${id} order by name`.then((rows) =>
    rows.map((row) => `${row["name"]} ${row["oid"]}`),
  );

/** Lets a write begin while the repository's row is held, changes something in that moment, and gives the row free. */
async function overtake(
  write: () => Promise<{ status: number; message: string }>,
  change: (tx: postgres.TransactionSql) => Promise<unknown>,
) {
  let answer: Promise<{ status: number; message: string }> | undefined;
  // What follows from the changes before waits for the row as well.
  await waitUntilIdle(app.forge, 60_000);
  await sql.begin(async (tx) => {
    await tx`select 1 from repository where id = ${id} for update`;
    answer = write();
    await until(
      "the write waits for the row",
      async () =>
        (await tx`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`).length >
        0,
    );
    await change(tx);
  });
  return answer;
}

const writes: [string, () => Promise<{ status: number; message: string }>][] = [
  ["a push", push("HEAD:refs/heads/new")],
  ["a file", call("POST", "/contents/new.txt", { content: "" })],
  ["a branch", call("POST", "/branches", { new_branch_name: "new" })],
  ["a renamed branch", call("PATCH", "/branches/side", { name: "new" })],
  ["a deleted branch", call("DELETE", "/branches/side")],
  ["a tag", call("POST", "/tags", { tag_name: "new" })],
];

describe("a repository that was archived meanwhile is not changed by", () => {
  test.each(writes)("%s", async (_, write) => {
    const before = await refs();
    const { status, message } = (await overtake(
      write,
      (tx) => tx`update repository set archived_at = now() where id = ${id}`,
    ))!;
    expect(message).toContain(`The repository "alice/${name}" is archived: unarchive it in its settings to change it`);
    expect([1, 423]).toContain(status);
    expect(await refs()).toEqual(before);
  });

  test("an edit", async () => {
    const edit = async () => {
      const { status, body } = await alice.api.patch<{ message: string }>(`/repos/alice/${name}`, {
        description: "new",
      });
      return { status, message: body.message };
    };
    expect((await overtake(edit, (tx) => tx`update repository set archived_at = now() where id = ${id}`))!.status).toBe(
      423,
    );
    expect((await sql`select description from repository where id = ${id}`)[0]?.["description"]).toBe("");
  });

  // The server has no rights that `lookAgain` could look at, so only the check under the lock refuses its work.
  test("the server's own work", async () => {
    await sql`update repository set archived_at = now() where id = ${id}`;
    const before = await refs();
    const [side] = await sql`select encode(oid, 'hex') as oid from ref where repository_id = ${id}`;
    const repository = { id, name, private: false, owner: { id: alice.id, name: "alice" } };
    const changes = [{ name: "refs/heads/new", oldOid: null, newOid: side?.["oid"] as string, peeled: null }];
    const moved = app.forge.change(serverDoer("test"), (work) =>
      moveRefs(work, { repository, changes, reason: "test" }),
    );
    expect(await moved.catch((error: unknown) => error)).toEqual(new RepositoryArchived(`alice/${name}`));
    expect(await refs()).toEqual(before);
  });
});

describe("who has no access any more does not write", () => {
  test.each(writes)("%s", async (_, write) => {
    const before = await refs();
    const { status, message } = (await overtake(
      write,
      (tx) => tx`delete from collaborator where repository_id = ${id}`,
    ))!;
    expect(message).toContain(`You may read "alice/${name}", but not push to it`);
    expect([1, 403]).toContain(status);
    expect(await refs()).toEqual(before);
  });

  test.each([
    [
      "whom the owner blocked",
      (tx: postgres.TransactionSql) => tx`insert into block (blocker_id, blocked_id) values (${alice.id}, ${bob.id})`,
      403,
    ],
    [
      "where there is no code any more",
      (tx: postgres.TransactionSql) => tx`update repository set has_code = false where id = ${id}`,
      404,
    ],
  ])("nor %s", async (_, change, expected) => {
    const before = await refs();
    const { status } = (await overtake(call("POST", "/contents/new.txt", { content: "" }), change))!;
    await sql`delete from block`;
    expect(status).toBe(expected);
    expect(await refs()).toEqual(before);
  });

  test("nor does who administers it no more remove the lock of another", async () => {
    await sql`update collaborator set mode = 3 where repository_id = ${id}`;
    const locks = `${app.url}/alice/${name}.git/info/lfs/locks`;
    const post = async (user: { token: string }, path: string, body: object) => {
      const authorization = `Basic ${btoa(`x:${user.token}`)}`;
      const response = await fetch(locks + path, {
        method: "POST",
        headers: { authorization },
        body: JSON.stringify(body),
      });
      return { status: response.status, ...((await response.json()) as { message: string; lock: { id: string } }) };
    };
    const { lock } = await post(alice, "", { path: "a" });
    const { status } = (await overtake(
      () => post(bob, `/${lock.id}/unlock`, { force: true }),
      (tx) => tx`update collaborator set mode = 2 where repository_id = ${id}`,
    ))!;
    expect(status).toBe(403);
    expect(await sql`select 1 from lfs_lock where repository_id = ${id}`).toHaveLength(1);
  });

  test("a suspended account neither", async () => {
    const { status } = (await overtake(
      call("POST", "/contents/new.txt", { content: "" }),
      (tx) => tx`update account set suspended = true where owner_id = ${bob.id}`,
    ))!;
    await sql`update account set suspended = false where owner_id = ${bob.id}`;
    expect(status).toBe(401);
  });
});

describe("a repository that was deleted meanwhile is told as missing to", () => {
  test.each(writes)("%s", async (_, write) => {
    const { status, message } = (await overtake(write, (tx) => tx`delete from repository where id = ${id}`))!;
    expect(message).toContain(`There is no repository "alice/${name}"`);
    expect([1, 404]).toContain(status);
  });
});

describe("a wiki is not written", () => {
  const wikiWrites: typeof writes = [
    ["a push", pushTo(".wiki.git", "HEAD:refs/heads/new")],
    ["a new page", call("POST", "/wiki/new", { title: "New" })],
    ["an edit", call("PATCH", "/wiki/page/Home", { content_base64: "" })],
    ["a deletion", call("DELETE", "/wiki/page/Home")],
  ];
  const wikiRefs = () => sql`select name, encode(oid, 'hex') as oid from ref where repository_id = ${-id}`;

  beforeEach(async () => {
    expect((await alice.api.post(`/repos/alice/${name}/wiki/new`, { title: "Home" })).status).toBe(201);
  });

  test.each(wikiWrites)("once it is archived: %s", async (_, write) => {
    const before = await wikiRefs();
    const archive = (tx: postgres.TransactionSql) => tx`update repository set archived_at = now() where id = ${id}`;
    expect((await overtake(write, archive))?.message).toContain(`The repository "alice/${name}" is archived`);
    expect(await wikiRefs()).toEqual(before);
  });

  test.each(wikiWrites)("by who has no access any more: %s", async (_, write) => {
    const before = await wikiRefs();
    const remove = (tx: postgres.TransactionSql) => tx`delete from collaborator where repository_id = ${id}`;
    const { message } = (await overtake(write, remove))!;
    expect(message).toContain(`You may read the wiki of "alice/${name}", but not write to it`);
    expect(await wikiRefs()).toEqual(before);
  });

  test.each(wikiWrites)("once there is none any more: %s", async (_, write) => {
    const before = await wikiRefs();
    const turnOff = (tx: postgres.TransactionSql) => tx`update repository set has_wiki = false where id = ${id}`;
    expect((await overtake(write, turnOff))?.message).toContain("There is no repository");
    expect(await wikiRefs()).toEqual(before);
  });

  test.each(wikiWrites)("once its repository is deleted: %s", async (_, write) => {
    const remove = (tx: postgres.TransactionSql) => tx`delete from repository where id = ${id}`;
    expect((await overtake(write, remove))?.message).toContain("There is no repository");
    expect(await wikiRefs()).toHaveLength(0);
  });
});

test("a push does not delete the branch that has just become the default one", async () => {
  const { status, message } = (await overtake(
    push(":side"),
    (tx) => tx`update repository set default_branch = 'side' where id = ${id}`,
  ))!;
  expect(message).toContain("refusing to delete the default branch");
  expect(status).toBe(1);
  expect((await refs()).some((ref) => ref.startsWith("refs/heads/side "))).toBe(true);
});

test("a pack that another repository gets while its own is deleted stays", async () => {
  const { id: other } = await app.repository(alice, `${name}-other`);
  const remove = async () => ({ status: (await alice.api.delete(`/repos/alice/${name}`)).status, message: "" });
  let answer: ReturnType<typeof remove> | undefined;
  const ids: number[] = [];
  await sql.begin(async (tx) => {
    // As linkPack does it for a push of the same objects.
    const packs =
      await tx`update pack set checksum = checksum where id in (select pack_id from repository_pack where repository_id = ${id}) returning id`;
    answer = remove();
    await until(
      "the deletion waits for the pack",
      async () =>
        (await tx`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`).length >
        0,
    );
    for (const pack of packs) {
      ids.push(Number(pack["id"]));
      await tx`insert into repository_pack (repository_id, pack_id) values (${other}, ${pack["id"]})`;
    }
  });
  expect((await answer)?.status).toBe(204);
  expect((await sql`select 1 from repository_pack where repository_id = ${other}`).length).toBeGreaterThan(0);
  expect((await alice.api.delete(`/repos/alice/${name}-other`)).status).toBe(204);
  expect(await sql`select 1 from pack where id = any(${ids}::bigint[]) and retired_at is null`).toHaveLength(0);
});
