import { describe, expect, test } from "bun:test";
import { recountUsage } from "../../src/domain/identity/quota/recount-queries.ts";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";

const app = await useTestApp({ packages: { file_limit_bytes: 100_000 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
await alice.api.post("/orgs", { username: "forge", visibility: "private" });
const secret = await app.repository(alice, "secret", { private: true });

const at = (path: string) => `${app.url}/api/packages/${path}`;
const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({ authorization: basic(name, token) });
const put = (path: string, body: string | FormData | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(at(path), { method: "PUT", body, headers });
const told = async (response: Response) => [response.status, await response.text()] as const;
const file = "alice/generic/build/1.0/build.tar.gz";
const challenge = 'Basic realm="Gitea Package API"';

describe("credentials", () => {
  test("are asked for where they are needed, and where what came does not do", async () => {
    const reader = await app.token(alice, ["read:package"]);
    const other = await app.token(alice, ["write:repository"]);
    for (const headers of [
      {},
      as(bob),
      { authorization: basic("alice", "wrong") },
      { authorization: `token ${reader}` },
      { authorization: `token ${other}` },
    ] as Record<string, string>[]) {
      const answer = await put(file, "x", headers);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, challenge]);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    }
    expect((await fetch(at(file))).status).toBe(404);
    // Hidden and missing owners are alike: 401 for strangers, 404 for those who are known.
    for (const owner of ["forge", "nobody-here"]) {
      expect((await fetch(at(`${owner}/generic/a/1/b`))).status).toBe(401);
      expect((await fetch(at(`${owner}/generic/a/1/b`), { headers: as(bob) })).status).toBe(404);
    }
  });

  test.each([
    ["a password", () => basic("alice", testPassword)],
    ["a token as password", () => basic("alice", alice.token)],
    ["a token as user", () => basic(alice.token, "")],
    ["a token", () => `token ${alice.token}`],
    ["a bearer", () => `Bearer ${alice.token}`],
  ])("%s opens one's own", async (what, authorization) => {
    const path = `alice/generic/credentials/1.0/${what.replaceAll(/[^a-z]/g, "-")}`;
    expect((await put(path, what, { authorization: authorization() })).status).toBe(201);
    expect(await (await fetch(at(path))).text()).toBe(what);
  });

  test("of an organization's members open what the unit of their teams opens", async () => {
    const path = "forge/generic/tool/1.0/tool";
    await makeTeam(alice, "forge", { name: "readers", units_map: { "repo.packages": "read" } }, [bob]);
    expect((await put(path, "iron", as(alice))).status).toBe(201);
    expect((await fetch(at(path), { headers: as(bob) })).status).toBe(200);
    expect((await put("forge/generic/tool/1.1/tool", "x", as(bob))).status).toBe(401);
    await makeTeam(alice, "forge", { name: "writers", units_map: { "repo.packages": "write" } }, [bob]);
    expect((await put("forge/generic/tool/1.1/tool", "x", as(bob))).status).toBe(201);
    const carol = await app.user("carol");
    await makeTeam(alice, "forge", { name: "coders", units_map: { "repo.code": "write" } }, [carol]);
    expect((await fetch(at(path), { headers: as(carol) })).status).toBe(401);
    expect((await bob.api.delete("/packages/forge/generic/tool/1.1")).status).toBe(204);
  });
});

describe("a file", () => {
  test("is stored once, whole, and served with ranges and an ETag; also as a part of a form", async () => {
    const content = "iron".repeat(1000);
    expect(await told(await put(file, content, as(alice)))).toEqual([201, ""]);
    expect(
      await told(await put(file.toUpperCase().replace("ALICE/GENERIC", "alice/generic"), "other", as(alice))),
    ).toEqual([409, "package file already exists\n"]);
    const whole = await fetch(at(file));
    expect([whole.status, await whole.text()]).toEqual([200, content]);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": "4000",
      "content-disposition": `attachment; filename="build.tar.gz"; filename*=UTF-8''build.tar.gz`,
      "x-content-type-options": "nosniff",
    });
    const etag = whole.headers.get("etag") ?? "";
    expect((await fetch(at(file), { headers: { "if-none-match": etag } })).status).toBe(304);
    expect(await told(await fetch(at(file), { headers: { range: "bytes=4-7" } }))).toEqual([206, "iron"]);
    const head = await fetch(at(file), { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "4000", ""]);
    const form = new FormData();
    form.append("file", new File(["formed"], "ignored.txt"));
    expect((await put("alice/generic/build/1.0/form", form, as(alice))).status).toBe(201);
    expect(await (await fetch(at("alice/generic/build/1.0/form"))).text()).toBe("formed");
  });

  test.each([
    ["too large", "alice/generic/build/1.0/large", "x".repeat(100_001), 413],
    ["a version of dots", "alice/generic/build/.../x", "x", 400],
    ["a slash in its name", "alice/generic/build/1.0/a%2Fb", "x", 400],
    ["a name that is no text", "alice/generic/build/1.0/%ff", "x", 400],
    ["spaces in the package", "alice/generic/a%20b/1.0/x", "x", 400],
    ["a name of 256 characters", `alice/generic/build/1.0/${"x".repeat(256)}`, "x", 400],
    ["no registry", "alice/nothing/build/1.0/x", "x", 404],
  ])("that is %s is refused, and nothing stays", async (_, path, body, status) => {
    const count = async () =>
      (await app.forge.database.sql`select count(*)::int as n from package_file`)[0]?.["n"] as number;
    const before = await count();
    const answer = await put(path, body, as(alice));
    expect(answer.status).toBe(status);
    expect(await count()).toBe(before);
  });

  test("is not posted", async () => {
    const answer = await fetch(at(file), { method: "POST", body: "x", headers: as(alice) });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, PUT, DELETE"]);
  });

  test("goes when it is deleted, its version with the last of them", async () => {
    const [one, two] = ["alice/generic/gone/1.0/one", "alice/generic/gone/1.0/two"];
    await put(one, "1", as(alice));
    await put(two, "2", as(alice));
    const remove = (path: string, headers: Record<string, string>) => fetch(at(path), { method: "DELETE", headers });
    expect((await remove(one, as(bob))).status).toBe(401);
    expect((await remove(one, as(alice))).status).toBe(204);
    expect((await remove(one, as(alice))).status).toBe(404);
    expect((await alice.api.get("/packages/alice/generic/gone/1.0")).status).toBe(200);
    expect((await remove(two, as(alice))).status).toBe(204);
    expect((await alice.api.get("/packages/alice/generic/gone/1.0")).status).toBe(404);
    await put(one, "1", as(alice));
    expect((await remove("alice/generic/gone/1.0", as(alice))).status).toBe(204);
    expect((await remove("alice/generic/gone/1.0", as(alice))).status).toBe(404);
    expect((await fetch(at(one))).status).toBe(404);
  });
});

