import { expect, spyOn, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { smallDeb as deb } from "./deb.ts";
import { DebianRegistry } from "./registry.ts";

/** Whatever changes what an index lists is answered when the index has it, also where the registry itself is not asked. */

const app = await useTestApp();
const alice = await app.user("alice");
await app.organization("forge", alice, { visibility: "private" });
await app.repository(alice, "public");
await app.repository(alice, "private", { private: true });

/** The packages that the index names to the members of the owner, or to everybody. */
async function listed(registry: DebianRegistry, headers = registry.headers): Promise<string[]> {
  const answer = await registry.get("dists/stable/main/binary-all/Packages", headers);
  return [...(await answer.text()).matchAll(/^Package: (.*)$/gm)].map(([, name = ""]) => name);
}

test("a version that is deleted over the API, of a private owner", async () => {
  const registry = new DebianRegistry(app, alice, "forge");
  for (const name of ["anvil", "bellows"]) {
    await registry.publish(deb(name));
  }
  expect(await listed(registry)).toEqual(["anvil", "bellows"]);
  expect((await alice.api.delete("/packages/forge/debian/anvil/1.0")).status).toBe(204);
  expect(await listed(registry)).toEqual(["bellows"]);
  expect((await alice.api.delete("/packages/forge/debian/bellows/1.0")).status).toBe(204);
  expect((await registry.get("dists/stable/main/binary-all/Packages", registry.headers)).status).toBe(404);
});

test("a package that becomes private, and public again", async () => {
  const registry = new DebianRegistry(app, alice);
  for (const name of ["hammer", "tongs"]) {
    await registry.publish(deb(name));
  }
  const link = (repository: string) => alice.api.post(`/packages/alice/debian/hammer/-/link/${repository}`);
  expect((await link("private")).status).toBe(201);
  expect([await listed(registry, {}), await listed(registry)]).toEqual([["tongs"], ["hammer", "tongs"]]);
  expect((await alice.api.post("/packages/alice/debian/hammer/-/unlink")).status).toBe(204);
  expect(await listed(registry, {})).toEqual(["hammer", "tongs"]);
  expect((await link("public")).status).toBe(201);
  expect((await alice.api.patch("/repos/alice/public", { private: true })).status).toBe(200);
  expect([await listed(registry, {}), await listed(registry)]).toEqual([["tongs"], ["hammer", "tongs"]]);
  expect((await alice.api.patch("/repos/alice/public", { private: false })).status).toBe(200);
  expect(await listed(registry, {})).toEqual(["hammer", "tongs"]);
});

test("a change is answered as it was made, also if the index cannot be built; a job builds it", async () => {
  const registry = new DebianRegistry(app, alice);
  await app.repository(alice, "hidden");
  await registry.publish(deb("nails"));
  expect((await alice.api.post("/packages/alice/debian/nails/-/link/hidden")).status).toBe(201);
  const stage = spyOn(app.forge.files.blobs, "stage").mockRejectedValue(new Error("no room"));
  const { status, body } = await alice.api.patch<{ private: boolean }>("/repos/alice/hidden", { private: true });
  expect([status, body.private]).toEqual([200, true]);
  expect((await registry.get("dists/stable/main/binary-all/Packages")).status).toBe(404);
  stage.mockRestore();
  await until("the job builds the index", async () => (await listed(registry)).includes("nails"));
  expect(await listed(registry, {})).not.toContain("nails");
});
