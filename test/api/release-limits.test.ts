import { beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What the operator allows of files of releases, and many who change the same release at once. */

const app = await useTestApp({ attachments: { allowed_types: [".txt", "application/pdf"], concurrent_uploads: 2 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { auto_init: true });
await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "write" });
let at = "";

beforeAll(async () => {
  const { body } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "v1" });
  at = `/repos/alice/site/releases/${body.id}/assets`;
});

const send = (name: string, content: string, client = alice.api, path = at) =>
  client.request<{ id: number; message: string }>("POST", `${path}?name=${name}`, {
    body: content,
    headers: { "content-type": "application/octet-stream" },
  });

test("clients are told the limits", async () => {
  expect((await app.anonymous.get("/settings/attachment")).body).toEqual({
    enabled: true,
    allowed_types: ".txt,application/pdf",
    max_files: 1000,
    max_size: 4096,
  });
});

test("a file of another kind is refused, also by a new name", async () => {
  const refused = await send("x.exe", "MZ");
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'Files such as "x.exe" (application/x-msdownload) are not taken here, only: .txt, application/pdf',
  ]);
  expect((await send("any-name", "%PDF-1.7\n")).status).toBe(201);
  const { body, status } = await send("x.txt", "MZ");
  expect(status).toBe(201);
  expect((await alice.api.patch(`${at}/${body.id}`, { name: "x.exe" })).status).toBe(400);
  expect((await alice.api.patch(`${at}/${body.id}`, { name: "y.txt" })).status).toBe(201);
});

test("who sends as many files as one may is asked to come again, and others are not", async () => {
  const { hostname, port, host } = new URL(app.url);
  const directory = join(app.forge.config.dataDirectory, "tmp");
  const socket: Socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v1${at}?name=slow.txt HTTP/1.1\r\nhost: ${host}\r\nauthorization: token ${alice.token}\r\ncontent-length: 100\r\n\r\nabc`,
  );
  await until("the file arrives", () => readdirSync(directory).length > 0);
  const refused = await send("second.txt", "second");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect((await send("other.txt", "other", bob.api)).status).toBe(201);
  socket.write("x".repeat(97));
  await until("it is there", async () => {
    const { body } = await alice.api.get<{ name: string }[]>(at);
    return body.some(({ name }) => name === "slow.txt");
  });
  socket.destroy();
  expect((await send("second.txt", "second")).status).toBe(201);
});

test("many who change releases, their files, their tags and their repository at once hear of nothing but that", async () => {
  await using app = await TestApp.start();
  const alice = await app.user("alice");
  const bob = await app.user("bob");
  await app.repository(alice, "busy", { auto_init: true });
  await alice.api.put("/repos/alice/busy/collaborators/bob", { permission: "admin" });
  const there = "/repos/alice/busy/releases";
  const statuses = new Map<number, number>();
  const note = async (call: Promise<{ status: number }>) => {
    const { status } = await call;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const ids = await Promise.all(
    ["a", "b", "c"].map(async (tag) => (await alice.api.post<{ id: number }>(there, { tag_name: tag })).body.id),
  );
  const calls: Promise<void>[] = [];
  for (let round = 0; round < 6; round++) {
    for (const [index, id] of ids.entries()) {
      const client = index % 2 === 0 ? alice.api : bob.api;
      const tag = ["a", "b", "c"][index] ?? "";
      calls.push(
        note(send("same.txt", "the same everywhere", client, `${there}/${id}/assets`)),
        note(client.patch(`${there}/${id}`, { draft: round % 2 === 0, name: `round ${round}` })),
        note(client.delete(`/repos/alice/busy/tags/${tag}`)),
        note(client.post(there, { tag_name: tag })),
        note(client.put("/user/starred/alice/busy")),
      );
      if (round === 4) {
        calls.push(note(client.delete(`${there}/${id}`)));
      }
    }
  }
  calls.push(note(alice.api.delete("/repos/alice/busy")));
  await Promise.all(calls);
  const unexpected = [...statuses.keys()].filter((status) => ![200, 201, 204, 404, 409].includes(status));
  expect({ unexpected, sent: [...statuses.values()].reduce((sum, count) => sum + count) }).toEqual({
    unexpected: [],
    sent: calls.length,
  });
  expect((await alice.api.get("/repos/alice/busy")).status).toBe(404);
  const [left] = await app.forge.database.sql<{ n: number }[]>`select count(*)::integer as n from blob_reference
    where kind = 'release-attachment' and subject_id not in (select id from attachment)`;
  expect(left?.n).toBe(0);
});

test("a list has the files of its first releases, and a release all of its own", async () => {
  await app.repository(alice, "many", { auto_init: true });
  const make = async (tag: string) =>
    (await alice.api.post<{ id: number }>("/repos/alice/many/releases", { tag_name: tag })).body.id;
  const { sql } = app.forge.database;
  for (const tag of ["v1", "v2"]) {
    const id = await make(tag);
    await sql`insert into attachment (repository_id, release_id, name, bytes, content_type, external_url, uploader_id)
      select repository_id, id, 'file ' || n, 0, 'application/octet-stream', 'https://example.org/' || n, author_id
      from release, generate_series(1, 3000) n where id = ${id}`;
  }
  interface Listed {
    tag_name: string;
    assets: { name: string }[];
  }
  const { body } = await alice.api.get<Listed[]>("/repos/alice/many/releases");
  expect(body.map(({ tag_name: tag, assets }) => [tag, assets.length, assets[0]?.name])).toEqual([
    ["v2", 3000, "file 1"],
    ["v1", 2000, "file 1"],
  ]);
  expect((await alice.api.get<Listed>("/repos/alice/many/releases/tags/v1")).body.assets).toHaveLength(3000);
});
