import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** Artifacts: files of runs, which the uploader names by a number. */

interface Artifact {
  id: number;
  name: string;
  run_number: number;
  size_in_bytes: number;
  digest: string;
  url: string;
  download_url: string;
  created_at: string;
}
interface List {
  total_count: number;
  artifacts: Artifact[];
}

const app = await useTestApp({ attachments: { file_limit_bytes: 4096 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const eve = await app.user("eve");
const at = "/repos/alice/site/actions";

beforeAll(async () => {
  await app.repository(alice, "site", { private: true });
  await app.repository(alice, "other");
  await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "read" });
});

const upload = (api: typeof alice.api, run: number | string, name: string, bytes = "content") =>
  api.fetch("POST", `${at}/runs/${run}/artifacts?name=${encodeURIComponent(name)}`, {
    body: bytes,
    headers: { "content-type": "application/octet-stream" },
  });
const made = async (run: number, name: string, bytes = "content") => {
  const response = await upload(alice.api, run, name, bytes);
  expect(response.status).toBe(201);
  return (await response.json()) as Artifact;
};
const references = async () =>
  app.forge.database.sql<{ owner: number; bytes: number }[]>`
    select owner_id::int as owner, bytes::int as bytes from blob_reference where kind = 'artifact' order by subject_id`;

describe("refused", () => {
  test("to readers, strangers and tokens without the scope", async () => {
    const { id } = await made(1, "kept");
    const status = async (api: typeof alice.api) => [
      (await upload(api, 1, "x")).status,
      (await api.get(`${at}/artifacts`)).status,
      (await api.get(`${at}/runs/1/artifacts`)).status,
      (await api.get(`${at}/artifacts/${id}`)).status,
      (await api.fetch("GET", `${at}/artifacts/${id}/content`)).status,
      (await api.delete(`${at}/artifacts/${id}`)).status,
    ];
    expect(await status(app.anonymous)).toEqual([401, 404, 404, 404, 404, 401]);
    expect(await status(eve.api)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await status(bob.api)).toEqual([403, 200, 200, 200, 200, 403]);
    expect(await status(await app.scoped(alice, "write:user"))).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await status(await app.scoped(alice, "read:repository"))).toEqual([403, 200, 200, 200, 200, 403]);
    // Another repository does not lead to it.
    expect((await alice.api.get(`/repos/alice/other/actions/artifacts/${id}`)).status).toBe(404);
    expect((await alice.api.delete(`/repos/alice/other/actions/artifacts/${id}`)).status).toBe(404);
    expect((await alice.api.delete(`${at}/artifacts/${id}`)).status).toBe(204);
  });

  test("for a bad name, run or file; nothing is kept", async () => {
    for (const [run, name, bytes, status] of [
      [0, "x", "content", 422],
      [-1, "x", "content", 422],
      ["latest", "x", "content", 422],
      ["9223372036854775808", "x", "content", 422],
      [1, "", "content", 400],
      [1, "a/b", "content", 400],
      [1, "..", "content", 400],
      [1, "a\nb", "content", 400],
      [1, "x".repeat(256), "content", 400],
      [1, "large", "x".repeat(4097), 413],
    ] as const) {
      expect([name, (await upload(alice.api, run, name, bytes)).status]).toEqual([name, status]);
    }
    const form = new FormData();
    form.set("external_url", "https://example.com/file");
    expect((await alice.api.fetch("POST", `${at}/runs/1/artifacts`, { body: form })).status).toBe(400);
    expect((await alice.api.get<List>(`${at}/artifacts`)).body).toEqual({ total_count: 0, artifacts: [] });
    expect(await references()).toHaveLength(0);
  });
});

