import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
for (const [name, fields] of [
  ["a-toolbox", {}],
  ["tool", {}],
  ["toolkit", {}],
  ["tools-old", {}],
  ["words", { description: "About a tool" }],
  ["topical", {}],
  ["topics", {}],
  ["tool-secret", { private: true }],
] as const) {
  await app.repository(alice, name, fields);
}
await alice.api.put("/repos/alice/topical/topics", { topics: ["tool"] });
await alice.api.put("/repos/alice/topics/topics", { topics: ["tooling"] });
await bob.api.put("/user/starred/alice/tools-old");
await bob.api.put("/user/starred/alice/a-toolbox");

const names = async (query: string, client = bob.api) =>
  (await client.get<{ data: { name: string }[] }>(`/repos/search?${query}`)).body.data.map(({ name }) => name);

test("what fits best comes first, of these what has most stars", async () => {
  const ranked = ["tool", "tools-old", "toolkit", "a-toolbox", "topical", "topics"];
  expect(await names("q=tool")).toEqual(ranked);
  expect(await names("q=Tool&includeDesc=true")).toEqual([...ranked, "words"]);
  expect(await names("q=alice/tool")).toEqual(["tool", "tools-old", "toolkit"]);
  expect(await names("q=tool&limit=2&page=2")).toEqual(["toolkit", "a-toolbox"]);
  expect(await names("q=words,toolkit")).toEqual(["toolkit", "words"]);
});

test("a sort or an order that is given holds, and without words it is by name", async () => {
  const byName = ["a-toolbox", "tool", "toolkit", "tools-old", "topical", "topics"];
  expect(await names("q=tool&sort=alpha")).toEqual(byName);
  expect(await names("q=tool&order=desc")).toEqual(byName.toReversed());
  expect(await names("q=tool&sort=stars&order=desc")).toEqual([
    "tools-old",
    "a-toolbox",
    "topics",
    "topical",
    "toolkit",
    "tool",
  ]);
  expect(await names("")).toEqual([...byName, "words"]);
});

test("the rank follows the filters: whole topics, an owner first, private ones for those who see them", async () => {
  expect(await names("q=tool&topic=true")).toEqual(["topical"]);
  await app.repository(bob, "xtool");
  expect(await names(`q=tool&priority_owner_id=${bob.id}`)).toEqual([
    "xtool",
    "tool",
    "tools-old",
    "toolkit",
    "a-toolbox",
    "topical",
    "topics",
  ]);
  expect(await names("q=tool-s", alice.api)).toEqual(["tool-secret"]);
  expect(await names("q=tool-s")).toEqual([]);
  expect(await names("q=tool&mode=mirror")).toEqual([]);
});
