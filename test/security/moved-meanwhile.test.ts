import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { recountUsage } from "../../src/domain/identity/quota/recount-queries.ts";
import { PacketWriter } from "../../src/git/wire/packet-writer.ts";
import { sha256 } from "../lfs/raw-lfs.ts";
import { hearEvents } from "../support/hear-events.ts";
import { Scratch } from "../support/git.ts";
import { Identified, holdRequest, type HeldAnswer, type HeldRequest } from "../support/held-request.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { makeFirstPack } from "./first-pack.ts";

/**
 * A repository gets another owner, or another name, while a body is on its way into it: what comes in is the new owner's, counts for
 * them, is bound by their quota, and nobody tells it to the old owner's webhooks.
 */

const app = await useTestApp({ quota: { enforced: true, default_groups: ["roomy"] } });
const { sql, db } = app.forge.database;
const identified = new Identified(app);
const { api: root } = await app.admin();
await root.post("/admin/quota/rules", { name: "much", limit: 100_000_000, subjects: ["size:all"] });
await root.post("/admin/quota/rules", { name: "nothing", limit: 0, subjects: ["size:all"] });
await root.post("/admin/quota/groups", { name: "roomy", rules: [{ name: "much" }] });
await root.post("/admin/quota/groups", { name: "full", rules: [{ name: "nothing" }] });
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { oid, pack } = await makeFirstPack(scratch);

let number = 0;
let alice: TestUser;
/** Organizations of Alice's: the repository `site` goes from the first to the second. */
let [from, to] = ["", ""];
let [fromId, toId] = [0, 0];
let repositoryId = 0;

beforeEach(async () => {
  number++;
  alice = await app.user(`alice-${number}`);
  [from, to] = [`from-${number}`, `to-${number}`];
  fromId = await app.organization(from, alice);
  toId = await app.organization(to, alice);
  ({ id: repositoryId } = await app.repository(alice, "site", {}, from));
});

const at = () => `/${from}/site`;
const api = () => `/api/v1/repos/${from}/site`;
const authorization = () => `token ${alice.token}`;
const hold = (method: string, path: string, type: string, body: Buffer) =>
  holdRequest(app.url, identified, {
    method,
    path,
    headers: { authorization: authorization(), "content-type": type },
    body,
  });
const bytes = () => Buffer.from(`what comes in ${number}`);
const octets = "application/octet-stream";

/** What takes long to come in, and which part of the usage it counts for. */
const uploads: [name: string, begin: () => Promise<HeldRequest>, part: string, done: string][] = [
  [
    "a push",
    () => {
      const command = `${"0".repeat(40)} ${oid} refs/heads/new\0report-status`;
      const body = Buffer.concat([new PacketWriter().data(Buffer.from(command)).flush().take(), pack]);
      return hold("POST", `${at()}.git/git-receive-pack`, "application/x-git-receive-pack-request", body);
    },
    "repos_public",
    "ok refs/heads/new",
  ],
  [
    "an LFS object",
    () => hold("PUT", `${at()}.git/info/lfs/objects/${sha256(bytes())}`, octets, bytes()),
    "git_lfs",
    "200",
  ],
  [
    "a file of a release",
    async () => {
      const release = { tag_name: "v1", draft: true };
      const { body } = await alice.api.post<{ id: number }>(`/repos/${from}/site/releases`, release);
      return hold("POST", `${api()}/releases/${body.id}/assets?name=a.bin`, octets, bytes());
    },
    "attachments_releases",
    "201",
  ],
  [
    "a file of an issue",
    async () => {
      await alice.api.post(`/repos/${from}/site/issues`, { title: "t" });
      const form = `--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\n${bytes().toString()}\r\n--b--\r\n`;
      return hold("POST", `${api()}/issues/1/assets`, "multipart/form-data; boundary=b", Buffer.from(form));
    },
    "attachments_issues",
    "201",
  ],
  [
    "an artifact",
    () => hold("POST", `${api()}/actions/runs/1/artifacts?name=a.bin`, octets, bytes()),
    "artifacts",
    "201",
  ],
];

