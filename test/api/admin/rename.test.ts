import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const admin = await app.admin();
const { sql } = app.forge.database;

interface Failure {
  message: string;
}

const rename = (name: string, to: string) =>
  admin.api.post<Failure>(`/admin/users/${name}/rename`, { new_username: to });

test("the old name leads to the new one, for every method, until somebody takes it", async () => {
  const before = await app.user("Before");
  await app.repository(before, "work", { auto_init: true });
  expect((await rename("before", "After")).status).toBe(204);

  const at = async (method: string, path: string, client = app.anonymous) => {
    const { status, headers } = await client.fetch(method, path);
    return [status, headers.get("location")];
  };
  const there = (path: string) => [307, `${app.url}/api/v1${path}`];
  expect(await at("GET", "/users/BEFORE")).toEqual(there("/users/After"));
  expect(await at("HEAD", "/users/Before/repos?limit=2")).toEqual(there("/users/After/repos?limit=2"));
  expect(await at("GET", "/repos/before/work/branches/main?x=1")).toEqual(there("/repos/After/work/branches/main?x=1"));
  expect(await at("DELETE", "/repos/before/work", before.api)).toEqual(there("/repos/After/work"));
  expect((await before.api.get<{ login: string }>("/user")).body.login).toBe("After");

  // Renamed itself too, the repository is found by any pair of its names.
  await before.api.patch("/repos/After/work", { name: "job" });
  for (const path of ["/repos/before/work", "/repos/after/work", "/repos/before/job"]) {
    expect(await at("GET", path)).toEqual(there("/repos/After/job"));
  }
  expect(await at("GET", "/repos/before/none")).toEqual([404, null]);

  expect(
    (
      await admin.api.post("/admin/users", {
        username: "before",
        email: "other@example.com",
        password: "long enough password",
      })
    ).status,
  ).toBe(201);
  expect((await app.anonymous.get<{ login: string }>("/users/before")).body.login).toBe("before");
  expect(await at("GET", "/repos/before/work")).toEqual([404, null]);
});

test("a name that is taken again by the API, or by an organization, leads nowhere else", async () => {
  await app.user("first");
  await rename("first", "second");
  expect((await app.anonymous.get("/users/first")).status).toBe(307);
  await admin.api.post("/admin/users", { username: "First", email: "f@example.com", password: "long enough password" });
  await rename("first", "third");
  expect((await app.anonymous.fetch("GET", "/users/first")).headers.get("location")).toBe(
    `${app.url}/api/v1/users/third`,
  );
  expect((await admin.api.post("/orgs", { username: "first" })).status).toBe(201);
  const [row] = await sql`select count(*)::int as number from owner_redirect where lower_name = 'first'`;
  expect(row?.["number"]).toBe(0);
});

test("back and forth ends where it began, without redirects that go in circles", async () => {
  await app.user("there");
  await rename("there", "elsewhere");
  await rename("elsewhere", "there");
  expect((await app.anonymous.get("/users/there")).status).toBe(200);
  expect((await app.anonymous.fetch("GET", "/users/elsewhere")).headers.get("location")).toBe(
    `${app.url}/api/v1/users/there`,
  );
  await rename("there", "THERE");
  expect((await app.anonymous.get<{ login: string }>("/users/there")).body.login).toBe("THERE");
});

test("who may not see the user does not learn of the new name", async () => {
  const hidden = await app.user("hidden");
  await sql`update owner set visibility = 'private' where id = ${hidden.id}`;
  await rename("hidden", "revealed");
  const answer = await app.anonymous.get<Failure>("/users/hidden");
  expect([answer.status, answer.body.message]).toEqual([404, 'There is no user "hidden"']);
  expect((await admin.api.get("/users/hidden")).status).toBe(307);
});

test.each([
  ["admin", "admin/x"],
  ["admin", "api"],
  ["admin", "Tаken"],
  ["admin", "mine"],
])("%s cannot become %s", async (name, to) => {
  if (to === "mine") {
    await app.user("mine");
  }
  const { status, body } = await rename(name, to);
  expect([status, body.message.includes(to)]).toEqual([422, true]);
  expect((await app.anonymous.get("/users/admin")).status).toBe(200);
});

test("an organization is no user, and nobody is nobody", async () => {
  await app.organization("an-org", admin);
  expect((await rename("an-org", "other")).status).toBe(404);
  expect((await rename("nobody", "other")).status).toBe(404);
  expect((await admin.api.post<Failure>("/admin/users/admin/rename", {})).body.message).toContain("new_username");
});

test("two who want one name at once: one gets it", async () => {
  await Promise.all([app.user("one"), app.user("two")]);
  const answers = await Promise.all([rename("one", "wanted"), rename("two", "wanted")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422]);
});
