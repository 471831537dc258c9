import { expect, test } from "bun:test";
import { SshKeyPair } from "../../support/ssh.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();

test("deploy keys stay with a repository that gets another owner, who sees them", async () => {
  await app.repository(alice, "tool");
  using key = new SshKeyPair();
  const added = { title: "robot", key: key.publicKey, read_only: true };
  expect((await alice.api.post("/repos/alice/tool/keys", added)).status).toBe(201);
  expect((await admin.api.post("/repos/alice/tool/transfer", { new_owner: "bob" })).status).toBe(202);
  expect((await bob.api.get<object[]>("/repos/bob/tool/keys")).body).toMatchObject([{ title: "robot" }]);
});
