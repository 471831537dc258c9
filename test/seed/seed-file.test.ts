import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeedError } from "../../src/domain/exchange/seeding/seed-error.ts";
import { checkSeedFile, seedFile } from "../../src/domain/exchange/seeding/seed-file.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const directory = mkdtempSync(join(tmpdir(), "stithy-seed-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const root = await app.admin();

/** Seeds a file that has one line, or one for each seed. */
async function seed(...parts: readonly object[]) {
  const path = join(directory, `${crypto.randomUUID()}.json`);
  writeFileSync(path, parts.map((part) => JSON.stringify(part)).join("\n"));
  await checkSeedFile(path, 8);
  const { forge } = app;
  return seedFile({ forge, db: forge.database.db, findSubject: forge.identity.findSubject }, path, () => {});
}

async function problems(...parts: readonly object[]): Promise<readonly string[]> {
  try {
    await seed(...parts);
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) {
      throw error;
    }
    return error.problems;
  }
}

async function count(table: string): Promise<number> {
  const [row] = await app.forge.database.sql`select count(*)::int as count from ${app.forge.database.sql(table)}`;
  return Number(row?.["count"]);
}

const nothing = { users: 0, organizations: 0, repositories: 0, labels: 0, milestones: 0, issues: 0, comments: 0 };

describe("a seed of a server that runs", () => {
  const parts = [
    {
      users: [
        { username: "ann", tokens: [{ name: "ci", scopes: ["all"] }] },
        { username: "ben", password: "a password" },
      ],
      organizations: [{ name: "acme", owner: "ann" }],
      repositories: [
        { owner: "ann", name: "demo", commits: [{ message: "First", files: { "README.md": "# Demo\n" } }] },
        { owner: "acme", name: "site", private: true },
      ],
    },
    {
      labels: [
        { repository: "ann/demo", name: "kind/bug", color: "#F00", exclusive: true },
        { repository: "ann/demo", name: "kind/docs", color: "00ff00", exclusive: true },
        { organization: "acme", name: "ours", color: "abcdef" },
      ],
      milestones: [{ repository: "ann/demo", title: "1.0", due_date: "2027-01-01" }],
    },
    {
      issues: [
        {
          repository: "Ann/demo",
          title: "It fails",
          body: "See @ben and `@root`",
          author: "ben",
          labels: ["kind/bug"],
          milestone: "1.0",
          assignees: ["Ann"],
          created_at: "2026-01-01T00:00:00Z",
          comments: [
            { body: "Yes", author: "ann", created_at: "2026-01-03T00:00:00Z" },
            { body: "No, @ann", created_at: "2026-01-02T00:00:00Z" },
          ],
        },
        {
          repository: "ann/demo",
          title: "It worked",
          state: "closed",
          milestone: "1.0",
          created_at: "2026-01-01",
          closed_at: "2026-01-04",
        },
      ],
    },
    { issues: [{ repository: "acme/site", title: "Inside", body: "@ann @ben", labels: ["ours"], locked: true }] },
  ];
  const all = { users: 2, organizations: 1, repositories: 2, labels: 3, milestones: 1, issues: 3, comments: 2 };

  test("makes all of it and tells nobody, and a second time nothing", async () => {
    const before = await count("outbox");
    const { tokens, ...counts } = await seed(...parts);
    expect(counts).toEqual({ made: all, skipped: nothing });
    expect(tokens).toEqual({ ann: { ci: expect.stringMatching(/^sty_[0-9a-f]{40}$/) } });
    expect(await count("outbox")).toBe(before);
    expect(await count("notification")).toBe(0);
    expect(await seed(...parts)).toEqual({ made: nothing, skipped: all, tokens: {} });
  });

  test("has issues as if they had been written one by one", async () => {
    const issue = await root.api.get("/repos/ann/demo/issues/1");
    expect(issue.body).toMatchObject({
      number: 1,
      title: "It fails",
      body: "See @ben and `@root`",
      state: "open",
      user: { login: "ben" },
      comments: 2,
      labels: [{ name: "kind/bug", color: "ff0000" }],
      milestone: { title: "1.0", open_issues: 1, closed_issues: 1 },
      assignees: [{ login: "ann" }],
    });
    const times = issue.body as { created_at: string; updated_at: string };
    expect([new Date(times.created_at), new Date(times.updated_at)]).toEqual([
      new Date("2026-01-01"),
      new Date("2026-01-03"),
    ]);
    const closed = await root.api.get("/repos/ann/demo/issues/2");
    expect(closed.body).toMatchObject({ number: 2, state: "closed", user: { login: "ann" }, comments: 0 });
    const comments = await root.api.get<{ body: string; user: { login: string } }[]>(
      "/repos/ann/demo/issues/1/comments",
    );
    expect(comments.body.map(({ body, user }) => [user.login, body])).toEqual([
      ["ben", "No, @ann"],
      ["ann", "Yes"],
    ]);
    expect((await root.api.get("/repos/acme/site/issues/1")).body).toMatchObject({
      user: { login: "ann" },
      is_locked: true,
      labels: [{ name: "ours" }],
    });
    expect((await root.api.get("/repos/ann/demo")).body).toMatchObject({ open_issues_count: 1, empty: false });
    // The next issue goes on with the numbers.
    expect((await root.api.post("/repos/ann/demo/issues", { title: "Next" })).body).toMatchObject({ number: 3 });
  });

  test("names those who are mentioned and may read it, and nobody in code", async () => {
    const rows = await app.forge.database.sql`
      select lower(issue.title) as title, owner.name from issue_mention
      join issue on issue.id = issue_id join owner on owner.id = user_id order by 1, 2`;
    expect(rows.map(({ title, name }) => `${title}: ${name}`)).toEqual([
      "inside: ann",
      "it fails: ann",
      "it fails: ben",
    ]);
  });

  test("lets users in by the password that they were given, and by none where none was", async () => {
    expect((await app.withPassword("ben", "a password").get("/user")).status).toBe(200);
    const [row] = await app.forge.database.sql`
      select password_hash from account join owner on owner.id = owner_id where lower_name = 'ann'`;
    expect(row?.["password_hash"]).toBeNull();
  });

  test("goes on in a later file where a number says so", async () => {
    const more = { issues: [{ repository: "ann/demo", number: 4, title: "Later" }] };
    expect(await seed(more)).toMatchObject({ made: { issues: 1 } });
    expect(await seed(more)).toMatchObject({ made: { issues: 0 }, skipped: { issues: 1 } });
  });
});

