import { $ } from "bun";
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { deleteRepository } from "../../src/domain/repos/delete-repository.ts";
import { findRepositoryByName } from "../../src/domain/repos/queries.ts";
import { Scratch } from "../support/git.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

interface KeyJson {
  id: number;
  key_id: number;
  key: string;
  title: string;
  fingerprint: string;
  read_only: boolean;
}

const app = await useTestApp();
const { sql, db } = app.forge.database;
const admin = await app.admin();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site");
await app.repository(alice, "tool");
await app.repository(alice, "secret", { private: true });

function newKey(): string {
  const point = Buffer.from(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const blob = Buffer.concat([Buffer.of(0, 0, 0, 11), Buffer.from("ssh-ed25519"), Buffer.of(0, 0, 0, 32), point]);
  return `ssh-ed25519 ${blob.toString("base64")}`;
}

const countKeys = async () => Number((await sql`select count(*) as value from ssh_key`)[0]?.["value"]);
const countDeployKeys = async () => Number((await sql`select count(*) as value from deploy_key`)[0]?.["value"]);
const counts = async () => [await countKeys(), await countDeployKeys()];

describe("refused", () => {
  const body = { title: "laptop", key: newKey() };

  test("to nobody, and to tokens without the scope", async () => {
    const before = await counts();
    const wrong = await app.scoped(admin, "write:repository", "write:organization");
    const reader = await app.scoped(admin, "read:user", "read:admin");
    for (const [method, path] of [
      ["GET", "/user/keys"],
      ["POST", "/user/keys"],
      ["GET", "/user/keys/1"],
      ["DELETE", "/user/keys/1"],
      ["GET", "/users/alice/keys"],
      ["POST", "/admin/users/alice/keys"],
      ["DELETE", "/admin/users/alice/keys/1"],
    ] as const) {
      const options = method === "POST" ? { body } : {};
      expect([path, (await app.anonymous.request(method, path, options)).status]).toEqual([path, 401]);
      expect([path, (await wrong.request(method, path, options)).status]).toEqual([path, 403]);
      if (method !== "GET") {
        expect([path, (await reader.request(method, path, options)).status]).toEqual([path, 403]);
      }
    }
    expect(await counts()).toEqual(before);
  });

  test("of others to whoever is no administrator", async () => {
    const before = await counts();
    expect((await bob.api.post("/admin/users/alice/keys", body)).status).toBe(403);
    expect((await bob.api.delete("/admin/users/alice/keys/1")).status).toBe(403);
    expect((await admin.api.post("/admin/users/nobody/keys", body)).status).toBe(404);
    expect((await admin.api.delete("/admin/users/alice/keys/999999")).status).toBe(404);
    expect((await bob.api.get("/users/nobody/keys")).status).toBe(404);
    expect(await counts()).toEqual(before);
  });

  test("to a token for public things only, which would open all others with it", async () => {
    const before = await counts();
    for (const [user, path] of [
      [alice, "/user/keys"],
      [alice, "/repos/alice/site/keys"],
      [admin, "/admin/users/alice/keys"],
    ] as const) {
      const { status, body: answer } = await (await app.scoped(user, "all", "public-only")).post(path, body);
      expect([path, status, answer]).toEqual([path, 403, expect.objectContaining({ message: expect.any(String) })]);
    }
    expect(await counts()).toEqual(before);
  });

  test("to a token that may not see repositories: the key would open them", async () => {
    const before = await counts();
    for (const scopes of [["write:user"], ["write:user", "read:repository"], ["write:repository", "read:user"]]) {
      const { status, body: answer } = await (
        await app.scoped(alice, ...scopes)
      ).post<{ message: string }>("/user/keys", body);
      expect([scopes, status]).toEqual([scopes, 403]);
      expect(answer.message).toEndWith("write:user, write:repository");
    }
    for (const scopes of [["write:admin"], ["write:admin", "write:user"], ["write:admin", "write:repository"]]) {
      const client = await app.scoped(admin, ...scopes);
      expect([scopes, (await client.post("/admin/users/alice/keys", body)).status]).toEqual([scopes, 403]);
    }
    expect(await counts()).toEqual(before);
    for (const [user, path, scopes] of [
      [alice, "/user/keys", ["write:user", "write:repository"]],
      [admin, "/admin/users/alice/keys", ["write:admin", "write:user", "write:repository"]],
    ] as const) {
      const client = await app.scoped(user, ...scopes);
      const { status, body: made } = await client.post<KeyJson>(path, { title: "enough", key: newKey() });
      expect(status).toBe(201);
      // To remove one opens nothing.
      expect((await (await app.scoped(alice, "write:user")).delete(`/user/keys/${made.id}`)).status).toBe(204);
    }
    expect(await counts()).toEqual(before);
  });

  test("for a repository to whoever does not administer it", async () => {
    const before = await counts();
    const writer = await app.user("writer");
    await sql`insert into collaborator (repository_id, user_id, mode) select id, ${writer.id}, 2 from repository where lower_name = 'secret'`;
    const scoped = await app.scoped(alice, "read:repository", "write:user");
    const publicOnly = await app.scoped(alice, "write:repository", "public-only");
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/1"],
      ["DELETE", "/1"],
    ] as const) {
      const options = method === "POST" ? { body } : {};
      const status = async (client: typeof bob.api, repository: string) =>
        (await client.request(method, `/repos/alice/${repository}/keys${path}`, options)).status;
      expect([
        method,
        await status(app.anonymous, "site"),
        await status(app.anonymous, "secret"),
        await status(app.anonymous, "none"),
      ]).toEqual([method, 401, 401, 401]);
      expect([
        method,
        await status(bob.api, "site"),
        await status(bob.api, "secret"),
        await status(bob.api, "none"),
      ]).toEqual([method, 403, 404, 404]);
      expect([method, await status(writer.api, "secret"), await status(publicOnly, "secret")]).toEqual([
        method,
        403,
        404,
      ]);
      expect([method, await status(scoped, "site")]).toEqual([
        method,
        method === "GET" ? (path === "" ? 200 : 404) : 403,
      ]);
    }
    expect(await counts()).toEqual(before);
  });

  test.each([
    ["no key", { title: "laptop" }, "key"],
    ["no title", { key: newKey() }, "title"],
    ["a blank title", { title: "  ", key: newKey() }, "title"],
    ["a title of two lines", { title: "a\nb", key: newKey() }, "title"],
    ["a long title", { title: "x".repeat(256), key: newKey() }, "title"],
    ["a key that is none", { title: "laptop", key: "ssh-ed25519 AAAA" }, "key"],
    [
      "a certificate",
      { title: "laptop", key: newKey().replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com") },
      "certificate",
    ],
    ["a number as key", { title: "laptop", key: 7 }, "key"],
  ])("%s", async (_, option, word) => {
    const before = await counts();
    for (const [client, path] of [
      [alice, "/user/keys"],
      [admin, "/admin/users/alice/keys"],
      [alice, "/repos/alice/site/keys"],
    ] as const) {
      const { status, body: answer } = await client.api.post<{ message: string }>(path, option);
      expect([path, status]).toEqual([path, 422]);
      expect(answer.message.toLowerCase()).toContain(word);
    }
    expect(await counts()).toEqual(before);
  });

  test("a user's key that is to be read-only, since it would not be", async () => {
    expect((await alice.api.post("/user/keys", { ...body, read_only: true })).status).toBe(422);
    expect((await alice.api.get("/user/keys")).body).toEqual([]);
  });
});