const usage = async (ownerId: number, part: string) => {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(${sql(part)}, 0)::float8 as bytes from owner_usage where owner_id = ${ownerId}`;
  return row?.bytes ?? 0;
};
const transfer = async () => {
  const { status } = await alice.api.post(`/repos/${from}/site/transfer`, { new_owner: to });
  expect(status).toBe(202);
};
const miscounts = async () => (await recountUsage(db)).miscounts;

describe.each(uploads)("%s", (_, begin, part, done) => {
  test("counts for the new owner, and is told as theirs", async () => {
    const held = await begin();
    await transfer();
    const heard = hearEvents();
    const { text } = await held.finish();
    expect(text).toContain(done);
    expect([await usage(fromId, part), (await usage(toId, part)) > 0, await miscounts()]).toEqual([0, true, []]);
    const owners = heard.flatMap((event) =>
      "repository" in event && event.repository?.id === repositoryId ? event.repository.owner : [],
    );
    expect(owners.filter(({ id, name }) => id !== toId || name !== to)).toEqual([]);
    expect(owners.length).toBeGreaterThan(0);
  });

  test("is refused when the new owner has no room for it, and leaves nothing", async () => {
    const held = await begin();
    await transfer();
    await root.put(`/admin/quota/groups/full/users/${to}`);
    const { text } = await held.finish();
    expect(text).toContain("quota");
    expect(text).toContain(to);
    expect([await usage(toId, part), await miscounts()]).toEqual([0, []]);
  });

  test("goes on under another name", async () => {
    const held = await begin();
    expect((await alice.api.patch(`/repos/${from}/site`, { name: "place" })).status).toBe(200);
    expect((await held.finish()).text).toContain(done);
    expect([(await usage(fromId, part)) > 0, await miscounts()]).toEqual([true, []]);
  });

  test("leaves nothing when the repository is deleted, or all that is of who sends it", async () => {
    const isRefused = ({ status, text }: HeldAnswer) => status >= 400 || text.includes("ng refs/heads/new");
    const first = await begin();
    expect((await alice.api.delete(`/repos/${from}/site`)).status).toBe(204);
    expect(isRefused(await first.finish())).toBe(true);
    expect([await usage(fromId, part), await miscounts()]).toEqual([0, []]);
    await app.repository(alice, "site", {}, from);
    const second = await begin();
    expect((await root.delete(`/admin/users/${alice.name}?purge=true`)).status).toBe(204);
    expect(isRefused(await second.finish())).toBe(true);
    expect([await usage(fromId, part), await miscounts()]).toEqual([0, []]);
  });
});

test("what a migration brings still is not given away: whoever began that may cancel it, and nothing stays", async () => {
  const bob = await app.user(`bob-${number}`);
  const setState = (state: string) => sql`
    update repository_migration set state = ${state} where repository_id = ${repositoryId}`;
  await sql`insert into repository_migration (actor_id, repository_id, full_name, address, options, state)
    values (${alice.id}, ${repositoryId}, ${`${from}/site`}, 'http://127.0.0.1/x.git', '{}', 'running')`;
  const give = (name: string) =>
    alice.api.post<{ message: string }>(`/repos/${from}/site/transfer`, { new_owner: name });
  const told = expect.stringContaining("is being brought from elsewhere");
  const moved = await give(to);
  expect([moved.status, moved.body.message]).toEqual([409, told]);
  await setState("done");
  expect((await give(bob.name)).status).toBe(201);
  await setState("waiting");
  const accept = () => bob.api.post<{ message: string }>(`/repos/${from}/site/transfer/accept`);
  const accepted = await accept();
  expect([accepted.status, accepted.body.message]).toEqual([409, told]);
  await setState("failed");
  expect((await accept()).status).toBe(202);
});

describe("a file of a package", () => {
  const begin = () => hold("PUT", `/api/packages/${from}/generic/tool/1.0.0/tool.bin`, octets, bytes());
  const packageBytes = (ownerId: number) => usage(ownerId, "packages");

  test("goes on while its owner gets another name", async () => {
    const held = await begin();
    expect((await alice.api.post(`/orgs/${from}/rename`, { new_name: `${from}-new` })).status).toBe(204);
    expect((await held.finish()).status).toBe(201);
    expect([(await packageBytes(fromId)) > 0, await miscounts()]).toEqual([true, []]);
    const { status } = await alice.api.get(`/packages/${from}-new/generic/tool/1.0.0`);
    expect(status).toBe(200);
  });

  test("is refused when its owner is deleted, or has no room any more, and leaves nothing", async () => {
    const first = await begin();
    await root.put(`/admin/quota/groups/full/users/${from}`);
    const { status, text } = await first.finish();
    expect([status, text]).toEqual([413, expect.stringContaining("quota")]);
    await root.delete(`/admin/quota/groups/full/users/${from}`);
    const second = await begin();
    expect((await alice.api.delete(`/repos/${from}/site`)).status).toBe(204);
    expect((await alice.api.delete(`/orgs/${from}`)).status).toBe(204);
    const late = await second.finish();
    expect(late.status === 404 || late.status === 401 || late.status === 403).toBe(true);
    expect([await app.forge.files.blobs.find(sha256(bytes())), await miscounts()]).toEqual([null, []]);
  });
});
