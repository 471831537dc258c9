import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { surfaces } from "../security/surface-list.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { sendForm } from "../support/web-forms.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 }, mail: { smtp_password: "hidden-secret" } });
const alice = await app.user("alice");
const admin = await app.user("ada", { isAdmin: true });
await alice.api.post("/orgs", { username: "forge", visibility: "private" });
await app.repository(alice, "secret", { private: true });

async function signedIn(name: string, password = testPassword): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, password);
  return browser;
}
const [asAlice, asAdmin, nobody] = [await signedIn("alice"), await signedIn("ada"), new WebVisitor(app.url)];

interface AdminUser {
  login: string;
  full_name: string;
  email: string;
  active: boolean;
  is_admin: boolean;
  prohibit_login: boolean;
  restricted: boolean;
}
const userOf = async (name: string) =>
  (await admin.api.get<AdminUser[]>("/admin/users?limit=50")).body.find(({ login }) => login === name);
const submit = (path: string, fields: Record<string, string | undefined>, act?: string) =>
  sendForm(asAdmin, path, act === undefined ? fields : { ...fields, act });

describe("forbidden", () => {
  test("only administrators of the server see its pages, and no form of others does anything", async () => {
    const token = /name="_csrf" value="([^"]+)"/.exec((await asAlice.get("/user/settings/appearance")).text)?.[1] ?? "";
    for (const surface of surfaces.admin) {
      const [method = "", route = ""] = surface.split(" ");
      const path = route.replace(":name", "ada").replace(":id", "1");
      if (method === "GET") {
        expect([surface, (await asAlice.get(path)).status]).toEqual([surface, 403]);
        const page = await nobody.get(path);
        expect([surface, page.status, page.location.startsWith("/user/login")]).toEqual([surface, 303, true]);
      } else {
        const fields = { _csrf: token, act: "delete", confirm: "ada", username: "eve", task: "collect_packs" };
        expect([surface, (await asAlice.post(path, fields)).status]).toEqual([surface, 403]);
      }
    }
    expect((await asAlice.get("/")).text).not.toContain("/-/admin");
    expect(await userOf("ada")).toMatchObject({ is_admin: true });
    expect(await userOf("eve")).toBeUndefined();
  });
});

test("the overview shows the health, and runs a task", async () => {
  const page = await asAdmin.get("/-/admin");
  expect(page.status).toBe(200);
  for (const words of ["Everything works.", "database", "collect_packs", "never ran"]) {
    expect(page.text).toContain(words);
  }
  expect((await asAdmin.get("/admin")).location).toBe("/-/admin");
  const run = await sendForm(asAdmin, "/-/admin", { task: "collect_packs" }, "/-/admin/tasks");
  expect([run.status, run.location]).toEqual([303, "/-/admin"]);
  await until("the task has run", async () =>
    /collect_packs<\/code> · ran /.test((await asAdmin.get("/-/admin")).text),
  );
  const none = await sendForm(asAdmin, "/-/admin", { task: "none" }, "/-/admin/tasks");
  expect(none.status).toBe(404);
});