test("an artifact is uploaded, listed, downloaded whole and in part, and deleted; its bytes count for the owner", async () => {
  const { body, status } = { status: 201, body: await made(7, "report.html", "<script>alert(1)</script>") };
  const digest = new Bun.CryptoHasher("sha256").update("<script>alert(1)</script>").digest("hex");
  expect({ status, body: redact(body) }).toEqual({
    status: 201,
    body: {
      id: "<id>",
      name: "report.html",
      run_number: 7,
      size_in_bytes: 25,
      digest: `sha256:${digest}`,
      url: `<url>/api/v1/repos/alice/site/actions/artifacts/${body.id}`,
      download_url: `<url>/api/v1/repos/alice/site/actions/artifacts/${body.id}/content`,
      created_at: "<time>",
    },
  });
  expect((await alice.api.get<Artifact>(`${at}/artifacts/${body.id}`)).body).toEqual(body);
  expect((await upload(alice.api, 7, "report.html")).status).toBe(409);
  const another = await made(8, "report.html", "other");
  const second = await made(7, "a.bin", "zz");
  expect((await alice.api.get<List>(`${at}/runs/7/artifacts`)).body).toEqual({
    total_count: 2,
    artifacts: [second, body],
  });
  expect((await alice.api.get<List>(`${at}/artifacts?limit=2`)).body).toEqual({
    total_count: 3,
    artifacts: [second, another],
  });
  expect((await alice.api.get<List>(`${at}/artifacts?name=report.html`)).body.total_count).toBe(2);
  expect((await alice.api.get<List>(`${at}/runs/9/artifacts`)).body).toEqual({ total_count: 0, artifacts: [] });

  const whole = await fetch(body.download_url, { headers: { authorization: `token ${bob.token}` } });
  expect(whole.status).toBe(200);
  expect(whole.headers.get("content-disposition")).toStartWith("attachment");
  expect(whole.headers.get("content-security-policy")).toContain("sandbox");
  expect(await whole.text()).toBe("<script>alert(1)</script>");
  const part = await bob.api.fetch("GET", `${at}/artifacts/${body.id}/content`, { headers: { range: "bytes=1-6" } });
  expect([part.status, await part.text()]).toEqual([206, "script"]);

  expect((await references()).map(({ owner, bytes }) => [owner, bytes])).toEqual([
    [alice.id, 25],
    [alice.id, 5],
    [alice.id, 2],
  ]);
  expect((await alice.api.delete(`${at}/artifacts/${body.id}`)).status).toBe(204);
  expect((await alice.api.delete(`${at}/artifacts/${body.id}`)).status).toBe(404);
  expect((await alice.api.fetch("GET", `${at}/artifacts/${body.id}/content`)).status).toBe(404);
  expect(await references()).toHaveLength(2);
});

test("the bytes follow a repository to its next owner, and go with it", async () => {
  const { full_name: name } = await app.repository(alice, "moving");
  await alice.api.fetch("POST", `/repos/${name}/actions/runs/1/artifacts?name=x`, { body: "moving" });
  await app.organization("forge", alice);
  expect((await alice.api.post(`/repos/${name}/transfer`, { new_owner: "forge" })).status).toBe(202);
  const of = async (bytes: number) =>
    (await references()).filter((one) => one.bytes === bytes).map(({ owner }) => owner);
  expect(await of(6)).not.toEqual([alice.id]);
  expect(await of(6)).toHaveLength(1);
  expect((await alice.api.delete("/repos/forge/moving")).status).toBe(204);
  expect(await of(6)).toEqual([]);
});

test("of eight uploads of one name at the same moment one is kept", async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => upload(alice.api, 50, "race", `r${index}`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
});

