import { expect, test } from "bun:test";
import { TestApp, useTestApp } from "../../support/test-app.ts";

const app = await useTestApp({ repository: { flags: true } });
const alice = await app.user("alice");
const admin = await app.admin();
await alice.api.post("/user/repos", { name: "secret", private: true });
const flags = "/repos/alice/secret/flags";
const listed = async () => (await admin.api.get<string[]>(flags)).body;

test("flags are for site administrators with the scope for it, whoever owns the repository", async () => {
  for (const [method, path, body] of [
    ["GET", flags, undefined],
    ["PUT", flags, { flags: ["x"] }],
    ["DELETE", flags, undefined],
    ["GET", `${flags}/x`, undefined],
    ["PUT", `${flags}/x`, undefined],
    ["DELETE", `${flags}/x`, undefined],
  ] as const) {
    const sent = body === undefined ? {} : { body };
    expect((await app.anonymous.request(method, path, sent)).status).toBe(401);
    expect((await alice.api.request(method, path, sent)).status).toBe(403);
    expect((await (await app.scoped(admin, "write:repository")).request(method, path, sent)).status).toBe(403);
    expect((await admin.api.request(method, path.replace("secret", "absent"), sent)).status).toBe(404);
  }
  expect(await listed()).toEqual([]);
});

test("flags are put on, replaced, asked for and taken away", async () => {
  expect(await admin.api.put(`${flags}/reviewed`)).toMatchObject({ status: 204, body: null });
  expect((await admin.api.put(`${flags}/reviewed`)).status).toBe(204);
  expect(await listed()).toEqual(["reviewed"]);
  expect(await admin.api.get(`${flags}/reviewed`)).toMatchObject({ status: 204, body: null });
  expect(await admin.api.get(`${flags}/other`)).toMatchObject({ status: 404, body: null });
  expect((await admin.api.put(flags, { flags: ["b", "a", "b"] })).status).toBe(204);
  expect(await listed()).toEqual(["a", "b"]);
  expect((await admin.api.delete(`${flags}/a`)).status).toBe(204);
  expect((await admin.api.delete(`${flags}/a`)).status).toBe(204);
  expect(await listed()).toEqual(["b"]);
  expect(await admin.api.delete(flags)).toMatchObject({ status: 204, body: null });
  expect(await listed()).toEqual([]);
});

test("a flag has a name that fits, and a repository at most 100 of them", async () => {
  expect((await admin.api.put(`${flags}/-x`)).status).toBe(422);
  expect((await admin.api.put(flags, { flags: ["fine", "not fine"] })).status).toBe(422);
  const many = Array.from({ length: 101 }, (_, number) => `flag-${number}`);
  expect((await admin.api.put(flags, { flags: many })).status).toBe(422);
  expect(await listed()).toEqual([]);
  expect((await admin.api.put(flags, { flags: many.slice(1) })).status).toBe(204);
  expect((await admin.api.put(`${flags}/one-more`)).status).toBe(422);
  expect((await listed()).length).toBe(100);
});

test("where they are switched off, there are none", async () => {
  await using plain = await TestApp.start();
  const root = await plain.admin();
  await plain.repository(root, "site");
  const path = `/repos/${root.name}/site/flags`;
  expect(await root.api.get(path)).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining("repository.flags") as string },
  });
  expect((await root.api.put(`${path}/x`)).status).toBe(404);
});
