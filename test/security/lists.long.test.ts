import { describe, expect, test } from "bun:test";
import { authorize } from "../../src/auth/authorize.ts";
import { prepareFindSubject } from "../../src/auth/find-subject.ts";
import { parseScopes } from "../../src/auth/scopes.ts";
import type { Actor, Credential } from "../../src/auth/subject.ts";
import type { Viewer } from "../../src/auth/viewer-of.ts";
import { classesOf } from "../../src/domain/repos/list-classes.ts";
import { repositorySortKeys, type RepositoryFilter, type RepositoryOrder } from "../../src/domain/repos/list-filter.ts";
import { listRepositories } from "../../src/domain/repos/list-queries.ts";
import { listOrganizations } from "../../src/domain/identity/orgs/queries.ts";
import { searchTopics } from "../../src/domain/repos/topics/queries.ts";
import { searchUsers } from "../../src/domain/identity/users/list-queries.ts";
import { randomFrom } from "../support/random.ts";
import { useTestApp } from "../support/test-app.ts";

/**
 * Lists are read from classes, grants and totals; who sees a repository is decided by `authorize`. Over a random forge
 * every list and total of many viewers is what `authorize` says for each repository by itself.
 */

const app = await useTestApp();
const { sql, db } = app.forge.database;
const random = randomFrom(14);
const visibilities = ["public", "limited", "private"] as const;
const read = { categories: ["repository"] as const, level: "read" as const };

interface Row {
  id: number;
  ownerId: number;
  ownerName: string;
  name: string;
  description: string;
  topics: string[];
  private: boolean;
  template: boolean;
  archived: boolean;
  created: number;
  updated: number;
  git: number;
  lfs: number;
  stars: number;
  forks: number;
  forkOf: number | null;
}

const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)] as Item;
const chance = (share: number) => random.below(1000) < share * 1000;

async function fill(): Promise<{ users: number[]; organizations: number[]; teams: number[] }> {
  const users: number[] = [];
  const organizations: number[] = [];
  const teams: number[] = [];
  for (let number = 0; number < 8; number++) {
    const user = await app.user(`user${number}`, { isAdmin: number === 0 });
    users.push(user.id);
    await sql`update owner set visibility = ${pick(visibilities)} where id = ${user.id}`;
    await sql`update account set restricted = ${number > 0 && chance(0.3)} where owner_id = ${user.id}`;
  }
  for (let number = 0; number < 6; number++) {
    const visibility = visibilities[number % 3]!;
    organizations.push(await app.organization(`org${number}`, { id: pick(users) }, { visibility }));
  }
  for (const organization of organizations) {
    for (let number = 0; number < 4; number++) {
      const [team] = await sql`insert into team (organization_id, name, lower_name, mode, includes_all_repositories)
        values (${organization}, ${`team${number}`}, ${`team${number}`}, ${random.below(4)}, ${chance(0.3)}) returning id`;
      const id = Number(team?.["id"]);
      teams.push(id);
      // A team with a mode has it in some unit.
      await sql`insert into team_unit (team_id, unit, mode) select id, unit, given from team,
        lateral (values ('code', ${random.below(3)}::int), ('wiki', mode)) as units (unit, given) where id = ${id} and mode between 1 and 2`;
      for (const user of users.filter(() => chance(0.25))) {
        await sql`insert into team_member (team_id, user_id) values (${id}, ${user})`;
      }
    }
  }
  return { users, organizations, teams };
}

const words = ["apple", "Pear", "go", "plum-tree", "x"];

async function addRepositories(owners: readonly number[], count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const name = `${pick(words)}-${random.below(1_000_000)}`;
    const [parent] = chance(0.4)
      ? await sql`select id from repository order by id offset ${random.below(number + 1)} limit 1`
      : [];
    await sql`insert into repository (fork_of, owner_id, name, lower_name, description, topics, private, template, archived_at, default_branch, created_at, updated_at)
      values (${parent?.["id"] ?? null}, ${pick(owners)}, ${name}, ${name.toLowerCase()}, ${`A ${pick(words)} of\n${pick(words)} 100%`}, ${words.filter(() => chance(0.2)).map((word) => word.toLowerCase())},
        ${chance(0.4)}, ${chance(0.2)}, ${chance(0.2) ? new Date().toISOString() : null}, 'main', ${new Date(random.below(5) * 1000).toISOString()}, ${new Date(random.below(5) * 1000).toISOString()})`;
  }
}

