import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const { sql } = app.forge.database;
const at = "/repos/alice/tree/issues";

const pinned = async (client = bob.api) =>
  (await client.get<{ number: number; pin_order: number }[]>(`${at}/pinned`)).body.map(({ number, pin_order }) => [
    number,
    pin_order,
  ]);
const pin = (number: number, client = alice.api) => client.post<{ message: string }>(`${at}/${number}/pin`);
const move = (number: number, position: number, client = alice.api) => client.patch(`${at}/${number}/pin/${position}`);
const allowed = async () => (await bob.api.get("/repos/alice/tree/new_pin_allowed")).body as object;

beforeAll(async () => {
  const { id } = await app.repository(alice, "tree");
  await alice.api.put("/repos/alice/tree/collaborators/carol", { permission: "write" });
  for (let number = 1; number <= 5; number++) {
    await alice.api.post(at, { title: `Number ${number}` });
  }
  await sql`update issue set is_pull = true where repository_id = ${id} and number = 5`;
});

const heard = hearEvents();
beforeEach(async () => {
  await sql`update issue set pin_order = null`;
  heard.length = 0;
});

describe("pins", () => {
  test("are for administrators, not for readers and writers", async () => {
    for (const client of [bob.api, carol.api]) {
      expect((await pin(1, client)).status).toBe(403);
      expect((await client.delete(`${at}/1/pin`)).status).toBe(403);
      expect((await move(1, 1, client)).status).toBe(403);
    }
    expect((await pin(1, app.anonymous)).status).toBe(401);
    expect(await pinned()).toEqual([]);
  });

  test("are refused for what is not there, and behind the last place", async () => {
    expect((await pin(4711)).status).toBe(404);
    expect((await move(1, 1)).status).toBe(404);
    for (const number of [3, 1, 2]) {
      expect((await pin(number)).status).toBe(204);
    }
    expect(await allowed()).toEqual({ issues: false, pull_requests: true });
    const { status, body } = await pin(4);
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: "At most 3 are pinned at once: unpin another one first",
    });
    expect((await move(1, 0)).status).toBe(422);
    expect(await pinned()).toEqual([
      [3, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  test("of pull requests are counted by themselves", async () => {
    for (const number of [1, 5]) {
      expect((await pin(number)).status).toBe(204);
    }
    expect((await alice.api.get(`${at}/5`)).body).toMatchObject({ pin_order: 1 });
    expect(await pinned()).toEqual([[1, 1]]);
    expect(await allowed()).toEqual({ issues: true, pull_requests: true });
  });

  test("move, and leave no gap", async () => {
    for (const number of [1, 2, 3, 3]) {
      await pin(number);
    }
    expect((await move(3, 1)).status).toBe(204);
    expect(await pinned()).toEqual([
      [3, 1],
      [1, 2],
      [2, 3],
    ]);
    expect((await move(3, 99)).status).toBe(204);
    expect((await alice.api.delete(`${at}/1/pin`)).status).toBe(204);
    expect((await alice.api.delete(`${at}/1/pin`)).status).toBe(204);
    expect(await pinned()).toEqual([
      [2, 1],
      [3, 2],
    ]);
    expect(heard.map(({ kind }) => kind)).toEqual(["issue.pinned", "issue.pinned", "issue.pinned", "issue.unpinned"]);
  });

  test("go with their issues", async () => {
    const { body } = await alice.api.post<{ number: number }>(at, { title: "short-lived" });
    for (const number of [body.number, 1]) {
      await pin(number);
    }
    await alice.api.delete(`${at}/${body.number}`);
    expect(await pinned()).toEqual([[1, 1]]);
  });

  test("are in order after 50 moves at once, and pinned at once no more than can be", async () => {
    const many = await Promise.all([1, 2, 3, 4].map((number) => pin(number)));
    expect(many.map(({ status }) => status).sort()).toEqual([204, 204, 204, 400]);
    const numbers = (await pinned()).map(([number]) => number ?? 0);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => move(numbers[index % 3] ?? 0, 1 + ((index * 7) % 3))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect((await pinned()).map(([, order]) => order)).toEqual([1, 2, 3]);
  });
});
