import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What triggers copy of issues and count of comments, so that lists need not read them all. */

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const { id: repositoryId } = await app.repository(alice, "tree");
const at = "/repos/alice/tree";
const label = (await alice.api.post<{ id: number }>(`${at}/labels`, { name: "bug", color: "ff0000" })).body.id;

async function open(fields: object = {}): Promise<number> {
  const { status, body } = await alice.api.post<{ number: number }>(`${at}/issues`, { title: "it", ...fields });
  expect(status).toBe(201);
  return body.number;
}

async function labelled(query: string, names = "bug"): Promise<number[]> {
  const { body, headers } = await alice.api.get<{ number: number }[]>(`${at}/issues?labels=${names}&${query}`);
  expect(headers.get("x-total-count")).toBe(String(body.length));
  return body.map(({ number }) => number);
}

const copies = async () => [
  ...(await sql`select issue_label.repository_id = issue.repository_id and issue_label.is_pull = issue.is_pull
    and issue_label.is_open = (issue.closed_at is null) and issue_label.created_at = issue.created_at as same
    from issue_label join issue on issue.id = issue_label.issue_id`),
];

test("a list by a label follows what becomes of its issues", async () => {
  const [one, two, three] = [await open({ labels: [label] }), await open({ labels: [label] }), await open()];
  expect(await labelled("")).toEqual([two, one]);
  await alice.api.post(`${at}/issues/${three}/labels`, { labels: [label] });
  expect(await labelled("sort=oldest")).toEqual([one, two, three]);
  await alice.api.patch(`${at}/issues/${two}`, { state: "closed" });
  expect([await labelled(""), await labelled("state=closed"), await labelled("state=all")]).toEqual([
    [three, one],
    [two],
    [three, two, one],
  ]);
  await alice.api.patch(`${at}/issues/${two}`, { state: "open" });
  await alice.api.delete(`${at}/issues/${one}/labels/${label}`);
  expect(await labelled("")).toEqual([three, two]);
  // A name that is asked for twice is one label.
  expect([await labelled("", "BUG,bug"), await labelled("", String(label))]).toEqual([
    [three, two],
    [three, two],
  ]);
  expect(await labelled("q=nowhere")).toEqual([]);
  await sql`update issue set created_at = created_at - interval '1 day' where repository_id = ${repositoryId} and number = ${three}`;
  expect(await labelled("")).toEqual([two, three]);
  await alice.api.delete(`${at}/issues/${two}`);
  expect(await labelled("")).toEqual([three]);
  expect(await copies()).toEqual([{ same: true }]);
});

test("a label that comes while the issue is being closed is one of a closed issue", async () => {
  const number = await open();
  const [row] = await sql`select id::int from issue where repository_id = ${repositoryId} and number = ${number}`;
  const other = await alice.api.post<{ id: number }>(`${at}/labels`, { name: "late", color: "ff0000" });
  let adding: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`update issue set closed_at = now() where id = ${row?.["id"]}`;
    adding = sql`insert into issue_label (issue_id, label_id) values (${row?.["id"]}, ${other.body.id})`.then(
      () => null,
    );
    await until("the label waits for the issue", async () => {
      const [waiting] = await sql`select count(*)::int as number from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into issue_label%'`;
      return waiting?.["number"] === 1;
    });
  });
  await adding;
  expect((await copies()).every((each) => each["same"])).toBe(true);
});

test("the number of a repository's comments follows them and their issues", async () => {
  const total = async () => {
    const { body, headers } = await alice.api.get<unknown[]>(`${at}/issues/comments`);
    expect(headers.get("x-total-count")).toBe(String(body.length));
    return body.length;
  };
  const before = await total();
  const [one, two] = [await open(), await open()];
  const say = async (number: number) =>
    (await alice.api.post<{ id: number }>(`${at}/issues/${number}/comments`, { body: "said" })).body.id;
  const first = await say(one);
  await Promise.all([say(one), say(two), say(two)]);
  expect(await total()).toBe(before + 4);
  expect((await alice.api.delete(`${at}/issues/comments/${first}`)).status).toBe(204);
  expect(await total()).toBe(before + 3);
  expect((await alice.api.delete(`${at}/issues/${two}`)).status).toBe(204);
  expect(await total()).toBe(before + 1);
  const rows = async () => [
    ...(await sql`select sum(count)::int as count from list_total
      where list = 'comment' and owner_id = ${repositoryId} having count(*) > 0`),
  ];
  expect(await rows()).toEqual([{ count: before + 1 }]);
  expect((await alice.api.delete(at)).status).toBe(204);
  expect(await rows()).toEqual([]);
});
