import { describe, expect, test } from "bun:test";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
await app.user("carol");
await app.repository(alice, "tour", { description: "A tour" });
await app.repository(alice, "closed", { private: true });
await app.organization("forge", alice);
await makeTeam(alice, "forge", { name: "makers", permission: "write" }, [bob]);

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}
const nobody = new WebVisitor(app.url);
const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
const encode = (text: string) => Buffer.from(text).toString("base64");

describe("a user", () => {
  test("who is hidden is as absent as nobody, on all sides", async () => {
    await app.user("hidden");
    const admin = await app.admin();
    expect((await admin.api.patch("/admin/users/hidden", { visibility: "private" })).status).toBe(200);
    const visitor = await signedIn("carol");
    for (const tab of ["", "?tab=repositories", "?tab=activity", "?tab=followers"]) {
      expect((await visitor.get(`/hidden${tab}`)).status).toBe(404);
      expect((await visitor.get(`/absent${tab}`)).status).toBe(404);
    }
    const _csrf = csrfOf((await visitor.get("/")).text);
    expect((await visitor.post("/hidden", { _csrf, action: "follow" })).status).toBe(404);
  });

  test("shows strangers what the API does, and asks them to sign in for the rest", async () => {
    const { text } = await nobody.get("/alice");
    expect(text).toContain("?tab=activity");
    expect(text).not.toContain("?tab=followers");
    expect(text).not.toContain("closed");
    for (const tab of ["stars", "followers", "following"]) {
      expect((await nobody.get(`/alice?tab=${tab}`)).location).toStartWith("/user/login?redirect_to=");
    }
  });

  test("shows what they watch to nobody else", async () => {
    expect((await (await signedIn("alice")).get("/alice?tab=watching")).text).toContain("alice/<b>closed</b>");
    expect((await (await signedIn("bob")).get("/alice?tab=watching")).text).toContain("<title>alice · Stithy</title>");
  });

  test("is followed and let go, and is told apart from who may not be", async () => {
    expect((await nobody.post("/alice", { action: "follow" })).status).toBe(403);
    const visitor = await signedIn("bob");
    const _csrf = csrfOf((await visitor.get("/")).text);
    const follow = await visitor.post("/alice", { _csrf, action: "follow" });
    expect([follow.status, follow.location]).toEqual([303, "/alice"]);
    expect((await visitor.get("/alice")).text).toContain("<p>You follow alice</p>");
    expect((await visitor.get("/alice?tab=followers")).text).toContain("<b>bob</b>");
    expect((await visitor.post("/bob", { _csrf, action: "follow" })).status).toBe(422);
    expect((await visitor.post("/forge", { _csrf, action: "follow" })).status).toBe(404);
    expect((await visitor.post("/alice", { _csrf, action: "constructor" })).status).toBe(404);
    expect((await visitor.post("/alice", { _csrf, action: "unfollow" })).status).toBe(303);
    expect((await visitor.get("/alice?tab=followers")).text).not.toContain('<a class="plain" href="/bob">');
  });

  test("is blocked, cannot follow then, and is let in again", async () => {
    const [visitor, other] = [await signedIn("alice"), await signedIn("carol")];
    const [mine, theirs] = [csrfOf((await visitor.get("/")).text), csrfOf((await other.get("/")).text)];
    expect((await visitor.post("/carol", { _csrf: mine, action: "block" })).location).toBe("/carol");
    expect((await visitor.get("/carol")).text).toContain('value="unblock"');
    expect((await other.post("/alice", { _csrf: theirs, action: "follow" })).status).toBe(403);
    expect((await visitor.post("/carol", { _csrf: mine, action: "unblock" })).status).toBe(303);
    expect((await other.post("/alice", { _csrf: theirs, action: "follow" })).status).toBe(303);
  });

  test("presents themselves with the README of .profile, if the visitor may read it", async () => {
    await app.repository(alice, ".profile", { auto_init: false });
    const content = encode("# Hello\n<script>alert(1)</script>\n");
    await alice.api.post("/repos/alice/.profile/contents/README.md", { content });
    const { text } = await nobody.get("/alice");
    expect(text).toContain("Hello</h1>");
    expect(text).not.toContain("<script>alert");
    await alice.api.patch("/repos/alice/.profile", { private: true });
    expect((await nobody.get("/alice")).text).not.toContain("Hello</h1>");
    expect((await (await signedIn("alice")).get("/alice")).text).toContain("Hello</h1>");
  });

  test("keeps the activity and the address to themselves if they want to", async () => {
    await alice.api.patch("/user/settings", { hide_activity: true, hide_email: true });
    const { text } = await (await signedIn("bob")).get("/alice?tab=activity");
    expect(text).toContain("0 contributions in the last year");
    expect(text).toContain("<h2>Nothing to see</h2>");
    expect(text).not.toContain("mailto:alice");
    await alice.api.patch("/user/settings", { hide_activity: false, hide_email: false });
    expect((await (await signedIn("bob")).get("/alice?tab=activity")).text).toContain("mailto:alice");
    expect((await nobody.get("/alice?tab=activity")).text).toContain("created");
  });
});

describe("an organization", () => {
  test("shows members and teams to its members, and others who is a member publicly", async () => {
    for (const visitor of [nobody, await signedIn("carol")]) {
      const { text } = await visitor.get("/org/forge/members");
      expect(text).toContain("Nobody is a member publicly.");
      expect((await visitor.get("/forge")).text).not.toContain("/org/forge/teams");
    }
    expect((await nobody.get("/org/forge/teams")).location).toStartWith("/user/login");
    expect((await (await signedIn("carol")).get("/org/forge/teams")).status).toBe(403);
    const member = await signedIn("bob");
    expect((await member.get("/org/forge/members")).text).toContain("<b>alice</b>");
    expect((await member.get("/org/forge/teams")).text).toContain("<b>makers</b>");
    expect((await member.get("/forge")).text).toContain("/org/forge/teams");
    expect((await bob.api.put("/orgs/forge/public_members/bob")).status).toBe(204);
    expect((await nobody.get("/org/forge/members")).text).toContain("<b>bob</b>");
  });

  test("is no user, and a user is none", async () => {
    expect((await nobody.get("/org/alice/members")).status).toBe(404);
    expect((await nobody.get("/org/absent/members")).status).toBe(404);
  });

  test("has its repositories with a search", async () => {
    await app.repository(alice, "anvil", { description: "Heavy" }, "forge");
    await app.repository(alice, "tongs", {}, "forge");
    const { text } = await nobody.get("/forge?q=heavy");
    expect(text).toContain("<b>anvil</b>");
    expect(text).not.toContain("<b>tongs</b>");
    const hostile = await nobody.get(`/forge?q=${encodeURIComponent('"><script>')}&kind=x&sort=x&page=-1`);
    expect([hostile.status, hostile.text.includes('"><script>')]).toEqual([200, false]);
  });
});
