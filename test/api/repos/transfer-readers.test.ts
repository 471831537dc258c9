import { expect, test } from "bun:test";
import { makeTeam } from "../../support/team.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

const app = await useTestApp();
const [alice, bob, carol, dave, erin] = [
  await app.user("alice"),
  await app.user("bob"),
  await app.user("carol"),
  await app.user("dave"),
  await app.user("erin"),
];

test("what is offered to an organization is seen by those who may accept it, as they change", async () => {
  await app.organization("makers-of-tools", bob);
  const makers = await makeTeam(
    bob,
    "makers-of-tools",
    { name: "makers", permission: "read", can_create_org_repo: true },
    [carol],
  );
  await app.repository(alice, "tool", { private: true });
  const path = "/repos/alice/tool";
  await alice.api.put(`${path}/collaborators/${dave.name}`, { permission: "write" });
  expect((await alice.api.post(`${path}/transfer`, { new_owner: "makers-of-tools" })).status).toBe(201);
  const member = (user: TestUser) => `/teams/${makers.id}/members/${user.name}`;
  const seen = async () => Promise.all([bob, carol, dave, erin].map(async (who) => (await who.api.get(path)).status));
  expect(await seen()).toEqual([200, 200, 200, 404]);
  for (const user of [dave, erin]) {
    await bob.api.put(member(user));
  }
  expect(await seen()).toEqual([200, 200, 200, 200]);
  await bob.api.delete(member(carol));
  expect(await seen()).toEqual([200, 404, 200, 200]);
  await bob.api.patch(`/teams/${makers.id}`, { name: "makers", can_create_org_repo: false });
  expect(await seen()).toEqual([200, 404, 200, 404]);
  await bob.api.patch(`/teams/${makers.id}`, { name: "makers", can_create_org_repo: true });
  await bob.api.delete(`/orgs/makers-of-tools/members/${erin.name}`);
  expect(await seen()).toEqual([200, 404, 200, 404]);
  await bob.api.put(member(carol));
  await bob.api.delete(`/teams/${makers.id}`);
  expect(await seen()).toEqual([200, 404, 200, 404]);
  expect((await bob.api.post(`${path}/transfer/accept`)).status).toBe(202);
});
