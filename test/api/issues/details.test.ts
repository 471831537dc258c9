import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tree");
const at = "/repos/alice/tree";

interface Shown {
  user: { full_name: string } | null;
  labels: { name: string }[];
  milestone: { title: string };
  assignees: { full_name: string }[] | null;
}

test("what is shown around an issue is as it is now, though rows are remembered", async () => {
  const { body: label } = await alice.api.post<{ id: number }>(`${at}/labels`, { name: "dry", color: "aabbcc" });
  const { body: milestone } = await alice.api.post<{ id: number }>(`${at}/milestones`, { title: "1.0" });
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
  const details = { labels: [label.id], milestone: milestone.id, assignees: ["bob"] };
  await bob.api.post(`${at}/issues`, { title: "A leaf fell", ...details });
  const shown = async (client = alice.api) => {
    const [{ body: list }, { body: one }, { body: found }] = await Promise.all([
      client.get<Shown[]>(`${at}/issues`),
      client.get<Shown>(`${at}/issues/1`),
      client.get<Shown[]>("/repos/issues/search"),
    ]);
    const brief = [list[0], one, found[0]].map((issue) => [
      issue?.user?.full_name,
      issue?.labels.map(({ name }) => name),
      issue?.milestone.title,
      issue?.assignees?.map(({ full_name }) => full_name),
    ]);
    expect(brief[1]).toEqual(brief[0] as never);
    expect(brief[2]).toEqual(brief[0] as never);
    return brief[0];
  };
  for (const name of ["first", "second", "third"]) {
    await alice.api.patch(`${at}/labels/${label.id}`, { name: `dry-${name}` });
    await alice.api.patch(`${at}/milestones/${milestone.id}`, { title: `1.0-${name}` });
    await bob.api.patch("/user/settings", { full_name: `Bob ${name}` });
    expect(await shown()).toEqual([`Bob ${name}`, [`dry-${name}`], `1.0-${name}`, [`Bob ${name}`]]);
  }
  await bob.api.patch("/user/settings", { full_name: "Bob" });
  await app.forge.database.sql`update owner set visibility = 'private' where id = ${bob.id}`;
  expect(await shown(app.anonymous)).toEqual([undefined, ["dry-third"], "1.0-third", undefined]);
  expect(await shown(bob.api)).toEqual(["Bob", ["dry-third"], "1.0-third", ["Bob"]]);
});
