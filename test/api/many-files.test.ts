import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Commits of many files at once: one of each user at a time, and not too many that wait. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { auto_init: true });
await app.repository(bob, "site", { auto_init: true });

const commit = (user: typeof alice, number: number) =>
  user.api.post<{ message: string; files: unknown[] }>(`/repos/${user.name}/site/contents`, {
    new_branch: `many-${number}`,
    files: Array.from({ length: 400 }, (_, file) => ({
      operation: "create",
      path: `a${file % 20}/b${file % 19}/${file}`,
      content: "eA==",
    })),
  });

test("twenty at once are made one after the other, or refused, and another user's is made", async () => {
  const own = Array.from({ length: 20 }, (_, number) => commit(alice, number));
  const other = await commit(bob, 0);
  expect({ status: other.status, files: other.body.files.length }).toEqual({ status: 201, files: 400 });
  const answers = await Promise.all(own);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body } of refused) {
    expect({ status, message: body.message }).toEqual({
      status: 429,
      message:
        "You have too many commits of many files under way at the same time (11): try again when one of them has ended",
    });
  }
  for (const [number, { status }] of answers.entries()) {
    const branch = await alice.api.get(`/repos/alice/site/branches/many-${number}`);
    expect(branch.status).toBe(status === 201 ? 200 : 404);
  }
});
