import { describe, expect, test } from "bun:test";
import { insertTeam, insertTeamMember } from "../../../src/domain/identity/orgs/queries.ts";
import { redact } from "../../support/redact.ts";
import { useTestApp, type RepositoryJson } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("Alice");
const bob = await app.user("bob");
const admin = await app.admin();
const organizationId = await app.organization("Forge", alice);

interface Failure {
  message: string;
}

describe("POST /user/repos", () => {
  test("answers the whole repository", async () => {
    const { status, body } = await alice.api.post("/user/repos", {
      name: "Site",
      description: "A site",
      private: true,
    });
    expect(status).toBe(201);
    expect(redact(body)).toMatchSnapshot();
    const read = await alice.api.get("/repos/alice/site");
    expect(read.body).toEqual(body);
  });

  test.each([
    ["empty", {}],
    ["with a first commit", { auto_init: true }],
  ])("answers what is read afterwards: %s", async (name, fields) => {
    const created = await alice.api.post<RepositoryJson>("/user/repos", { name: `same-${name.length}`, ...fields });
    const read = await alice.api.get<RepositoryJson>(`/repos/alice/same-${name.length}`);
    expect(created.body).toEqual(read.body);
  });

  test("needs somebody", async () => {
    const { status, body } = await app.anonymous.post<Failure>("/user/repos", { name: "x" });
    expect(status).toBe(401);
    expect(body.message).toContain("token is required");
  });

  test("a name is taken in any case: 409", async () => {
    await app.repository(alice, "taken");
    const { status, body } = await alice.api.post<Failure>("/user/repos", { name: "TAKEN" });
    expect({ status, message: body.message }).toEqual({
      status: 409,
      message: 'The repository "Alice/TAKEN" already exists',
    });
    expect((await bob.api.post("/user/repos", { name: "taken" })).status).toBe(201);
  });

  test("two requests at once for one name make one repository", async () => {
    const replies = await Promise.all([1, 2, 3].map(() => alice.api.post("/user/repos", { name: "race" })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  });

  test.each([
    ["name", {}],
    ["name", { name: "" }],
    ["name", { name: "a b" }],
    ["name", { name: "a/b" }],
    ["name", { name: ".." }],
    ["name", { name: "x.git" }],
    ["name", { name: "x.wiki" }],
    ["name", { name: "é" }],
    ["name", { name: "x".repeat(101) }],
    ["name", { name: 7 }],
    ["private", { name: "x", private: "yes" }],
    ["description", { name: "x", description: "x".repeat(2049) }],
    ["default_branch", { name: "x", default_branch: "a..b" }],
    ["default_branch", { name: "x", default_branch: "-a" }],
    ["default_branch", { name: "x", default_branch: "a b" }],
    ["default_branch", { name: "x", default_branch: "x".repeat(101) }],
    ["object_format_name", { name: "x", object_format_name: "md5" }],
    ["trust_model", { name: "x", trust_model: "everybody" }],
    ["issue_labels", { name: "x", issue_labels: "Fancy" }],
    ["README", { name: "x", auto_init: true, readme: "Fancy" }],
    ["gitignore", { name: "x", auto_init: true, gitignores: "Go,Cobol-85" }],
    ["license", { name: "x", auto_init: true, license: "my-own" }],
    ["auto_init", { name: "x", license: "MIT" }],
  ])("what is wrong is named: %s (%#)", async (field, payload) => {
    const { status, body } = await alice.api.post<Failure>("/user/repos", payload);
    expect(status).toBe(422);
    expect(body.message).toContain(field);
    expect((await alice.api.get("/repos/alice/x")).status).toBe(404);
  });

  test.each([false, true])("labels are those of the set that is named (first commit: %p)", async (auto_init) => {
    const name = `labelled-${auto_init}`;
    const payload = { name, auto_init, issue_labels: "Default" };
    expect((await alice.api.post("/user/repos", payload)).status).toBe(201);
    const { body } = await alice.api.get<{ name: string }[]>(`/repos/alice/${name}/labels`);
    const { body: set } = await alice.api.get<object[]>("/label/templates/Default");
    expect(body).toHaveLength(7);
    expect(body).toMatchObject(set.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)));
  });

  test("null means absent, and unknown fields do nothing", async () => {
    const { status, body } = await alice.api.post<RepositoryJson>("/user/repos", {
      name: "lenient",
      description: null,
      auto_init: null,
      of_tomorrow: 1,
    });
    expect({ status, branch: body.default_branch }).toEqual({ status: 201, branch: "main" });
  });
});