describe("a wrong seed", () => {
  test("is refused before anything is made, each problem with its line and place", async () => {
    const users = await count("owner");
    const found = await problems(
      { users: [{ username: "newcomer" }] },
      { issues: [{ repository: "nowhere", title: "x" }] },
      {},
    );
    expect(found).toEqual([expect.stringContaining("line 2: issues[0].repository: ")]);
    const others = await problems({ users: [{ username: "newcomer" }], labels: [{ name: "x", color: "red" }] });
    expect(others).toEqual([expect.stringContaining("line 1: labels[0].color: ")]);
    expect(
      await problems({
        labels: [{ name: "x", color: "fff" }],
        milestones: [{ repository: "a/b", title: "x", due_date: "2027-13-01" }],
        issues: [{ repository: "a/b", title: " ", comments: [{ body: "", created_at: "2027-02-01T25:00:00Z" }] }],
      }),
    ).toEqual([
      "line 1: labels[0]: a label belongs to a repository or to an organization: name one of them",
      'line 1: milestones[0].due_date: "2027-13-01" is no date',
      "line 1: issues[0].title: A title has 1 to 255 characters",
      'line 1: issues[0].comments[0].created_at: "2027-02-01T25:00:00Z" is no date',
    ]);
    expect(await count("owner")).toBe(users);
  });

  test("names all that its names do not lead to, and nothing of the batch is stored", async () => {
    const issues = await count("issue");
    const found = await problems(
      { issues: [{ repository: "ann/demo", number: 5, title: "Good" }] },
      {
        issues: [
          {
            repository: "ann/demo",
            title: "Bad",
            author: "nobody",
            labels: ["none"],
            milestone: "2.0",
            assignees: ["ben"],
            comments: [{ body: "", author: "nobody" }],
          },
          { repository: "ann/demo", title: "Worse", labels: ["kind/bug", "kind/docs"] },
        ],
      },
    );
    expect(found).toEqual([
      'line 2: issues[0].author: there is no user "nobody"',
      'line 2: issues[0].labels[0]: ann/demo has no label "none"',
      'line 2: issues[0].assignees[0]: nothing can be assigned to "ben" in ann/demo',
      'line 2: issues[0].milestone: ann/demo has no milestone "2.0"',
      'line 2: issues[0].comments[0].author: there is no user "nobody"',
      expect.stringContaining('line 2: issues[1].labels: The labels "kind/bug" and "kind/docs" exclude each other'),
    ]);
    expect(await count("issue")).toBe(issues);
    expect((await root.api.post("/repos/ann/demo/issues", { title: "Five" })).body).toMatchObject({ number: 5 });
  });

  test("takes no number that is taken, and leaves no gap", async () => {
    const found = await problems({
      issues: [
        { repository: "ann/demo", title: "Another" },
        { repository: "ann/demo", number: 90, title: "Far" },
      ],
    });
    expect(found).toEqual([
      'line 1: issues[0].number: ann/demo#1 is there and is "It fails"; the next number is 6',
      "line 1: issues[1].number: numbers have no gaps, and the next one of ann/demo is 6, not 90",
    ]);
  });

  test("names owners that are not there, and names of the other kind", async () => {
    expect(await problems({ repositories: [{ owner: "nobody", name: "x" }] })).toEqual([
      'line 1: repositories[0].owner: there is no user or organization "nobody"',
    ]);
    expect(
      await problems({
        organizations: [
          { name: "ann", owner: "ann" },
          { name: "other", owner: "nobody" },
        ],
      }),
    ).toEqual([
      'line 1: organizations[0].name: "ann" is a user',
      'line 1: organizations[1].owner: there is no user "nobody"',
    ]);
    expect(await problems({ users: [{ username: "acme" }] })).toEqual([
      'line 1: users[0].username: "acme" is an organization',
    ]);
    expect(await problems({ users: [{ username: "newcomer", email: "ben@localhost" }] })).toEqual([
      expect.stringContaining("line 1: users[0]: "),
    ]);
  });
});

