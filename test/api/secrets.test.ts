import { beforeAll, describe, expect, test } from "bun:test";
import { secretContext } from "../../src/domain/repos/secrets/edit-secret.ts";
import type { Logger } from "../../src/lib/log.ts";
import { unseal } from "../../src/lib/sealed-box.ts";
import { redact } from "../support/redact.ts";
import { TestApp, useTestApp, type TestUser } from "../support/test-app.ts";

/** Secrets, whose values nobody is ever told, and variables, of users, organizations and repositories. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
let organizationId = 0;
let repositoryId = 0;

const ofOrganization = "/orgs/forge/actions";
const ofRepository = "/repos/forge/site/actions";
const ofUser = "/user/actions";

beforeAll(async () => {
  organizationId = await app.organization("forge", alice);
  repositoryId = (await app.repository(alice, "site", {}, "forge")).id;
  await alice.api.put("/repos/forge/site/collaborators/bob", { permission: "admin" });
});

/** Every operation, with a body that it takes. */
const operations = (at: string) =>
  [
    ...(at === ofUser ? [] : [["GET", `${at}/secrets`, undefined] as const]),
    ["PUT", `${at}/secrets/TOKEN`, { data: "value" }],
    ["DELETE", `${at}/secrets/TOKEN`, undefined],
    ["GET", `${at}/variables`, undefined],
    ["GET", `${at}/variables/MODE`, undefined],
    ["POST", `${at}/variables/MODE`, { value: "fast" }],
    ["PUT", `${at}/variables/MODE`, { value: "slow" }],
    ["DELETE", `${at}/variables/MODE`, undefined],
  ] as const;

async function statuses(api: typeof alice.api, at: string): Promise<number[]> {
  const found = [];
  for (const [method, path, body] of operations(at)) {
    found.push((await api.request(method, path, body === undefined ? {} : { body })).status);
  }
  return [...new Set(found)];
}

describe("refused", () => {
  test("to everybody but owners, and without the scope of the method", async () => {
    for (const at of [ofOrganization, ofRepository]) {
      expect(await statuses(app.anonymous, at)).toEqual([401]);
      // Bob administers the repository, which is not enough.
      expect(await statuses(bob.api, at)).toEqual([403]);
      expect(await statuses(eve.api, at)).toEqual([403]);
    }
    expect(await statuses(app.anonymous, ofUser)).toEqual([401]);
    for (const [at, scope] of [
      [ofOrganization, "organization"],
      [ofRepository, "repository"],
      [ofUser, "user"],
    ] as const) {
      const other = await app.scoped(alice, scope === "user" ? "write:repository" : "write:user");
      expect(await statuses(other, at)).toEqual([403]);
      const reader = await app.scoped(alice, `read:${scope}`);
      expect((await reader.put(`${at}/secrets/TOKEN`, { data: "value" })).status).toBe(403);
      expect((await reader.post(`${at}/variables/MODE`, { value: "x" })).status).toBe(403);
      expect((await reader.get(`${at}/variables`)).status).toBe(200);
    }
    const [row] = await app.forge.database.sql<{ n: number }[]>`
      select (select count(*) from secret) + (select count(*) from variable) as n`;
    expect(Number(row?.n)).toBe(0);
  });

  test.each([
    "1ST",
    "WITH-DASH",
    "WITH SPACE",
    "ÜBER",
    "ſecret",
    "GITHUB_TOKEN",
    "gitea_x",
    "Forgejo_X",
    "CI",
    "A".repeat(256),
    "A%0AB",
  ])("with 400 where the name is %s; nothing is stored", async (name) => {
    const encoded = name.includes("%") ? name : encodeURIComponent(name);
    for (const at of [ofOrganization, ofRepository, ofUser]) {
      for (const answer of [
        await alice.api.put<{ message: string }>(`${at}/secrets/${encoded}`, { data: "hush" }),
        await alice.api.post<{ message: string }>(`${at}/variables/${encoded}`, { value: "v" }),
        await alice.api.put<{ message: string }>(`${at}/variables/${encoded}`, { value: "v" }),
      ]) {
        expect(answer.status).toBe(400);
        expect(answer.body.message).toContain("The name ");
        expect(answer.body.message).not.toContain("hush");
      }
    }
    expect((await alice.api.get(`${ofOrganization}/secrets`)).body).toEqual([]);
  });

  test("with 422 without a value, with an empty one or one too long; the value is not quoted", async () => {
    for (const body of [{}, { data: "" }, { data: "hush".repeat(20_000) }, { data: 5 }, []]) {
      const { status, body: answer } = await alice.api.put<{ message: string }>(
        `${ofOrganization}/secrets/TOKEN`,
        body,
      );
      expect([body, status]).toEqual([body, 422]);
      expect(answer.message).not.toContain("hush");
    }
    const long = { data: "hush", description: "x".repeat(4097) };
    expect((await alice.api.put(`${ofOrganization}/secrets/TOKEN`, long)).status).toBe(422);
    for (const body of [{}, { value: "" }, { value: "x".repeat(65_537) }]) {
      expect((await alice.api.post(`${ofRepository}/variables/MODE`, body)).status).toBe(422);
    }
  });

  test("on an archived repository: writes are, reads are not", async () => {
    const { full_name: name } = await app.repository(alice, "attic");
    const at = `/repos/${name}/actions`;
    await alice.api.patch(`/repos/${name}`, { archived: true });
    expect((await alice.api.put(`${at}/secrets/TOKEN`, { data: "value" })).status).toBe(423);
    expect((await alice.api.get(`${at}/secrets`)).status).toBe(200);
  });
});