async function relate(users: readonly number[], teams: readonly number[], owners: readonly number[]): Promise<void> {
  const rows = await sql`select id from repository order by id`;
  for (const { id } of rows) {
    for (const user of users.filter(() => chance(0.1))) {
      await sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${user}, 1) on conflict do nothing`;
    }
    for (const user of users.filter(() => chance(0.15))) {
      await sql`insert into star (user_id, repository_id) values (${user}, ${id}) on conflict do nothing`;
      await sql`insert into watch (user_id, repository_id) values (${user}, ${id}) on conflict do nothing`;
    }
    // Also of other organizations, which is what a transfer may leave behind.
    for (const team of teams.filter(() => chance(0.15))) {
      await sql`insert into team_repository (team_id, repository_id) values (${team}, ${id}) on conflict do nothing`;
    }
    await sql`update repository_size set git_bytes = ${random.below(3)}, lfs_bytes = ${random.below(3)} where repository_id = ${id}`;
  }
  for (const owner of owners) {
    for (const user of users.filter((each) => each !== owner && chance(0.2))) {
      await sql`insert into block (blocker_id, blocked_id) values (${owner}, ${user}) on conflict do nothing`;
    }
  }
}

async function allRepositories(): Promise<Row[]> {
  const rows =
    await sql`select r.id, r.owner_id, o.lower_name as owner_name, r.lower_name as name, r.description, r.topics, r.private, r.template,
      r.archived_at is not null as archived, r.created_at, r.updated_at, s.git_bytes, s.lfs_bytes,
      (select count(*) from star where repository_id = r.id) as stars, r.fork_of, (select count(*) from repository f where f.fork_of = r.id) as forks
    from repository r join owner o on o.id = r.owner_id join repository_size s on s.repository_id = r.id`;
  return rows.map((row) => ({
    id: Number(row["id"]),
    ownerId: Number(row["owner_id"]),
    ownerName: row["owner_name"] as string,
    name: row["name"] as string,
    description: row["description"] as string,
    topics: row["topics"] as string[],
    private: row["private"] as boolean,
    template: row["template"] as boolean,
    archived: row["archived"] as boolean,
    created: Date.parse(row["created_at"] as string),
    updated: Date.parse(row["updated_at"] as string),
    git: Number(row["git_bytes"]),
    lfs: Number(row["lfs_bytes"]),
    stars: Number(row["stars"]),
    forks: Number(row["forks"]),
    forkOf: row["fork_of"] === null ? null : Number(row["fork_of"]),
  }));
}

const { users, organizations, teams } = await fill();
const owners = [...users, ...organizations];
await addRepositories(owners, 140);
await relate(users, teams, owners);
// What the lists are read from follows every change, and is not only right when it is made.
for (const owner of owners.filter(() => chance(0.4))) {
  await sql`update owner set visibility = ${pick(visibilities)} where id = ${owner}`;
}
await sql`update owner set lower_name = 'a' || lower_name where id = ${users[3]!}`;
for (const row of (await allRepositories()).filter(() => chance(0.3))) {
  await sql`update repository set private = ${chance(0.5)}, template = ${chance(0.5)}, archived_at = ${chance(0.5) ? new Date().toISOString() : null},
    name = name || '-new', lower_name = lower_name || '-new', owner_id = ${pick(owners)}, topics = ${chance(0.5) ? row.topics : [pick(words).toLowerCase()]} where id = ${row.id}`;
}
await sql`delete from repository where id in (select id from repository order by id limit 7)`;
await sql`delete from star where user_id = ${users[5]!}`;
await sql`insert into owner (kind, name, lower_name) select 'user', 'gone' || n, 'gone' || n from generate_series(1, 4) n`;
await sql`delete from owner where lower_name like 'gone%'`;
// Forks of what was deleted are none any more.
await sql`delete from repository where id in (select fork_of from repository where fork_of is not null group by fork_of order by fork_of limit 4)`;
await sql`delete from repository where id in (select id from repository where fork_of is not null order by id limit 4)`;
const everything = await allRepositories();
const findSubject = prepareFindSubject(db);

const scopes = (...given: string[]) => parseScopes(given, { isAdmin: true, restricted: false });

async function viewers(): Promise<{ name: string; viewer: Viewer }[]> {
  const found: { name: string; viewer: Viewer }[] = [
    { name: "nobody", viewer: { actor: null, credential: { kind: "none" } } },
  ];
  for (const user of users) {
    const { actor } = await findSubject({ userId: user }, {});
    const add = (name: string, credential: Credential) =>
      found.push({ name: `${actor?.name} (${describeActor(actor)}) with ${name}`, viewer: { actor, credential } });
    add("a password", { kind: "password", userId: user, stamp: "" });
    add("a public-only token", { kind: "token", tokenId: 0, scopes: scopes("all", "public-only") });
    const [token] = await sql`insert into access_token (user_id, name, hash, last_eight, scopes, restricted)
      values (${user}, 'restricted', ${crypto.getRandomValues(new Uint8Array(32))}, '', '{read:repository}', true) returning id`;
    const tokenId = Number(token?.["id"]);
    for (const row of everything.filter(() => chance(0.3))) {
      await sql`insert into access_token_repository (token_id, repository_id) values (${tokenId}, ${row.id})`;
    }
    add("a restricted token", {
      kind: "token",
      tokenId,
      scopes: parseScopes(["read:repository"], { isAdmin: true, restricted: true }),
    });
  }
  return found;
}

function describeActor(actor: Actor | null): string {
  return actor?.isAdmin === true ? "admin" : actor?.restricted === true ? "restricted" : "plain";
}

const visible = new Map<Viewer, Promise<Set<number>>>();

/** What `authorize` lets the viewer read, of all repositories. It is worked out once: nothing changes any more. */
function visibleTo(viewer: Viewer): Promise<Set<number>> {
  const known = visible.get(viewer) ?? findVisible(viewer);
  visible.set(viewer, known);
  return known;
}

async function findVisible({ actor, credential }: Viewer): Promise<Set<number>> {
  const visible = new Set<number>();
  const action = { on: "repository", do: "read", unit: "any" } as const;
  const reached =
    credential.kind !== "token" || !credential.scopes.restricted
      ? null
      : new Set(
          (await sql`select repository_id from access_token_repository where token_id = ${credential.tokenId}`).map(
            (row) => Number(row["repository_id"]),
          ),
        );
  // Side by side, they share their queries.
  await Promise.all(
    everything.map(async ({ id }) => {
      const subject = await findSubject(actor === null ? {} : { userId: actor.id }, { repositoryId: id });
      const isReached = reached === null || reached.has(id);
      if (isReached && authorize(actor, credential, read, action, subject) === "allowed") {
        visible.add(id);
      }
    }),
  );
  return visible;
}

const orderKeys: Record<(typeof repositorySortKeys)[number], (row: Row) => (string | number)[]> = {
  alpha: ({ ownerName, name }) => [ownerName, name],
  name: ({ name }) => [name],
  created: ({ created }) => [created],
  updated: ({ updated }) => [updated],
  size: ({ git, lfs }) => [git + lfs],
  "git-size": ({ git }) => [git],
  "lfs-size": ({ lfs }) => [lfs],
  stars: ({ stars }) => [stars],
  forks: ({ forks }) => [forks],
  id: () => [],
};

function sorted(
  rows: readonly Row[],
  { by, descending, firstOwnerId }: RepositoryOrder & { by: (typeof repositorySortKeys)[number] },
): Row[] {
  const compare = (left: Row, right: Row) => {
    const [a, b] = [
      [...orderKeys[by](left), left.id],
      [...orderKeys[by](right), right.id],
    ];
    const at = a.findIndex((value, index) => value !== b[index]);
    const difference = at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
    return descending ? -difference : difference;
  };
  const isFirst = (row: Row) => (row.ownerId === firstOwnerId ? 0 : 1);
  return rows.toSorted((left, right) => isFirst(left) - isFirst(right) || compare(left, right));
}

interface Case {
  name: string;
  filter: RepositoryFilter;
  /** Which repositories the filter leaves, by the rows themselves. */
  keeps: (row: Row, related: Related) => boolean;
}

interface Related {
  /** Of somebody whom the viewer may know of. */
  starred: Set<number>;
  watched: Set<number>;
  given: Set<number>;
}

const search = (text: string, inDescription: boolean) => ({ words: text.split(","), inDescription, topicOnly: false });
const finds = (text: string, inDescription: boolean) => (row: Row) =>
  text
    .toLowerCase()
    .split(",")
    .some(
      (word) =>
        (word.includes("/") ? `${row.ownerName}/${row.name}` : row.name).includes(word) ||
        row.topics.some((topic) => topic.includes(word)) ||
        (inDescription && row.description.toLowerCase().includes(word)),
    );

const somebody = users[2]!;
const mostForked = everything.toSorted((left, right) => right.forks - left.forks).slice(0, 3);
const filters: Case[] = [
  { name: "everything", filter: {}, keeps: () => true },
  { name: "private", filter: { private: true }, keeps: (row) => row.private },
  { name: "not private", filter: { private: false }, keeps: (row) => !row.private },
  { name: "templates", filter: { template: true, archived: false }, keeps: (row) => row.template && !row.archived },
  { name: "archived", filter: { archived: true }, keeps: (row) => row.archived },
  { name: "forks", filter: { fork: true }, keeps: (row) => row.forkOf !== null },
  { name: "no forks", filter: { fork: false, archived: false }, keeps: (row) => row.forkOf === null && !row.archived },
  ...mostForked.map(({ id }) => ({
    name: `forks of ${id}`,
    filter: { forkOf: id },
    keeps: (row: Row) => row.forkOf === id,
  })),
  { name: "nothing", filter: { none: true }, keeps: () => false },
  ...[users[1]!, somebody, ...organizations.slice(0, 4)].map((ownerId) => ({
    name: `of owner ${ownerId}`,
    filter: { ownerId },
    keeps: (row: Row) => row.ownerId === ownerId,
  })),
  {
    name: "participating",
    filter: { participantId: somebody },
    keeps: (row, { given }) => row.ownerId === somebody || given.has(row.id),
  },
  {
    name: "collaborating",
    filter: { collaboratorId: somebody },
    keeps: (row, { given }) => row.ownerId !== somebody && given.has(row.id),
  },
  { name: "starred", filter: { starredBy: somebody }, keeps: (row, { starred }) => starred.has(row.id) },
  { name: "watched", filter: { watchedBy: somebody }, keeps: (row, { watched }) => watched.has(row.id) },
  ...["apple", "pear,plum", "go", "x", `org1/a`, "nowhere", "l", "%", "m-t"].flatMap((text) =>
    [false, true].map((inDescription) => ({
      name: `with ${text}${inDescription ? " in descriptions" : ""}`,
      filter: { keywords: search(text, inDescription) },
      keeps: finds(text, inDescription),
    })),
  ),
  {
    name: "with a topic",
    filter: { keywords: { words: ["apple", "go"], inDescription: false, topicOnly: true }, archived: false },
    keeps: (row) => !row.archived && row.topics.some((topic) => topic === "apple" || topic === "go"),
  },
];

/** Whether the viewer may know of somebody. */
async function knows({ actor, credential }: Viewer): Promise<boolean> {
  const [row] = await sql`select name from owner where id = ${somebody}`;
  const subject = await findSubject(actor === null ? {} : { userId: actor.id }, { ownerName: row?.["name"] as string });
  return authorize(actor, credential, read, { on: "owner", do: "see" }, subject) === "allowed";
}

async function relatedTo(user: number): Promise<Related> {
  const ids = async (query: PromiseLike<readonly Record<string, unknown>[]>) =>
    new Set((await query).map((row) => Number(row["id"])));
  return {
    starred: await ids(sql`select repository_id as id from star where user_id = ${user}`),
    watched: await ids(sql`select repository_id as id from watch where user_id = ${user}`),
    given: await ids(sql`select r.id from repository r where
      exists (select 1 from collaborator c where c.repository_id = r.id and c.user_id = ${user})
      or exists (select 1 from team_member m join team t on t.id = m.team_id where m.user_id = ${user} and t.organization_id = r.owner_id and t.mode > 0
        and (t.mode = 4 or t.includes_all_repositories or exists (select 1 from team_repository tr where tr.team_id = t.id and tr.repository_id = r.id)))`),
  };
}

const related = await relatedTo(somebody);
const everybody = await viewers();

describe("lists are what authorize says of each repository", () => {
  test.each(everybody)("$name", async ({ viewer }) => {
    const visible = await visibleTo(viewer);
    const seen = (await knows(viewer)) ? related : { ...related, starred: new Set<number>() };
    for (const { name, filter, keeps } of filters) {
      const expected = everything.filter((row) => visible.has(row.id) && keeps(row, seen));
      const order = {
        by: pick(repositorySortKeys),
        descending: chance(0.5),
        ...(chance(0.3) ? { firstOwnerId: pick(owners) } : {}),
      };
      const inOrder = sorted(expected, order).map(({ id }) => id);
      const size = 1 + random.below(12);
      const offset = random.below(20);
      const whole = await listRepositories(db, viewer, filter, order, { size: 1000, offset: 0 });
      const page = await listRepositories(db, viewer, filter, order, { size, offset });
      expect([name, order, whole.total, whole.rows.map(({ repository }) => repository.id)]).toEqual([
        name,
        order,
        inOrder.length,
        inOrder,
      ]);
      expect([name, order, page.total, page.rows.map(({ repository }) => repository.id)]).toEqual([
        name,
        order,
        inOrder.length,
        inOrder.slice(offset, offset + size),
      ]);
    }
  });

  test.each(everybody)("topics are counted so: $name", async ({ viewer }) => {
    const visible = await visibleTo(viewer);
    const counts = new Map<string, number>();
    for (const topic of everything.flatMap((row) => (visible.has(row.id) ? row.topics : []))) {
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
    const inOrder = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
    for (const text of ["", "p", "pl", "plum-tree", "nowhere", "%"]) {
      const expected = inOrder.filter(([topic]) => topic.includes(text));
      for (const page of [
        { size: 50, offset: 0 },
        { size: 2, offset: 1 },
      ]) {
        const { rows, total } = await searchTopics(db, viewer, text, page);
        expect([text, total, rows.map(({ name, count }) => [name, count])]).toEqual([
          text,
          expected.length,
          expected.slice(page.offset, page.offset + page.size),
        ]);
      }
    }
  });

  test.each(everybody)("searches are ranked: $name", async ({ viewer }) => {
    const visible = await visibleTo(viewer);
    for (const text of ["apple", "pear,plum", "go", "a", "org1/a", "apple-new"]) {
      const words = text.split(",");
      const rankOf = (row: Row, word: string) => {
        const fullName = `${row.ownerName}/${row.name}`;
        if (row.name === word || fullName === word) return 0;
        if (row.name.startsWith(word)) return 1;
        if (row.name.includes(word) || (word.includes("/") && fullName.includes(word))) return 2;
        if (row.topics.includes(word)) return 2;
        return row.topics.some((topic) => topic.includes(word)) ? 3 : 4;
      };
      const ranked = everything
        .filter((row) => visible.has(row.id) && finds(text, true)(row))
        .map((row) => ({ row, rank: Math.min(...words.map((word) => rankOf(row, word))) }))
        .sort(
          (a, b) =>
            a.rank - b.rank ||
            b.row.stars - a.row.stars ||
            (a.row.name < b.row.name ? -1 : a.row.name > b.row.name ? 1 : a.row.id - b.row.id),
        )
        .map(({ row }) => row.id);
      const { rows, total } = await listRepositories(
        db,
        viewer,
        { keywords: search(text, true) },
        { by: "relevance", descending: false },
        { size: 7, offset: 2 },
      );
      expect([text, total, rows.map(({ repository }) => repository.id)]).toEqual([
        text,
        ranked.length,
        ranked.slice(2, 9),
      ]);
    }
  });

  test("some viewer sees more than others, in every class", () => {
    const admin = everybody.find(({ viewer }) => viewer.actor?.isAdmin === true)!.viewer;
    expect(classesOf(admin, {}).open).toHaveLength(32);
    expect(
      new Set(everything.map((row) => `${row.private} ${row.template} ${row.archived} ${row.forkOf === null}`)).size,
    ).toBe(16);
  });
});

describe("lists of users and organizations are what authorize says of each", () => {
  test.each(everybody)("$name", async ({ viewer }) => {
    const { actor, credential } = viewer;
    const rows = await sql`select id, kind, name, lower_name, full_name from owner order by lower_name`;
    const visible: (typeof rows)[number][] = [];
    for (const row of rows) {
      const subject = await findSubject(actor === null ? {} : { userId: actor.id }, {
        ownerName: row["lower_name"] as string,
      });
      if (authorize(actor, credential, read, { on: "owner", do: "see" }, subject) === "allowed") {
        visible.push(row);
      }
    }
    const names = (kind: string, text = "") =>
      visible
        .filter((row) => row["kind"] === kind && String(row["lower_name"]).includes(text))
        .map((row) => row["name"] as string);
    const page = { size: 3, offset: 1 };
    const check = (list: { rows: { name: string }[]; total: number }, expected: string[]) =>
      expect([list.total, list.rows.map(({ name }) => name)]).toEqual([
        expected.length,
        expected.slice(page.offset, page.offset + page.size),
      ]);
    check(await listOrganizations(db, viewer, {}, page), names("organization"));
    for (const text of ["", "user", "r1", "e", "no such"]) {
      check(await searchUsers(db, viewer, { text }, page), names("user", text));
    }
  });
});

test("there is a row for each topic that a repository has, and no other", async () => {
  const rows = await sql`select name from topic order by name`;
  expect(rows.map((row) => row["name"] as string)).toEqual([
    ...new Set(everything.flatMap(({ topics }) => topics).sort()),
  ]);
});

test("totals are folded into few rows", async () => {
  const [row] =
    await sql`select count(*)::int as rows, count(distinct (list, owner_id, class))::int as keys from list_total`;
  expect(row?.["rows"]).toBe(row?.["keys"]);
});
