import { describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const root = await app.admin();
const { api } = root;
await alice.api.post("/orgs", { username: "forge" });

const rules = "/admin/quota/rules";
const groups = "/admin/quota/groups";
const subjects = ["size:repos:all"];
const message = ({ body }: { body: unknown }) => (body as { message: string }).message;
const namesOf = async (path: string) =>
  (await api.get<{ name?: string; login?: string }[]>(path)).body.map(({ name, login }) => name ?? login);

describe("rules", () => {
  test("are for site administrators, with the scope", async () => {
    const reader = await app.scoped(root, "read:admin");
    for (const [client, status] of [
      [app.anonymous, 401],
      [alice.api, 403],
      [reader, 403],
    ] as const) {
      expect((await client.post(rules, { name: "x", limit: 1, subjects })).status).toBe(status);
      expect((await client.patch(`${rules}/x`, { limit: 1 })).status).toBe(status);
      expect((await client.delete(`${rules}/x`)).status).toBe(status);
    }
    expect((await reader.get(rules)).status).toBe(200);
    expect(await namesOf(rules)).toEqual([]);
  });

  test("are made, listed by name, read, changed and deleted", async () => {
    const small = { name: "small", limit: 1000, subjects: ["size:git:all", "size:wiki"] };
    expect(await api.post(rules, small)).toMatchObject({ status: 201, body: small });
    expect(await api.post(rules, { name: "large/ü", limit: 0, subjects: ["size:all", "size:all"] })).toMatchObject({
      status: 201,
      body: { name: "large/ü", limit: 0, subjects: ["size:all"] },
    });
    expect((await api.get(rules)).body).toEqual([{ name: "large/ü", limit: 0, subjects: ["size:all"] }, small]);
    expect((await api.get(`${rules}/large%2F%C3%BC`)).status).toBe(200);
    expect(await api.patch(`${rules}/small`, { limit: 2000 })).toMatchObject({
      status: 200,
      body: { ...small, limit: 2000 },
    });
    const changed = { ...small, limit: 2000, subjects: ["size:git:lfs"] };
    expect(await api.patch(`${rules}/small`, { limit: null, subjects: ["size:git:lfs"] })).toMatchObject({
      status: 200,
      body: changed,
    });
    expect((await api.patch(`${rules}/small`, {})).body).toEqual(changed);
    expect(await api.delete(`${rules}/small`)).toMatchObject({ status: 204, body: null });
    expect((await api.get(`${rules}/small`)).status).toBe(404);
    expect((await api.patch(`${rules}/small`, { limit: 1 })).status).toBe(404);
    expect((await api.delete(`${rules}/small`)).status).toBe(404);
    expect(await namesOf(rules)).toEqual(["large/ü"]);
  });

  test.each([
    ["no name", { limit: 1, subjects }, "name"],
    ["an empty name", { name: " ", limit: 1, subjects }, "name"],
    ["a name of 256 characters", { name: "x".repeat(256), limit: 1, subjects }, "name"],
    ["a line feed in the name", { name: "a\nb", limit: 1, subjects }, "name"],
    ["no limit", { name: "x", subjects }, "limit is required"],
    ["a negative limit", { name: "x", limit: -1, subjects }, "limit is a number of bytes"],
    ["a limit that is no integer", { name: "x", limit: 1.5, subjects }, "limit"],
    ["a limit beyond integers", { name: "x", limit: 1e300, subjects }, "limit"],
    ["no subjects", { name: "x", limit: 1 }, "subjects is required"],
    ["an empty list of subjects", { name: "x", limit: 1, subjects: [] }, "subjects must name"],
    ["an unknown subject", { name: "x", limit: 1, subjects: ["size:all", "size:moon"] }, '"size:moon"'],
    ["a subject that is no text", { name: "x", limit: 1, subjects: [7] }, "subjects"],
  ])("with %s are refused", async (_, body, told) => {
    const answer = await api.post(rules, body);
    expect(answer.status).toBe(422);
    expect(message(answer)).toContain(told);
    expect((await api.get(`${rules}/x`)).status).toBe(404);
  });

  test("of one name are refused with 409, and bad changes with 422; the rule stays", async () => {
    await api.post(rules, { name: "once", limit: 5, subjects });
    expect(await api.post(rules, { name: "once", limit: 6, subjects })).toMatchObject({
      status: 409,
      body: { message: 'There is a quota rule "once"' },
    });
    expect((await api.patch(`${rules}/once`, { limit: -7 })).status).toBe(422);
    expect((await api.patch(`${rules}/once`, { subjects: ["nothing"] })).status).toBe(422);
    expect((await api.get(`${rules}/once`)).body).toEqual({ name: "once", limit: 5, subjects });
    await api.delete(`${rules}/once`);
  });
});

describe("groups", () => {
  test("are made of new rules and of those that there are", async () => {
    await api.post(rules, { name: "known", limit: 7, subjects });
    const answer = await api.post(groups, {
      name: "all",
      rules: [{ name: "known" }, { name: "new", limit: 8, subjects: ["size:all"] }],
    });
    const expected = {
      name: "all",
      rules: [
        { name: "known", limit: 7, subjects },
        { name: "new", limit: 8, subjects: ["size:all"] },
      ],
    };
    expect(answer).toMatchObject({ status: 201, body: expected });
    expect((await api.get(`${groups}/all`)).body).toEqual(expected);
    expect((await api.post(groups, { name: "empty" })).body).toEqual({ name: "empty", rules: [] });
    expect((await api.post(groups, { name: "same", rules: [expected.rules[0]] })).status).toBe(201);
    expect(await namesOf(groups)).toEqual(["all", "empty", "same"]);
    expect((await api.get<unknown[]>(groups)).body[0]).toEqual(expected);
  });

  test("of a taken name, of another rule of a taken name, of no rule: nothing is made", async () => {
    expect((await api.post(groups, { name: "all" })).status).toBe(409);
    const rule = (more: object) => ({ name: "x", rules: [{ name: "never", limit: 1, subjects }, more] });
    expect((await api.post(groups, rule({ name: "known", limit: 8, subjects }))).status).toBe(409);
    expect((await api.post(groups, rule({ name: "nowhere" }))).status).toBe(404);
    expect((await api.post(groups, rule({ name: "y", limit: -1, subjects }))).status).toBe(422);
    expect((await api.post(groups, { rules: [] })).status).toBe(422);
    expect((await api.get(`${rules}/never`)).status).toBe(404);
    expect((await api.get(`${groups}/x`)).status).toBe(404);
  });

  test("get and lose rules", async () => {
    expect(await api.put(`${groups}/empty/rules/known`)).toMatchObject({ status: 204, body: null });
    expect((await api.put(`${groups}/empty/rules/known`)).status).toBe(409);
    expect((await api.put(`${groups}/empty/rules/nowhere`)).status).toBe(404);
    expect((await api.put(`${groups}/nowhere/rules/known`)).status).toBe(404);
    expect((await api.get<{ rules: unknown[] }>(`${groups}/empty`)).body.rules).toHaveLength(1);
    expect(await api.delete(`${groups}/empty/rules/known`)).toMatchObject({ status: 204, body: null });
    expect((await api.delete(`${groups}/empty/rules/known`)).status).toBe(404);
    expect((await api.get<{ rules: unknown[] }>(`${groups}/empty`)).body.rules).toEqual([]);
  });

  test("have 100 rules at most", async () => {
    const many = Array.from({ length: 100 }, (_, number) => ({ name: `rule ${number}`, limit: number, subjects }));
    expect((await api.post(groups, { name: "many", rules: [...many, { name: "known" }] })).status).toBe(422);
    expect((await api.post(groups, { name: "many", rules: many })).status).toBe(201);
    expect((await api.put(`${groups}/many/rules/known`)).status).toBe(422);
    expect((await api.get<{ rules: unknown[] }>(`${groups}/many`)).body.rules).toHaveLength(100);
    await api.delete(`${groups}/many`);
  });

  test("are given to users and organizations, each once", async () => {
    expect(await api.put(`${groups}/all/users/alice`)).toMatchObject({ status: 204, body: null });
    expect((await api.put(`${groups}/all/users/ALICE`)).status).toBe(409);
    expect((await api.put(`${groups}/all/users/forge`)).status).toBe(204);
    expect((await api.put(`${groups}/all/users/nobody`)).status).toBe(404);
    expect((await api.put(`${groups}/nowhere/users/alice`)).status).toBe(404);
    const page = await api.get(`${groups}/all/users?limit=1`);
    expect(page).toMatchObject({ status: 200, body: [{ login: "alice" }] });
    expect(page.headers.get("x-total-count")).toBe("2");
    expect(await namesOf(`${groups}/all/users`)).toEqual(["alice", "forge"]);
    expect((await api.get(`${groups}/nowhere/users`)).status).toBe(404);
    expect(await api.delete(`${groups}/all/users/forge`)).toMatchObject({ status: 204, body: null });
    expect((await api.delete(`${groups}/all/users/forge`)).status).toBe(404);
    expect((await api.delete(`${groups}/all/users/nobody`)).status).toBe(404);
    expect(await namesOf(`${groups}/all/users`)).toEqual(["alice"]);
  });

  test("of a user are replaced together, or stay when one of them is none", async () => {
    const of = async () =>
      (await api.get<{ groups: { name: string }[] }>("/admin/users/alice/quota")).body.groups.map(({ name }) => name);
    const set = (names: unknown) => api.post("/admin/users/alice/quota/groups", { groups: names });
    expect(await of()).toEqual(["all"]);
    expect(await set(["same", "empty", "same"])).toMatchObject({ status: 204, body: null });
    expect(await of()).toEqual(["empty", "same"]);
    expect((await set(["all", "nowhere"])).status).toBe(422);
    expect((await set("all")).status).toBe(422);
    expect((await api.post("/admin/users/alice/quota/groups", {})).status).toBe(422);
    expect(await of()).toEqual(["empty", "same"]);
    expect((await api.post("/admin/users/nobody/quota/groups", { groups: [] })).status).toBe(404);
    expect((await set([])).status).toBe(204);
    expect(await of()).toEqual([]);
    expect((await api.get("/admin/users/nobody/quota")).status).toBe(404);
  });

  test("are deleted with what they were given to; a rule leaves the groups that have it", async () => {
    await api.put(`${groups}/all/users/alice`);
    expect(await api.delete(`${rules}/known`)).toMatchObject({ status: 204, body: null });
    expect((await api.get<{ rules: { name: string }[] }>(`${groups}/all`)).body.rules.map(({ name }) => name)).toEqual([
      "new",
    ]);
    expect(await api.delete(`${groups}/all`)).toMatchObject({ status: 204, body: null });
    expect((await api.delete(`${groups}/all`)).status).toBe(404);
    expect((await api.get<{ groups: unknown[] }>("/admin/users/alice/quota")).body.groups).toEqual([]);
    expect((await api.get(`${rules}/new`)).status).toBe(200);
  });
});