describe.each([
  ["an organization", ofOrganization, () => ({ owner: { id: organizationId, name: "forge" }, repository: null })],
  [
    "a repository",
    ofRepository,
    () => ({
      owner: { id: organizationId, name: "forge" },
      repository: { id: repositoryId, name: "site", private: false, owner: { id: organizationId, name: "forge" } },
    }),
  ],
  ["a user", ofUser, () => ({ owner: { id: alice.id, name: "alice" }, repository: null })],
])("of %s", (_, at, holder) => {
  const sealedIn = async (name: string) => {
    const { owner, repository } = holder();
    const [row] = await app.forge.database.sql<{ sealed: Uint8Array }[]>`
      select sealed_value as sealed from secret where name = ${name}
        and owner_id is not distinct from ${repository === null ? owner.id : null}
        and repository_id is not distinct from ${repository?.id ?? null}`;
    return row?.sealed ?? new Uint8Array(0);
  };

  test("a secret is set with 201 and replaced with 204; no answer and no row has its value", async () => {
    const put = (data: string, more = {}) => alice.api.put(`${at}/secrets/deploy_Key`, { data, ...more });
    expect(await put("first value\r\n", { description: "For the deployment" })).toMatchObject({
      status: 201,
      body: null,
    });
    expect(await put("sécond value")).toMatchObject({ status: 204, body: null });
    const sealed = await sealedIn("DEPLOY_KEY");
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("cond value");
    const opened = unseal(app.forge.keys.seal, sealed, secretContext(holder(), "DEPLOY_KEY"));
    expect(Buffer.from(opened ?? []).toString()).toBe("sécond value");
    expect(unseal(app.forge.keys.seal, sealed, secretContext(holder(), "OTHER"))).toBeNull();
    if (at !== ofUser) {
      const { status, body } = await alice.api.get(`${at}/secrets`);
      expect({ status, body: redact(body) }).toEqual({
        status: 200,
        body: [{ name: "DEPLOY_KEY", description: "For the deployment", created_at: "<time>" }],
      });
    }
    expect(await alice.api.delete(`${at}/secrets/deploy_key`)).toMatchObject({ status: 204, body: null });
    expect((await alice.api.delete(`${at}/secrets/deploy_key`)).status).toBe(404);
    expect(await sealedIn("DEPLOY_KEY")).toHaveLength(0);
  });

  test("a variable is made, read, changed, renamed and deleted", async () => {
    const { owner, repository } = holder();
    const shown = (name: string, data: string, description = "") => ({
      name,
      data,
      description,
      owner_id: repository === null ? owner.id : 0,
      repo_id: repository?.id ?? 0,
    });
    expect((await alice.api.get(`${at}/variables/MODE`)).status).toBe(404);
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "x" })).status).toBe(404);
    expect(await alice.api.post(`${at}/variables/mode`, { value: "fast" })).toMatchObject({ status: 204, body: null });
    expect((await alice.api.post(`${at}/variables/MODE`, { value: "other" })).status).toBe(409);
    expect(await alice.api.get(`${at}/variables/Mode`)).toMatchObject({ status: 200, body: shown("MODE", "fast") });
    await alice.api.post(`${at}/variables/Z_LAST`, { value: "z" });
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "slow", name: "" })).status).toBe(204);
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "slow", name: "z_last" })).status).toBe(409);
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "slow", name: "1" })).status).toBe(400);
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "x", description: "How" })).status).toBe(204);
    expect((await alice.api.put(`${at}/variables/MODE`, { value: "slower", name: "speed" })).status).toBe(204);
    const { status, headers, body } = await alice.api.get(`${at}/variables`);
    expect({ status, total: headers.get("x-total-count"), body }).toEqual({
      status: 200,
      total: "2",
      body: [shown("SPEED", "slower", "How"), shown("Z_LAST", "z")],
    });
    expect((await alice.api.get(`${at}/variables?limit=1&page=2`)).body).toEqual([shown("Z_LAST", "z")]);
    for (const name of ["SPEED", "Z_LAST"]) {
      expect((await alice.api.delete(`${at}/variables/${name}`)).status).toBe(204);
    }
    expect((await alice.api.delete(`${at}/variables/SPEED`)).status).toBe(404);
  });

  test("many at the same moment leave one", async () => {
    const put = (index: number) => alice.api.put(`${at}/secrets/RACE`, { data: `value ${index}` });
    const found = await Promise.all(Array.from({ length: 8 }, (_each, index) => put(index)));
    expect(found.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(204)]);
    const post = (index: number) => alice.api.post(`${at}/variables/RACE`, { value: `value ${index}` });
    const made = await Promise.all(Array.from({ length: 8 }, (_each, index) => post(index)));
    expect(made.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(409)]);
    await alice.api.delete(`${at}/secrets/RACE`);
    await alice.api.delete(`${at}/variables/RACE`);
  });
});

