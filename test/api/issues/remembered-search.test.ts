import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

/** A search for words that was answered before is right again after each change: matches are remembered, and who sees them is not. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "open");
await app.repository(alice, "closed", { private: true });
const at = "/repos/alice/open/issues";
type Listed = { title: string; state: string; repository: { name: string } }[];

let words = 0;
/** A word that no other test searches for. */
const nextWord = () => `word${words++}`;

async function search(word: string, client = bob.api, query = "") {
  const { status, body, headers } = await client.get<Listed>(`/repos/issues/search?q=${word}${query}`);
  expect([status, headers.get("x-total-count")]).toEqual([200, String(body.length)]);
  return body.map(({ title }) => title);
}

async function open(title: string, path = at): Promise<string> {
  const { status, body } = await alice.api.post<{ number: number }>(path, { title });
  expect(status).toBe(201);
  return `${path}/${body.number}`;
}

test("shows what was opened, edited, closed, reopened and deleted since", async () => {
  const word = nextWord();
  expect(await search(word)).toEqual([]);
  const issue = await open(`First ${word}`);
  expect(await search(word)).toEqual([`First ${word}`]);
  await open(`Second ${word}`);
  expect(await search(word)).toEqual([`Second ${word}`, `First ${word}`]);
  await alice.api.patch(issue, { title: `Other ${word}` });
  expect(await search(word)).toEqual([`Second ${word}`, `Other ${word}`]);
  await alice.api.patch(issue, { title: "Without", body: "it" });
  expect(await search(word)).toEqual([`Second ${word}`]);
  await alice.api.patch(issue, { body: `it is about ${word}` });
  expect(await search(word)).toEqual([`Second ${word}`, "Without"]);
  await alice.api.patch(issue, { state: "closed" });
  expect(await search(word)).toEqual([`Second ${word}`]);
  expect(await search(word, bob.api, "&state=closed")).toEqual(["Without"]);
  expect(await search(word, bob.api, "&state=all&type=pulls")).toEqual([]);
  await alice.api.patch(issue, { state: "open" });
  expect(await search(word)).toEqual([`Second ${word}`, "Without"]);
  expect((await alice.api.delete(issue)).status).toBe(204);
  expect(await search(word)).toEqual([`Second ${word}`]);
});

test("shows nothing of a repository that was made private, or deleted, or whose issues were switched off", async () => {
  const word = nextWord();
  await app.repository(alice, "fickle");
  await open(`In it ${word}`, "/repos/alice/fickle/issues");
  const title = [`In it ${word}`];
  const change = async (fields: object) =>
    expect((await alice.api.patch("/repos/alice/fickle", fields)).status).toBe(200);
  expect(await search(word)).toEqual(title);
  await change({ private: true });
  expect([await search(word), await search(word, app.anonymous), await search(word, alice.api)]).toEqual([
    [],
    [],
    title,
  ]);
  await change({ private: false, has_issues: false });
  expect([await search(word), await search(word, alice.api)]).toEqual([[], []]);
  await change({ has_issues: true });
  expect(await search(word)).toEqual(title);
  await alice.api.delete("/repos/alice/fickle");
  expect([await search(word), await search(word, alice.api)]).toEqual([[], []]);
});

test("is for each viewer what that viewer may see, as soon as access is given and taken", async () => {
  const word = nextWord();
  await open(`Everybody's ${word}`);
  await open(`Secret ${word}`, "/repos/alice/closed/issues");
  const both = [`Secret ${word}`, `Everybody's ${word}`];
  expect(await search(word, alice.api)).toEqual(both);
  expect(await search(word)).toEqual(both.slice(1));
  const collaborator = "/repos/alice/closed/collaborators/bob";
  expect((await alice.api.put(collaborator, { permission: "read" })).status).toBe(204);
  expect(await search(word)).toEqual(both);
  expect(await search(word, bob.api, "&owner=alice")).toEqual(both);
  expect(await search(word, bob.api, "&owner=bob")).toEqual([]);
  expect(await search(word, await app.scoped(bob, "read:issue", "public-only"))).toEqual(both.slice(1));
  expect((await alice.api.delete(collaborator)).status).toBe(204);
  expect(await search(word)).toEqual(both.slice(1));
});

test("is what the transaction before it left, and not what one after it has not committed", async () => {
  const word = nextWord();
  const issue = await open(`Here ${word}`);
  const { sql } = app.forge.database;
  expect(await search(word)).toEqual([`Here ${word}`]);
  const [number] = issue.split("/").slice(-1);
  await sql.begin(async (tx) => {
    await tx`update issue set title = 'gone' where number = ${Number(number)} and title = ${`Here ${word}`}`;
    expect(await search(word)).toEqual([`Here ${word}`]);
    // Others change issues meanwhile, and are not waited for.
    await open(`More ${word}`);
    expect(await search(word)).toEqual([`More ${word}`, `Here ${word}`]);
  });
  expect(await search(word)).toEqual([`More ${word}`]);
});

test("has the pages of one list", async () => {
  const word = nextWord();
  for (const number of [1, 2, 3, 4, 5]) {
    await open(`${number} ${word}`);
  }
  const page = async (number: number) => {
    const { body, headers } = await bob.api.get<Listed>(`/repos/issues/search?q=${word}&limit=2&page=${number}`);
    expect(headers.get("x-total-count")).toBe("5");
    return body.map(({ title }) => title.slice(0, 1)).join("");
  };
  expect([await page(1), await page(2), await page(3), await page(4)]).toEqual(["54", "32", "1", ""]);
});