describe("management", () => {
  test("lists versions, shows one with its files, and counts them for the owner", async () => {
    await put("alice/generic/listed/2.0/a", "aa", as(alice));
    await put("alice/generic/listed/2.0/b", "bbb", as(alice));
    await put("alice/generic/listed/2.1/a", "a", as(alice));
    const list = await app.anonymous.get<{ version: string }[]>("/packages/alice?q=LIST&type=generic&limit=1");
    expect(list.body.map(({ version }) => version)).toEqual(["2.1"]);
    expect(list.headers.get("x-total-count")).toBe("2");
    expect(list.headers.get("link")).toContain('rel="next"');
    expect((await app.anonymous.get("/packages/alice?type=rpm")).body).toEqual([]);
    expect((await app.anonymous.get("/packages/alice?type=moon")).status).toBe(422);
    expect(redact((await app.anonymous.get("/packages/alice/generic/Listed/2.0")).body)).toMatchObject({
      type: "generic",
      name: "listed",
      version: "2.0",
      html_url: "<url>/alice/-/packages/generic/listed/2.0",
      owner: { login: "alice" },
      creator: { login: "alice" },
      repository: null,
    });
    const hash = (name: "md5" | "sha1" | "sha256" | "sha512", text: string) =>
      new Bun.CryptoHasher(name).update(text).digest("hex");
    const files = (await app.anonymous.get("/packages/alice/generic/listed/2.0/files")).body;
    expect(files).toEqual(
      [
        ["a", "aa"],
        ["b", "bbb"],
      ].map(([name = "", text = ""]) => ({
        id: expect.any(Number),
        name,
        Size: text.length,
        md5: hash("md5", text),
        sha1: hash("sha1", text),
        sha256: hash("sha256", text),
        sha512: hash("sha512", text),
      })),
    );
    const used = await alice.api.get<object[]>("/user/quota/packages");
    expect(used.body).toContainEqual({
      name: "listed",
      type: "generic",
      version: "2.0",
      size: 5,
      html_url: `${app.url}/alice/-/packages/generic/listed/2.0`,
    });
    expect((await recountUsage(app.forge.database.db)).miscounts).toEqual([]);
    expect((await bob.api.delete("/packages/alice/generic/listed/2.0")).status).toBe(403);
    expect((await app.anonymous.delete("/packages/alice/generic/listed/2.0")).status).toBe(401);
    expect((await alice.api.delete("/packages/alice/generic/listed/2.0")).status).toBe(204);
    expect((await alice.api.delete("/packages/alice/generic/listed/2.0")).status).toBe(404);
  });

  test("links a package to a repository: then it is as private as that", async () => {
    const path = "alice/generic/linked/1.0/x";
    await put(path, "x", as(alice));
    const link = "/packages/alice/generic/linked/-/link";
    expect((await bob.api.post(`${link}/secret`)).status).toBe(403);
    expect((await alice.api.post(`${link}/nowhere`)).status).toBe(404);
    expect((await alice.api.post("/packages/alice/generic/nothing/-/link/secret")).status).toBe(404);
    expect((await alice.api.post("/packages/alice/generic/linked/-/unlink")).status).toBe(400);
    expect(await alice.api.post(`${link}/secret`)).toMatchObject({ status: 201, body: null });
    expect((await alice.api.post(`${link}/secret`)).status).toBe(400);
    expect((await alice.api.get("/packages/alice/generic/linked/1.0")).body).toMatchObject({
      repository: { id: secret.id, name: "secret" },
    });
    for (const client of [app.anonymous, bob.api]) {
      expect((await client.get("/packages/alice/generic/linked/1.0")).status).toBe(404);
      expect((await client.get("/packages/alice/generic/linked/1.0/files")).status).toBe(404);
      expect((await client.get("/packages/alice?q=linked")).body).toEqual([]);
    }
    expect((await fetch(at(path), { headers: as(bob) })).status).toBe(404);
    expect((await fetch(at(path))).status).toBe(404);
    expect((await fetch(at(path), { headers: as(alice) })).status).toBe(200);
    await alice.api.put("/repos/alice/secret/collaborators/bob", { permission: "read" });
    expect((await fetch(at(path), { headers: as(bob) })).status).toBe(200);
    expect((await alice.api.post("/packages/alice/generic/linked/-/unlink")).status).toBe(204);
    expect((await fetch(at(path))).status).toBe(200);
  });

  test("an owner who has packages is deleted only with them", async () => {
    const { api: root } = await app.admin();
    const dave = await app.user("dave");
    await put("dave/generic/a/1.0/x", "x", as(dave));
    expect((await root.delete("/admin/users/dave")).status).toBe(422);
    expect((await alice.api.delete("/orgs/forge")).status).toBe(422);
    expect((await root.delete("/admin/users/dave?purge=true")).status).toBe(204);
    expect((await recountUsage(app.forge.database.db)).miscounts).toEqual([]);
  });
});

test("forty uploads to one version at once are all there", async () => {
  const names = Array.from({ length: 40 }, (_, number) => `file-${number}`);
  const answers = await Promise.all(names.map((name) => put(`alice/generic/crowd/1.0/${name}`, name, as(alice))));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  const { body } = await alice.api.get<{ name: string }[]>("/packages/alice/generic/crowd/1.0/files");
  expect(body.map(({ name }) => name).sort()).toEqual(names.toSorted());
});