test("holders do not see each other's, and they go with their holder", async () => {
  const carol: TestUser = await app.user("carol");
  const { full_name: name, id } = await app.repository(carol, "tour");
  await carol.api.put(`/repos/${name}/actions/secrets/A`, { data: "of the repository" });
  await carol.api.put("/user/actions/secrets/A", { data: "of the user" });
  await carol.api.post("/user/actions/variables/V", { value: "of the user" });
  expect((await carol.api.get(`/repos/${name}/actions/variables/V`)).status).toBe(404);
  expect((await carol.api.delete(`/repos/${name}`)).status).toBe(204);
  const left = async () =>
    app.forge.database.sql`select name from secret where repository_id = ${id} or owner_id = ${carol.id}`;
  expect(await left()).toHaveLength(1);
  const admin = await app.admin();
  expect((await admin.api.delete("/admin/users/carol?purge=true")).status).toBe(204);
  expect(await left()).toHaveLength(0);
});

test("the value of a secret is not in the log, whatever its level", async () => {
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`);
  const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };
  await using other = await TestApp.start({}, log);
  const dora = await other.user("dora");
  await dora.api.put("/user/actions/secrets/TOKEN", { data: "very-secret-value" });
  await dora.api.put("/user/actions/secrets/1BAD", { data: "very-secret-value" });
  await dora.api.put("/user/actions/secrets/TOKEN", { data: "very-secret-value", more: "very-secret-value" });
  expect(lines.join("\n")).not.toContain("very-secret-value");
});