async function contentsOf(name: string) {
  const { body } = await alice.api.get<{ id: number }>(`/repos/alice/${name}`);
  const { repository } = await app.forge.identity.identify(
    { presented: { kind: "none" }, remoteAddress: "test", sudo: null },
    { repositoryId: body.id },
  );
  const row = repository?.repository;
  if (row === undefined) {
    throw new Error("The repository is gone");
  }
  const refs = await app.forge.git.refs.listRefs(body.id);
  const oid = refs[0]?.oid ?? "";
  const view = await app.forge.git.views.current(row);
  const tree = await app.forge.git.engine.call(view, "listTree", {
    commit: oid,
    path: "",
    recursive: true,
    lastCommits: false,
    skip: 0,
    limit: 100,
  });
  const files: Record<string, string> = {};
  for (const entry of tree?.entries ?? []) {
    files[entry.path] = await new Response(
      app.forge.git.engine.stream(view, "readBlob", { oid: entry.oid, start: 0, end: 1_000_000 }),
    ).text();
  }
  return { refs: refs.map((ref) => ref.name), oid, files };
}

describe("auto_init", () => {
  test("makes a first commit of a README and templates", async () => {
    const { status, body } = await alice.api.post<{ empty: boolean; size: number; default_branch: string }>(
      "/user/repos",
      {
        name: "filled",
        description: "All there",
        auto_init: true,
        gitignores: "Go,node",
        license: "mit",
        default_branch: "trunk",
      },
    );
    expect(status).toBe(201);
    expect({ empty: body.empty, branch: body.default_branch }).toEqual({ empty: false, branch: "trunk" });
    expect(body.size).toBeGreaterThan(0);
    const { refs, files } = await contentsOf("filled");
    expect(refs).toEqual(["refs/heads/trunk"]);
    expect(files["README.md"]).toBe("# filled\n\nAll there\n");
    expect(files["LICENSE"]).toContain(`Copyright (c) ${new Date().getUTCFullYear()} Alice\n`);
    expect(files[".gitignore"]).toStartWith("# ---> Go\n");
    expect(files[".gitignore"]).toContain("\n# ---> node\n");
    expect(Object.keys(files).toSorted()).toEqual([".gitignore", "LICENSE", "README.md"]);
  });

  test("works with SHA-256", async () => {
    const { body } = await alice.api.post<{ object_format_name: string }>("/user/repos", {
      name: "modern",
      auto_init: true,
      object_format_name: "sha256",
    });
    expect(body.object_format_name).toBe("sha256");
    const { files, oid } = await contentsOf("modern");
    expect(files["README.md"]).toBe("# modern\n");
    expect(oid).toHaveLength(64);
  });

  test("leaves nothing behind when the name is taken", async () => {
    await app.repository(alice, "full");
    expect((await alice.api.post("/user/repos", { name: "full", auto_init: true })).status).toBe(409);
    expect((await alice.api.get<{ empty: boolean }>("/repos/alice/full")).body.empty).toBe(true);
  });
});

describe("in organizations", () => {
  test("their owners create, at both addresses", async () => {
    const first = await alice.api.post<RepositoryJson>("/orgs/forge/repos", { name: "one" });
    const second = await alice.api.post<RepositoryJson>("/org/forge/repos", { name: "two" });
    expect([first.status, first.body.full_name, second.status, second.body.full_name]).toEqual([
      201,
      "Forge/one",
      201,
      "Forge/two",
    ]);
  });

  test("members of a team that may create administer what they create, and no more", async () => {
    await app.forge.database.db.transaction(async (tx) => {
      const teamId = await insertTeam(tx, { organizationId, name: "Makers", mode: 1, canCreateRepositories: true });
      await insertTeamMember(tx, teamId, bob.id);
    });
    const { status, body } = await bob.api.post<{ permissions: unknown }>("/orgs/forge/repos", {
      name: "made",
      private: true,
    });
    expect({ status, permissions: body.permissions }).toEqual({
      status: 201,
      permissions: { admin: true, push: true, pull: true },
    });
    expect((await bob.api.patch("/repos/forge/made", { description: "x" })).status).toBe(200);
    expect((await bob.api.delete("/repos/forge/made")).status).toBe(403);
    expect((await bob.api.patch("/repos/forge/one", { description: "x" })).status).toBe(403);
  });

  test("a user is no organization", async () => {
    expect((await alice.api.post("/orgs/alice/repos", { name: "x" })).status).toBe(404);
  });
});

describe("POST /admin/users/{username}/repos", () => {
  test("creates for the user", async () => {
    const { status, body } = await admin.api.post<RepositoryJson & { owner: { login: string } }>(
      "/admin/users/bob/repos",
      { name: "given", private: true },
    );
    expect({ status, owner: body.owner.login }).toEqual({ status: 201, owner: "bob" });
    expect((await bob.api.delete("/repos/bob/given")).status).toBe(204);
  });

  test("an unknown user is 404", async () => {
    expect((await admin.api.post("/admin/users/nobody/repos", { name: "x" })).status).toBe(404);
  });
});
