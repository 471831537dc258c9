import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const admin = await app.admin();

test("issues of a repository that moves keep its own labels, and leave those of the former organization", async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "moved", {}, "forge");
  await app.repository(alice, "stays", {}, "forge");
  const make = async (path: string, name: string) =>
    (await alice.api.post<{ id: number }>(path, { name, color: "ff0000" })).body.id;
  const shared = await make("/orgs/forge/labels", "shared");
  const own = await make("/repos/forge/moved/labels", "own");
  await alice.api.post("/repos/forge/moved/issues", { title: "x", labels: [shared, own] });
  await alice.api.post("/repos/forge/stays/issues", { title: "x", labels: [shared] });

  expect((await admin.api.post("/repos/forge/moved/transfer", { new_owner: "alice" })).status).toBe(202);

  const labelsOf = async (path: string) =>
    (await alice.api.get<{ name: string }[]>(`${path}/issues/1/labels`)).body.map(({ name }) => name);
  expect(await labelsOf("/repos/alice/moved")).toEqual(["own"]);
  expect(await labelsOf("/repos/forge/stays")).toEqual(["shared"]);
});