test("a seed of thousands of issues keeps every count", async () => {
  const issues = 1200;
  const lines = Array.from({ length: issues }, (_, index) => ({
    issues: [
      {
        repository: `ann/${index % 2 === 0 ? "even" : "odd"}`,
        title: `Number ${index}`,
        state: index % 3 === 0 ? "closed" : "open",
        comments: [{ body: "one" }, { body: "two", author: "ben" }, { body: "three" }, { body: "four" }],
      },
    ],
  }));
  const before = {
    repositories: [
      { owner: "ann", name: "even" },
      { owner: "ann", name: "odd" },
    ],
  };
  expect((await seed(before, ...lines)).made).toEqual({ ...nothing, repositories: 2, issues, comments: 4 * issues });
  const rows = await app.forge.database.sql`
    select repository.name, open_issues, closed_issues, last, min(number) as first, max(number) as most, sum(comments)::int as comments
    from repository join repository_count on repository_count.repository_id = repository.id
    join issue_sequence on issue_sequence.repository_id = repository.id
    join issue on issue.repository_id = repository.id
    where repository.name in ('even', 'odd') group by 1, 2, 3, 4 order by 1`;
  expect(JSON.parse(JSON.stringify(rows))).toEqual(
    ["even", "odd"].map((name) => ({
      name,
      open_issues: 400,
      closed_issues: 200,
      last: 600,
      first: 1,
      most: 600,
      comments: 2400,
    })),
  );
  // PostgreSQL knows at once how many there are: else it plans lists as if there were none.
  const [known] = await app.forge.database
    .sql`select reltuples::int as rows from pg_class where oid = 'issue'::regclass`;
  expect(known?.["rows"]).toBeGreaterThanOrEqual(issues);
});
