import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ quota: { repository_limit_bytes: 100_000 } });
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });

async function browserOf(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

test("forms that commit tell how much room a quota leaves, and that there is none, before something is typed", async () => {
  const [owner, stranger] = [await browserOf("alice"), await browserOf("bob")];
  const forms = ["_edit/main/README.md", "_new/main", "_upload/main", "_diffpatch/main"];
  for (const form of forms) {
    expect((await owner.get(`/alice/tour/${form}`)).text).toMatch(/The quota has room for 9\d\.\d kB more\./);
  }
  // A fork gets the commit.
  expect((await stranger.get("/alice/tour/_edit/main/README.md")).text).not.toContain("quota");
  const content = randomBytes(97_000).toString("base64");
  const made = await alice.api.post("/repos/alice/tour/contents/large.bin", { content, message: "Add large.bin" });
  expect(made.status).toBe(201);
  for (const form of forms) {
    expect((await owner.get(`/alice/tour/${form}`)).text).toContain("The quota is used up");
  }
});

test("nothing is told where nothing is limited", async () => {
  const { config } = app.forge;
  expect(config.quota.enforced).toBe(false);
  config.quota.repository_limit_bytes = 0;
  expect((await (await browserOf("alice")).get("/alice/tour/_new/main")).text).not.toContain("quota");
});
