import { describe, expect, test } from "bun:test";
import { collectBlobs } from "../../../src/domain/git/blobs/collect-blobs.ts";
import { silentLogger } from "../../../src/lib/log.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

const app = await useTestApp();
const admin = await app.admin();
const other = await app.user("other");
const { sql } = app.forge.database;

interface Failure {
  message: string;
}

const remove = (name: string, query = "") => admin.api.delete<Failure>(`/admin/users/${name}${query}`);
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every table with a column that names a user, an organization or a repository, and how many rows lead to these. */
async function rowsOf(ids: { owners: number[]; repositories: number[] }): Promise<Record<string, number>> {
  const columns = await sql<{ table: string; column: string; target: string }[]>`
    select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as target
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid in ('owner'::regclass, 'account'::regclass, 'repository'::regclass)`;
  const found: Record<string, number> = {};
  for (const { table, column, target } of columns) {
    const wanted = target === "repository" ? ids.repositories : ids.owners;
    const [row] =
      await sql`select count(*)::int as number from ${sql(table)} where ${sql(column)} = any(${wanted}::bigint[])`;
    if (row?.["number"] > 0) {
      found[`${table}.${column}`] = row?.["number"];
    }
  }
  return found;
}

test("who owns nothing is deleted with keys, tokens and memberships; the name is free and leads nowhere", async () => {
  const user = await app.user("simple");
  await app.organization("of-other", other);
  const [team] =
    await sql`select team.id from team join owner on owner.id = organization_id where owner.lower_name = 'of-other'`;
  await sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${user.id})`;
  const work = await app.repository(other, "shared", {});
  await sql`insert into collaborator (repository_id, user_id, mode) values (${work.id}, ${user.id}, 2)`;
  await admin.api.post("/admin/users/simple/rename", { new_username: "renamed" });
  // A second owner of an organization owns it too.
  const refused = await remove("renamed");
  expect([refused.status, refused.body.message]).toEqual([
    422,
    '"renamed" owns an organization: purge deletes those that nobody else owns with them',
  ]);
  await sql`update team set mode = 2 where id = ${team?.["id"]}`;
  expect((await remove("renamed")).status).toBe(204);
  await sql`update team set mode = 4 where id = ${team?.["id"]}`;
  expect((await user.api.get("/user")).status).toBe(401);
  expect(await rowsOf({ owners: [user.id], repositories: [] })).toEqual({});
  for (const name of ["simple", "renamed"]) {
    expect((await admin.api.get(`/users/${name}`)).status).toBe(404);
  }
  await app.user("simple");
  expect((await remove("renamed")).status).toBe(404);
});

test("who owns a repository or an organization is deleted with purge only", async () => {
  const user = await app.user("keeper");
  await app.repository(user, "work", {});
  const { status, body } = await remove("keeper");
  expect([status, body.message]).toEqual([422, '"keeper" owns a repository: purge deletes what they own with them']);
  expect((await remove("keeper", "?purge=false")).status).toBe(422);
  expect((await remove("keeper", "?purge=perhaps")).status).toBe(422);
  expect((await user.api.get("/repos/keeper/work")).status).toBe(200);
});

test("a purge takes all that is only theirs, and nothing of others", async () => {
  const user = await app.user("purged");
  const own = await app.repository(user, "own", { auto_init: true });
  await app.organization("alone", user);
  const inAlone = await app.repository(user, "inside", { auto_init: true }, "alone");
  await app.organization("together", user);
  const inTogether = await app.repository(user, "stays", { auto_init: true }, "together");
  const [team] =
    await sql`select team.id from team join owner on owner.id = organization_id where owner.lower_name = 'together'`;
  await sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${other.id})`;
  await user.api.post("/user/avatar", { image: png });
  await user.api.post("/user/emails", { emails: ["more@example.com"] });
  await user.api.put("/user/starred/together/stays");
  const organizations = await sql`select id from owner where lower_name = 'alone'`;

  expect((await remove("purged", "?purge=true")).status).toBe(204);

  const gone = { owners: [user.id, Number(organizations[0]?.["id"])], repositories: [own.id, inAlone.id] };
  expect(await rowsOf(gone)).toEqual({});
  expect((await admin.api.get("/orgs/alone")).status).toBe(404);
  expect((await admin.api.get("/repos/alone/inside")).status).toBe(404);
  expect((await other.api.get("/repos/together/stays/branches/main")).status).toBe(200);
  const [links] =
    await sql`select count(*)::int as number from pack where retired_at is null and not exists (select 1 from repository_pack where pack_id = pack.id)`;
  expect(links?.["number"]).toBe(0);
  expect(inTogether.id).toBeGreaterThan(0);
  // The picture's file goes with the collector.
  await collectBlobs(app.forge.database.db, app.forge.files.blobs, silentLogger, { graceMs: 0 });
  const sha256 = new Bun.CryptoHasher("sha256").update(Buffer.from(png, "base64")).digest("hex");
  expect(await app.forge.files.blobs.find(sha256)).toBeNull();
});