describe("quotas", () => {
  test("list the artifacts that count, the largest first, for the owner alone", async () => {
    await app.organization("works", alice);
    await app.repository(alice, "plant", {}, "works");
    for (const [name, bytes] of [
      ["small", "s"],
      ["large", "l".repeat(100)],
    ] as const) {
      await alice.api.fetch("POST", `/repos/works/plant/actions/runs/3/artifacts?name=${name}`, { body: bytes });
    }
    const { status, headers, body } = await alice.api.get<unknown[]>("/orgs/works/quota/artifacts");
    expect({ status, total: headers.get("x-total-count"), body: redact(body) }).toEqual({
      status: 200,
      total: "2",
      body: [
        { name: "large", size: 100, html_url: expect.stringContaining("/works/plant/actions/artifacts/") },
        { name: "small", size: 1, html_url: expect.stringContaining("/content") },
      ],
    });
    expect((await bob.api.get("/orgs/works/quota/artifacts")).status).toBe(403);
    const own = (await alice.api.get<{ size: number }[]>("/user/quota/artifacts")).body;
    expect(own.length).toBeGreaterThan(0);
    expect(own.map(({ size }) => size)).toEqual(own.map(({ size }) => size).toSorted((a, b) => b - a));
    expect((await bob.api.get("/user/quota/artifacts")).body).toEqual([]);
    expect((await app.anonymous.get("/user/quota/artifacts")).status).toBe(401);
  });

  test("that are enforced refuse an upload that is too much, and nothing of it stays", async () => {
    await using strict = await TestApp.start({ quota: { enforced: true } });
    const admin = await strict.admin();
    const carol = await strict.user("carol");
    await strict.repository(carol, "plant");
    await admin.api.post("/admin/quota/rules", { name: "few", limit: 10, subjects: ["size:assets:artifacts"] });
    await admin.api.post("/admin/quota/groups", { name: "tight", rules: [{ name: "few" }] });
    await admin.api.put("/admin/quota/groups/tight/users/carol");
    const send = (name: string, body: string) =>
      carol.api.fetch("POST", `/repos/carol/plant/actions/runs/1/artifacts?name=${name}`, { body });
    expect((await send("fits", "x".repeat(8))).status).toBe(201);
    expect((await send("more", "y".repeat(8))).status).toBe(413);
    const { body } = await carol.api.get<List>("/repos/carol/plant/actions/artifacts");
    expect(body.artifacts.map(({ name }) => name)).toEqual(["fits"]);
  });
});

test("a server without runners has no runs, tasks and jobs", async () => {
  const admin = await app.admin();
  for (const [path, body] of [
    [`${at}/runs`, { total_count: 0, workflow_runs: [] }],
    [`${at}/runs?status=success&event=push&page=2`, { total_count: 0, workflow_runs: [] }],
    [`${at}/tasks`, { total_count: 0, workflow_runs: [] }],
    [`${at}/runners/jobs?labels=a,b`, []],
    ["/user/actions/runners/jobs", []],
  ] as const) {
    expect(await alice.api.get(path)).toMatchObject({ status: 200, body });
  }
  expect((await alice.api.get(`${at}/runs?status=odd`)).status).toBe(422);
  expect((await alice.api.get(`${at}/runs/1`)).status).toBe(404);
  expect(await admin.api.get("/admin/runners/jobs")).toMatchObject({ status: 200, body: [] });
  expect((await bob.api.get(`${at}/runners/jobs`)).status).toBe(403);
  expect((await eve.api.get(`${at}/runs`)).status).toBe(404);
});

test("a server without runners registers none, and starts no workflow", async () => {
  const admin = await app.admin("root");
  await app.organization("plants", alice);
  for (const [user, path] of [
    [alice, `${at}/runners`],
    [alice, "/user/actions/runners"],
    [alice, "/orgs/plants/actions/runners"],
    [admin, "/admin/runners"],
  ] as const) {
    const { status, body } = await user.api.get<{ message: string }>(`${path}/registration-token`);
    expect([status, body.message]).toEqual([403, expect.stringContaining("no runner can be registered")]);
  }
  const start = (fields: object) => alice.api.post(`${at}/workflows/build.yml/dispatches`, fields);
  expect((await start({})).status).toBe(422);
  expect((await start({ ref: "main", inputs: { a: 1 } })).status).toBe(422);
  expect(await start({ ref: "main", inputs: { a: "1" } })).toMatchObject({ status: 404 });
  expect((await bob.api.post(`${at}/workflows/build.yml/dispatches`, { ref: "main" })).status).toBe(403);
});

test("federation is off: its addresses are not there, as in the family, and NodeInfo names no protocol", async () => {
  for (const path of ["actor", "user-id/1", "repository-id/1", "user/alice"]) {
    expect([path, (await app.anonymous.get(`/activitypub/${path}`)).status]).toEqual([path, 404]);
    expect([path, (await alice.api.post(`/activitypub/${path}/inbox`, {})).status]).toEqual([path, 404]);
  }
  expect((await app.anonymous.get<{ protocols: string[] }>("/nodeinfo")).body.protocols).toEqual([]);
});
