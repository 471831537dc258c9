import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { useTestApp } from "../support/test-app.ts";
import { LfsClient, letWrite } from "./raw-lfs.ts";

/** The locking API, request by request. */

interface Lock {
  id: string;
  path: string;
  locked_at: string;
  owner: { name: string };
}
interface Page {
  locks: Lock[];
  next_cursor?: string;
}
interface VerifiedPage {
  ours: Lock[];
  theirs: Lock[];
  next_cursor?: string;
}

const app = await useTestApp({ lfs: { locks_per_repository: 6 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");

async function repository(
  name: string,
): Promise<{ owner: LfsClient; writer: LfsClient; reader: LfsClient; nobody: LfsClient }> {
  await app.repository(alice, name);
  await letWrite(app, bob, "alice", name);
  const as = (token?: string) => LfsClient.of(app, `alice/${name}`, token);
  return { owner: as(alice.token), writer: as(bob.token), reader: as(eve.token), nobody: as() };
}

const lock = (client: LfsClient, path: string) =>
  client.post<{ lock: Lock; message?: string }>("locks", { path, ref: { name: "refs/heads/main" } });
const unlock = (client: LfsClient, id: string, force = false) =>
  client.post<{ lock: Lock; message?: string }>(`locks/${id}/unlock`, { force });
const list = async (client: LfsClient, query = "") => {
  const response = await client.request("GET", `locks${query}`);
  return { status: response.status, body: (await response.json()) as Page };
};

test("a path is locked once, for everybody, and removed by whoever has it", async () => {
  const { owner, writer, reader } = await repository("once");
  const made = await lock(writer, "media/a.bin");
  expect(made.status).toBe(201);
  expect(made.body.lock).toEqual({
    id: expect.stringMatching(/^\d+$/),
    path: "media/a.bin",
    locked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    owner: { name: "bob" },
  });

  const again = await lock(owner, "media/a.bin");
  expect([again.status, again.body]).toEqual([
    409,
    { lock: made.body.lock, message: '"media/a.bin" is locked by bob', documentation_url: expect.any(String) } as never,
  ]);
  expect((await list(reader)).body).toEqual({ locks: [made.body.lock] });

  const removed = await unlock(writer, made.body.lock.id);
  expect([removed.status, removed.body]).toEqual([200, { lock: made.body.lock }]);
  expect((await unlock(writer, made.body.lock.id)).status).toBe(404);
  expect((await list(reader)).body).toEqual({ locks: [] });
});

test("only administrators of the repository remove what others locked, and only by force", async () => {
  const { owner, writer } = await repository("force");
  const { id } = (await lock(owner, "a")).body.lock;
  expect((await unlock(writer, id)).status).toBe(403);
  expect((await unlock(writer, id, true)).status).toBe(403);
  const bobs = (await lock(writer, "b")).body.lock.id;
  expect((await unlock(owner, bobs)).status).toBe(403);
  expect((await unlock(owner, bobs, true)).status).toBe(200);
});

test("who may only read may look, and nobody from outside learns anything", async () => {
  const { owner, reader, nobody } = await repository("looking");
  const { id } = (await lock(owner, "a")).body.lock;
  expect((await list(nobody)).body.locks).toHaveLength(1);
  expect([
    (await lock(reader, "b")).status,
    (await unlock(reader, id)).status,
    (await reader.post("locks/verify", {})).status,
  ]).toEqual([403, 403, 403]);
  expect([
    (await lock(nobody, "b")).status,
    (await unlock(nobody, id)).status,
    (await nobody.post("locks/verify", {})).status,
  ]).toEqual([401, 401, 401]);
  await alice.api.patch("/repos/alice/looking", { private: true });
  expect([(await list(nobody)).status, (await list(reader)).status, (await lock(reader, "b")).status]).toEqual([
    401, 404, 404,
  ]);
  const { other } = { other: (await repository("other")).owner };
  expect((await unlock(other, id, true)).status).toBe(404);
});

test("lists come in pages and by path and id; a refspec hides nothing", async () => {
  const { owner, writer } = await repository("pages");
  const locks: Lock[] = [];
  for (const path of ["a", "b", "c", "d", "e"]) {
    locks.push((await lock(path < "c" ? owner : writer, path)).body.lock);
  }
  const first = (await list(owner, "?limit=2")).body;
  const second = (await list(owner, `?limit=2&cursor=${first.next_cursor}`)).body;
  const third = (await list(owner, `?limit=2&cursor=${second.next_cursor}`)).body;
  expect([first.locks, second.locks, third.locks].map((page) => page.map(({ path }) => path))).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e"],
  ]);
  expect(third.next_cursor).toBeUndefined();
  expect((await list(owner, "?path=c")).body).toEqual({ locks: [locks[2]] } as Page);
  expect((await list(owner, `?id=${locks[3]?.id}`)).body).toEqual({ locks: [locks[3]] } as Page);
  expect((await list(owner, "?id=x")).body).toEqual({ locks: [] });
  expect((await list(owner, "?refspec=refs/heads/another")).body.locks).toEqual(locks);
  expect([(await list(owner, "?cursor=x")).status, (await list(owner, "?limit=x")).status]).toEqual([422, 422]);

  const verified = (await owner.post<VerifiedPage>("locks/verify", { ref: { name: "refs/heads/main" } })).body;
  expect([verified.ours, verified.theirs, verified.next_cursor]).toEqual([
    locks.slice(0, 2),
    locks.slice(2),
    undefined,
  ]);
  const page = (await writer.post<VerifiedPage>("locks/verify", { limit: 3 })).body;
  expect([page.ours, page.theirs]).toEqual([locks.slice(2, 3), locks.slice(0, 2)]);
  expect((await writer.post<VerifiedPage>("locks/verify", { cursor: page.next_cursor, limit: 3 })).body).toEqual({
    ours: locks.slice(3),
    theirs: [],
  });
});

test("what is no path is refused, and so is one lock too many", async () => {
  const { owner } = await repository("limits");
  for (const path of ["", "/a", "a/", "../a", "a/./b", "a//b", "x".repeat(5000), randomBytes(1500).toString("hex")]) {
    expect([path.slice(0, 10), (await lock(owner, path)).status]).toEqual([path.slice(0, 10), 422]);
  }
  expect((await owner.post("locks", {})).status).toBe(422);
  for (let number = 0; number < 6; number++) {
    expect((await lock(owner, `file ${number}`)).status).toBe(201);
  }
  expect((await lock(owner, "file 6")).status).toBe(403);
});

test("a path with half a surrogate pair has U+FFFD in its place", async () => {
  const { owner } = await repository("surrogates");
  const made = await lock(owner, "a\ud800b");
  expect([made.status, made.body.lock?.path]).toEqual([201, "a\ufffdb"]);
  expect((await unlock(owner, made.body.lock.id)).status).toBe(200);
});

test("of two who lock at once one has it", async () => {
  const { owner, writer } = await repository("race");
  const statuses = await Promise.all(
    [owner, writer, owner, writer].map(async (client) => (await lock(client, "a")).status),
  );
  expect(statuses.sort()).toEqual([201, 409, 409, 409]);
});