describe("while a purge runs", () => {
  test("nothing that is made for the user survives it or fails with 500", async () => {
    for (let round = 0; round < 4; round++) {
      const user = await app.user(`racer-${round}`);
      await app.organization(`racing-${round}`, user);
      const made: Promise<{ status: number }>[] = [
        user.api.post("/user/repos", { name: "early", auto_init: true }),
        user.api.post("/user/repos", { name: "plain" }),
        user.api.post(`/orgs/racing-${round}/repos`, { name: "in-org" }),
        user.api.post("/orgs", { username: `late-${round}` }),
        user.api.post("/user/emails", { emails: [`late-${round}@example.com`] }),
        user.api.put(`/user/starred/together/stays`),
        admin.api.post(`/admin/users/racer-${round}/repos`, { name: "by-admin" }),
        app.withPassword(`racer-${round}`).post(`/users/racer-${round}/tokens`, { name: "t", scopes: ["all"] }),
      ];
      const statuses = (await Promise.all([...made, remove(`racer-${round}`, "?purge=true")])).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => ![201, 204, 401, 404, 409, 503].includes(status))).toEqual([]);
      expect(statuses.at(-1)).toBe(204);
      const [rows] =
        await sql`select count(*)::int as number from repository join owner on owner.id = owner_id where owner.lower_name in (${`racer-${round}`}, ${`racing-${round}`}, ${`late-${round}`})`;
      expect(rows?.["number"]).toBe(0);
      const [ownerless] = await sql`select count(*)::int as number from owner where kind = 'organization' and not exists
        (select 1 from team join team_member on team_id = team.id where organization_id = owner.id and mode = 4)`;
      expect(ownerless?.["number"]).toBe(0);
    }
  });

  test("an organization with another owner in another team of owners stays", async () => {
    const [leaver, stayer] = await Promise.all([app.user("leaver"), app.user("stayer")]);
    const organization = await app.organization("two-teams", leaver);
    const [team] =
      await sql`insert into team (organization_id, name, lower_name, mode) values (${organization}, 'More', 'more', 4) returning id`;
    await sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${stayer.id})`;
    expect((await remove("leaver", "?purge=true")).status).toBe(204);
    expect((await stayer.api.get("/orgs/two-teams")).status).toBe(200);
  });

  test("two who own an organization together do not leave it to nobody", async () => {
    const pair: TestUser[] = await Promise.all([app.user("pair-1"), app.user("pair-2")]);
    await app.organization("pairs", pair[0] ?? other);
    const [team] =
      await sql`select team.id from team join owner on owner.id = organization_id where owner.lower_name = 'pairs'`;
    await sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${pair[1]?.id ?? 0})`;
    const answers = await Promise.all(pair.map(({ name }) => remove(name, "?purge=true")));
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await admin.api.get("/orgs/pairs")).status).toBe(404);
  });
});