describe("a user's keys", () => {
  test("are made, read and deleted, whole", async () => {
    const dora = await app.user("dora");
    const key = newKey();
    const { status, body: made } = await dora.api.post<KeyJson>("/user/keys", {
      title: " laptop ",
      key: `${key} dora@home\n`,
      read_only: false,
    });
    const user = redact((await dora.api.get("/user")).body);
    const expected = {
      id: "<id>",
      key: `${key} dora@home`,
      url: `<url>/api/v1/user/keys/${made.id}`,
      title: "laptop",
      fingerprint: made.fingerprint,
      created_at: "<time>",
      user,
      read_only: false,
      key_type: "user",
    };
    expect({ status, body: redact(made) as object }).toEqual({ status: 201, body: expected });
    expect(made.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect((await dora.api.get<object>(`/user/keys/${made.id}`)).body).toEqual(made);
    expect((await dora.api.get<object>("/user/keys")).body).toEqual([made]);
    expect((await dora.api.get<object>("/users/DORA/keys")).body).toEqual([made]);

    const { user: _user, read_only: _readOnly, key_type: _type, ...shown } = expected;
    expect(redact((await bob.api.get("/users/dora/keys")).body)).toEqual([{ ...shown, key }]);
    expect((await admin.api.get<KeyJson[]>("/users/dora/keys")).body[0]).toHaveProperty("user.login", "dora");
    expect((await bob.api.get(`/user/keys/${made.id}`)).status).toBe(404);
    expect(await admin.api.get(`/user/keys/${made.id}`)).toMatchObject({ status: 200, body: made });
    expect((await admin.api.delete(`/user/keys/${made.id}`)).status).toBe(404);
    expect((await bob.api.delete(`/user/keys/${made.id}`)).status).toBe(404);
    expect((await admin.api.delete(`/admin/users/bob/keys/${made.id}`)).status).toBe(404);

    expect((await dora.api.delete(`/user/keys/${made.id}`)).status).toBe(204);
    expect((await dora.api.delete(`/user/keys/${made.id}`)).status).toBe(404);
    expect((await dora.api.get<object>("/user/keys")).body).toEqual([]);
  });

  test("keep their comment, which their user and administrators see", async () => {
    const nora = await app.user("nora");
    const key = newKey();
    const line = `${key} nora@laptop  at home`;
    const { status, body: made } = await nora.api.post<KeyJson>("/user/keys", { title: "laptop", key: line });
    expect([status, made.key]).toEqual([201, line]);
    expect((await nora.api.get<KeyJson>(`/user/keys/${made.id}`)).body.key).toBe(line);
    expect((await admin.api.get<KeyJson[]>("/users/nora/keys")).body[0]?.key).toBe(line);
    expect((await admin.api.get<KeyJson>(`/user/keys/${made.id}`)).body.key).toBe(line);
    expect((await bob.api.get<KeyJson[]>("/users/nora/keys")).body[0]?.key).toBe(key);
    // A key of a repository is no user's.
    const deploy = await alice.api.post<KeyJson>("/repos/alice/site/keys", { title: "ci-of-nora", key: newKey() });
    expect((await admin.api.get(`/user/keys/${deploy.body.key_id}`)).status).toBe(404);
    expect((await admin.api.get("/user/keys/987654321")).status).toBe(404);
    expect((await alice.api.delete(`/repos/alice/site/keys/${deploy.body.id}`)).status).toBe(204);
  });

  test("of repositories keep the comment that each was given", async () => {
    const key = newKey();
    for (const [repository, comment] of [
      ["site", " flux@cluster"],
      ["tool", ""],
      ["secret", " other"],
    ]) {
      const line = `${key}${comment}`;
      const path = `/repos/alice/${repository}/keys`;
      const { status, body } = await alice.api.post<KeyJson>(path, { title: "flux", key: `${line}\n` });
      expect([status, body.key]).toEqual([201, line]);
      expect((await alice.api.get<KeyJson>(`${path}/${body.id}`)).body.key).toBe(line);
      expect((await alice.api.get<KeyJson[]>(`${path}?key_id=${body.key_id}`)).body[0]?.key).toBe(line);
    }
    await sql`delete from deploy_key where title = 'flux'`;
    await sql`delete from ssh_key where user_id is null`;
  });

  test("are given and taken by an administrator", async () => {
    const eve = await app.user("eve");
    const { status, body: made } = await admin.api.post<KeyJson>("/admin/users/eve/keys", {
      title: "given",
      key: newKey(),
    });
    expect(status).toBe(201);
    expect((await eve.api.get<object>("/user/keys")).body).toEqual([made]);
    await app.organization("forge", alice);
    expect((await admin.api.post("/admin/users/forge/keys", { title: "given", key: newKey() })).status).toBe(404);
    expect((await admin.api.delete(`/admin/users/eve/keys/${made.id}`)).status).toBe(204);
    expect((await eve.api.get<object>("/user/keys")).body).toEqual([]);
  });

  test("are listed by page and found by fingerprint", async () => {
    const finn = await app.user("finn");
    const made: KeyJson[] = [];
    for (const title of ["a", "b", "c"]) {
      made.push((await finn.api.post<KeyJson>("/user/keys", { title, key: newKey() })).body);
    }
    const { headers, body } = await finn.api.get<KeyJson[]>("/user/keys?limit=2&page=2");
    expect(body).toEqual(made.slice(2));
    expect(headers.get("x-total-count")).toBe("3");
    for (const path of ["/user/keys", "/users/finn/keys"]) {
      const found = await finn.api.get<KeyJson[]>(
        `${path}?fingerprint=${encodeURIComponent(made[1]?.fingerprint ?? "")}`,
      );
      expect([found.body, found.headers.get("x-total-count")]).toEqual([made.slice(1, 2), "1"]);
      expect((await finn.api.get<object>(`${path}?fingerprint=SHA256:none`)).body).toEqual([]);
    }
  });

  test("that somebody has, or with a title that the user has, are not made again", async () => {
    const gina = await app.user("gina");
    const key = newKey();
    expect((await gina.api.post("/user/keys", { title: "one", key })).status).toBe(201);
    const before = await counts();
    const refused = async (client: typeof gina.api, path: string, option: object) => {
      const { status, body } = await client.post<{ message: string }>(path, option);
      expect(status).toBe(422);
      return body.message;
    };
    expect(await refused(gina.api, "/user/keys", { title: "two", key: `${key} comment` })).toContain("in use");
    expect(await refused(gina.api, "/user/keys", { title: "one", key: newKey() })).toContain('"one"');
    const told = await refused(bob.api, "/user/keys", { title: "mine", key });
    expect(told).toContain("in use");
    expect(told).not.toContain("gina");
    expect(await refused(alice.api, "/repos/alice/site/keys", { title: "deploy", key })).toContain("belongs to a user");
    expect(await counts()).toEqual(before);
  });

  test("made twice at once are made once", async () => {
    const [hana, ivan] = [await app.user("hana"), await app.user("ivan")];
    // Whoever is first: it is not always a user.
    await app.repository(alice, "raced");
    const key = newKey();
    const option = (title: string) => ({ title, key });
    const statuses = async (...answers: Promise<{ status: number }>[]) =>
      (await Promise.all(answers)).map(({ status }) => status).sort();
    expect(
      await statuses(
        hana.api.post("/user/keys", option("a")),
        ivan.api.post("/user/keys", option("b")),
        hana.api.post("/user/keys", option("c")),
        alice.api.post("/repos/alice/raced/keys", option("d")),
      ),
    ).toEqual([201, 422, 422, 422]);
    expect(Number((await sql`select count(*) as value from ssh_key where content = ${key}`)[0]?.["value"])).toBe(1);
    expect(
      await statuses(...[1, 2, 3].map(() => hana.api.post("/user/keys", { title: "same", key: newKey() }))),
    ).toEqual([201, 422, 422]);
  });

  test("are at most two hundred", async () => {
    const kim = await app.user("kim");
    await sql`insert into ssh_key (fingerprint, content, user_id, title) select 'SHA256:kim' || n, 'ssh-ed25519 ' || n, ${kim.id}, 'key ' || n from generate_series(1, 199) n`;
    const answers = await Promise.all(["a", "b"].map((title) => kim.api.post("/user/keys", { title, key: newKey() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  test("go with the account", async () => {
    const luis = await app.user("luis");
    expect((await luis.api.post("/user/keys", { title: "one", key: newKey() })).status).toBe(201);
    const before = await countKeys();
    await sql`delete from owner where id = ${luis.id}`;
    expect(await countKeys()).toBe(before - 1);
  });
});

describe("deploy keys", () => {
  test("are made, read and deleted, whole", async () => {
    const key = newKey();
    const { status, body: made } = await alice.api.post<KeyJson>("/repos/alice/site/keys", {
      title: "ci",
      key,
      read_only: true,
    });
    const repository = redact((await alice.api.get("/repos/alice/site")).body);
    const expected = {
      id: "<id>",
      key_id: "<id>",
      key,
      url: `<url>/api/v1/repos/alice/site/keys/${made.id}`,
      title: "ci",
      fingerprint: made.fingerprint,
      created_at: "<time>",
      read_only: true,
      repository,
    };
    expect({ status, body: redact(made) as object }).toEqual({ status: 201, body: expected });
    expect((await alice.api.get<object>(`/repos/alice/site/keys/${made.id}`)).body).toEqual(made);
    expect((await admin.api.get<KeyJson[]>("/repos/alice/site/keys")).body.map(({ id }) => id)).toEqual([made.id]);
    expect((await alice.api.get(`/repos/alice/tool/keys/${made.id}`)).status).toBe(404);
    expect((await alice.api.delete(`/repos/alice/tool/keys/${made.id}`)).status).toBe(404);
    expect((await alice.api.get(`/user/keys/${made.key_id}`)).status).toBe(404);
    expect((await alice.api.post("/user/keys", { title: "mine", key })).status).toBe(422);

    const before = await counts();
    expect((await alice.api.delete(`/repos/alice/site/keys/${made.id}`)).status).toBe(204);
    expect((await alice.api.delete(`/repos/alice/site/keys/${made.id}`)).status).toBe(404);
    expect(await counts()).toEqual([before[0]! - 1, before[1]! - 1]);
    expect((await alice.api.post("/user/keys", { title: "mine", key })).status).toBe(201);
  });

  test("may write unless it is said that they may not", async () => {
    const { body } = await alice.api.post<KeyJson>("/repos/alice/site/keys", { title: "writes", key: newKey() });
    expect(body.read_only).toBe(false);
  });

  test("of one key open several repositories, each once, and the key goes with the last", async () => {
    const key = newKey();
    const { body: first } = await alice.api.post<KeyJson>("/repos/alice/site/keys", {
      title: "shared",
      key,
      read_only: true,
    });
    const { status, body: second } = await alice.api.post<KeyJson>("/repos/alice/tool/keys", { title: "shared", key });
    expect([status, second.key_id, second.read_only]).toEqual([201, first.key_id, false]);
    const before = await counts();
    expect(
      (await alice.api.post<{ message: string }>("/repos/alice/site/keys", { title: "again", key })).body.message,
    ).toContain("already");
    expect(
      (await alice.api.post<{ message: string }>("/repos/alice/site/keys", { title: "shared", key: newKey() })).body
        .message,
    ).toContain('"shared"');
    expect(await counts()).toEqual(before);

    const both = await Promise.all([
      alice.api.delete(`/repos/alice/site/keys/${first.id}`),
      alice.api.delete(`/repos/alice/tool/keys/${second.id}`),
    ]);
    expect(both.map(({ status: each }) => each)).toEqual([204, 204]);
    expect(await counts()).toEqual([before[0]! - 1, before[1]! - 2]);
  });

  test("are listed by page, fingerprint and key", async () => {
    await app.repository(alice, "listed");
    const made: KeyJson[] = [];
    for (const title of ["a", "b", "c"]) {
      made.push((await alice.api.post<KeyJson>("/repos/alice/listed/keys", { title, key: newKey() })).body);
    }
    const list = async (query: string) => {
      const { headers, body } = await alice.api.get<KeyJson[]>(`/repos/alice/listed/keys?${query}`);
      return [body.map(({ title }) => title).join(""), headers.get("x-total-count")];
    };
    expect(await list("")).toEqual(["abc", "3"]);
    expect(await list("limit=2&page=2")).toEqual(["c", "3"]);
    expect(await list(`fingerprint=${encodeURIComponent(made[1]?.fingerprint ?? "")}`)).toEqual(["b", "1"]);
    expect(await list(`key_id=${made[2]?.key_id}`)).toEqual(["c", "1"]);
    expect(await list(`key_id=${made[2]?.key_id}&fingerprint=SHA256:none`)).toEqual(["", "0"]);
    expect((await alice.api.get("/repos/alice/listed/keys?key_id=x")).status).toBe(422);
  });

  test("made twice at once are made once", async () => {
    const key = newKey();
    const answers = await Promise.all(
      ["a", "b", "c"].map((title) => alice.api.post("/repos/alice/site/keys", { title: `once ${title}`, key })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  });

  test("go with the repository, and with them keys that open no other", async () => {
    await app.repository(alice, "doomed");
    const shared = newKey();
    await alice.api.post("/repos/alice/doomed/keys", { title: "own", key: newKey() });
    await alice.api.post("/repos/alice/doomed/keys", { title: "shared", key: shared });
    await alice.api.post("/repos/alice/tool/keys", { title: "shared", key: shared });
    const before = await counts();
    const doomed = await findRepositoryByName(db, "alice", "doomed");
    await app.forge.change(serverDoer("test"), (work) => deleteRepository(work, doomed!));
    expect(await counts()).toEqual([before[0]! - 1, before[1]! - 2]);
  });
});

test.each([
  ["ed25519", []],
  ["ecdsa", ["-b", "256"]],
  ["ecdsa", ["-b", "384"]],
  ["ecdsa", ["-b", "521"]],
  ["rsa", ["-b", "2048"]],
])("a key of ssh-keygen (%s %p) has the fingerprint that it prints", async (type, options) => {
  if (Bun.which("ssh-keygen") === null) {
    console.warn("LEFT OUT: ssh-keygen is not installed");
    return;
  }
  using scratch = new Scratch();
  const path = scratch.join("key");
  await $`ssh-keygen -q -t ${type} ${options} -N "" -C ${"a comment"} -f ${path}`;
  const printed = await $`ssh-keygen -lf ${`${path}.pub`}`.text();
  const { status, body } = await alice.api.post<KeyJson>("/user/keys", {
    title: `made ${type} ${options.join(" ")}`,
    key: readFileSync(`${path}.pub`, "utf8"),
  });
  expect([status, body.fingerprint]).toEqual([201, printed.split(" ")[1] ?? ""]);
  expect((await alice.api.post("/user/keys", { title: "private", key: readFileSync(path, "utf8") })).status).toBe(422);
});