describe("users", () => {
  test("are created, and the form says what is wrong", async () => {
    const fields = {
      username: "eve",
      email: "eve@example.org",
      password: "a-long-password",
      must_change_password: "1",
    };
    const short = await submit("/-/admin/users/new", { ...fields, password: "x" });
    expect(short.status).toBe(422);
    expect(short.text).toContain('id="password" name="password" aria-invalid="true"');
    expect(short.text).toContain('value="eve@example.org"');
    const taken = await submit("/-/admin/users/new", { ...fields, username: "alice" });
    expect([taken.status >= 400, taken.status < 500]).toEqual([true, true]);
    expect((await submit("/-/admin/users/new", fields)).location).toBe("/-/admin/users");
    expect(await userOf("eve")).toMatchObject({ email: "eve@example.org", is_admin: false });
    const first = await signedIn("eve", fields.password);
    expect((await first.get("/user/settings")).location).toContain("/user/settings/change_password");
  });

  test("are listed by kind and text", async () => {
    const list = async (query: string) => {
      const { text } = await asAdmin.get(`/-/admin/users${query}`);
      return [...text.matchAll(/href="\/-\/admin\/users\/([^"?/]+)"/g)]
        .map(([, name]) => name)
        .filter((name) => name !== "new");
    };
    expect(await list("?q=EVE@")).toEqual(["eve"]);
    expect(await list("?kind=admins&q=ada")).toEqual(["ada"]);
    expect(await list("?q=nothing-like-this")).toEqual([]);
    expect(await list("?kind=none&sort=none&q=ali")).toEqual(["alice"]);
    expect((await asAdmin.get("/-/admin/users?q=%00%25_")).status).toBe(200);
  });

  test("are edited, renamed and deleted", async () => {
    const path = "/-/admin/users/eve";
    const fields = {
      full_name: "Eve <b>",
      email: "eve@example.org",
      password: "",
      max_repo_creation: "-1",
      prohibit_login: "1",
    };
    expect((await submit(path, fields, "edit")).location).toBe(path);
    expect(await userOf("eve")).toMatchObject({ full_name: "Eve <b>", prohibit_login: true, restricted: false });
    const wrong = await submit(path, { ...fields, max_repo_creation: "many", full_name: "kept" }, "edit");
    expect([wrong.status, wrong.text.includes('value="kept"')]).toEqual([422, true]);
    expect(wrong.text).toContain('id="max_repo_creation" name="max_repo_creation" aria-invalid="true"');
    expect((await submit(path, { new_name: "alice" }, "rename")).status).toBeGreaterThanOrEqual(400);
    expect((await submit(path, { new_name: "evelyn" }, "rename")).location).toBe("/-/admin/users/evelyn");
    expect((await submit("/-/admin/users/evelyn", { confirm: "eve" }, "delete")).status).toBe(422);
    expect(await userOf("evelyn")).toBeDefined();
    expect((await submit("/-/admin/users/evelyn", { confirm: "evelyn" }, "delete")).location).toBe("/-/admin/users");
    expect(await userOf("evelyn")).toBeUndefined();
    for (const name of ["none", "forge", "%3Cb%3E"]) {
      expect((await asAdmin.get(`/-/admin/users/${name}`)).status).toBe(404);
    }
  });

  test("keep one administrator", async () => {
    const others = (await admin.api.get<AdminUser[]>("/admin/users?limit=50")).body.filter(
      (user) => user.is_admin && user.login !== "ada",
    );
    for (const { login } of others) {
      await admin.api.patch(`/admin/users/${login}`, { admin: false });
    }
    const page = await submit(
      "/-/admin/users/ada",
      { admin: undefined, full_name: "", password: "", max_repo_creation: "-1", active: "1" },
      "edit",
    );
    expect(page.status).toBe(422);
    expect(await userOf("ada")).toMatchObject({ is_admin: true });
  });
});

test("organizations and repositories are all there, also the private ones", async () => {
  expect((await asAdmin.get("/-/admin/organizations")).text).toContain('href="/forge"');
  const { text } = await asAdmin.get("/-/admin/repositories?q=secret");
  expect(text).toContain('href="/alice/secret"');
});

test("the settings say where they come from, and no secret", async () => {
  const { text } = await asAdmin.get("/-/admin/configuration");
  expect(text).toContain("auth.failed_sign_ins_per_minute");
  expect(text).toContain("set, not shown");
  expect(text).not.toContain("hidden-secret");
});

describe("dead letters", () => {
  const dead = async () => {
    const [row] = await app.forge.database.db.execute<{ id: string }>(
      sql`insert into job (kind, payload, doer, state, last_error, attempts) values ('regular-task', '{"task":"collect_blobs"}', '{"kind":"server","reason":"test"}', 'dead', ${"<b>it broke</b>"}, 25) returning id`,
    );
    return Number(row?.id);
  };

  test("are tried again", async () => {
    const id = await dead();
    const page = await asAdmin.get("/-/admin/jobs");
    expect(page.text).toContain("&lt;b&gt;it broke");
    const done = await sendForm(asAdmin, "/-/admin/jobs", { act: "retry" }, `/-/admin/jobs/${id}`);
    expect([done.status, done.location]).toEqual([303, "/-/admin/jobs?state=dead"]);
    await until("the job is done", async () => {
      const rows = await app.forge.database.db.execute(sql`select 1 from job where id = ${id}`);
      return rows.length === 0;
    });
    expect((await asAdmin.get("/-/admin/jobs")).text).toContain("No job failed for good");
  });

  test("are deleted", async () => {
    const id = await dead();
    await sendForm(asAdmin, "/-/admin/jobs", { act: "delete" }, `/-/admin/jobs/${id}`);
    expect(await app.forge.database.db.execute(sql`select 1 from job where id = ${id}`)).toHaveLength(0);
    for (const query of ["?state=waiting", "?state=running", "?state=scheduled", "?state=none"]) {
      expect([query, (await asAdmin.get(`/-/admin/jobs${query}`)).status]).toEqual([query, 200]);
    }
  });
});
