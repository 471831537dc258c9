import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ mail: { notifications: "onmention" } });

test("the page of mails names the server's default as it names the choice, and says that there are none", async () => {
  await app.user("alice");
  const alice = new WebVisitor(app.url);
  await alice.signIn("alice", testPassword);
  const { text } = await alice.get("/user/settings/notifications");
  expect(text).toContain(
    "The default of this server: “Only what mentions me, is assigned to me, or asks for my review”",
  );
  expect(text).toContain("This server sends no mails.");
});
