import { expect, test } from "bun:test";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

/** A token for public things shows no limited or private user, in whatever list and whoever holds it. */

const app = await useTestApp();
const alice = await app.user("alice");
const limited = await app.user("limited");
const open = await app.user("open");
await app.organization("forge", alice);
await app.repository(alice, "site", { auto_init: true });
const { id: teamId } = await makeTeam(alice, "forge", { name: "readers", permission: "read" }, [limited, open]);
for (const user of [limited, open]) {
  await alice.api.put(`/repos/alice/site/collaborators/${user.name}`, { permission: "write" });
  await user.api.put("/user/starred/alice/site");
  await user.api.put("/user/following/alice");
  await user.api.put("/repos/alice/site/subscription");
  await user.api.post("/repos/alice/site/contents/" + user.name, { content: "eA==", branch: "main" });
}
await app.forge.database.sql`update owner set visibility = 'limited' where name = 'limited'`;
const publicOnly = await app.scoped(alice, "all", "public-only");

interface Person {
  login: string;
}
interface Row {
  login?: string;
  act_user?: Person;
}
interface Commit {
  author: Person | null;
}

async function people(client: typeof alice.api, path: string) {
  const { status, body, headers } = await client.get<Row[] | { data: Row[] }>(path);
  const rows = Array.isArray(body) ? body : body.data;
  const names = rows.map(({ login, act_user: doer }) => doer?.login ?? login);
  return { status, names: [...new Set(names)].sort(), total: Number(headers.get("x-total-count")), rows: rows.length };
}

const lists = [
  "/repos/alice/site/collaborators",
  "/repos/alice/site/activities/feeds",
  "/repos/alice/site/stargazers",
  "/repos/alice/site/subscribers",
  "/users/alice/activities/feeds",
  "/users/alice/followers",
  "/orgs/forge/members",
  `/teams/${teamId}/members`,
  "/users/search",
];

test.each(lists)("GET %s", async (path) => {
  const all = await people(alice.api, path);
  expect(all.names).toContain("limited");
  expect(all.total).toBe(all.rows);
  const shown = await people(publicOnly, path);
  expect(shown).toMatchObject({ status: 200, names: all.names.filter((name) => name !== "limited") });
  expect(shown.total).toBe(shown.rows);
});

test("the author of a commit is nobody", async () => {
  const authors = async (client: typeof alice.api) =>
    (await client.get<Commit[]>("/repos/alice/site/commits")).body.map(({ author }) => author?.login ?? null);
  expect(await authors(alice.api)).toEqual(["open", "limited", "alice"]);
  expect(await authors(publicOnly)).toEqual(["open", null, "alice"]);
});

const questions = [
  { path: "/repos/alice/site/collaborators", absent: 422 },
  { path: "/orgs/forge/members", absent: 404 },
  { path: `/teams/${teamId}/members`, absent: 404 },
];

test.each(questions)("$path/{name}: who is not listed is not there, and stays", async ({ path, absent }) => {
  const asked = async (client: typeof alice.api, name: string) => (await client.get(`${path}/${name}`)).status;
  const before = await asked(alice.api, "limited");
  expect([200, 204]).toContain(before);
  expect(await asked(publicOnly, "open")).toBe(before);
  expect(await asked(publicOnly, "limited")).toBe(404);
  const { status, body } = await publicOnly.delete<{ message: string }>(`${path}/limited`);
  const none = await publicOnly.delete<{ message: string }>(`${path}/none-ed`);
  expect({ status, message: body.message }).toEqual({
    status: absent,
    message: none.body.message.replace("none-ed", "limited"),
  });
  expect(await asked(alice.api, "limited")).toBe(before);
});
