import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });

const encode = (text: string) => Buffer.from(text).toString("base64");
async function branch(by: TestUser, repository: string, name: string): Promise<void> {
  const content = { content: encode(name), message: `add ${name}`, new_branch: name };
  expect((await by.api.post(`/repos/${repository}/contents/${name}`, content)).status).toBe(201);
}
async function pull(by: TestUser, repository: string, head: string, title: string): Promise<number> {
  const made = await by.api.post<{ number: number }>(`/repos/${repository}/pulls`, { title, head, base: "main" });
  expect(made.status).toBe(201);
  return made.body.number;
}

async function home(name: string): Promise<string> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return (await visitor.get("/")).text;
}
const sectionOf = (text: string, id: string) =>
  text.split("<section").find((one) => one.includes(`aria-labelledby="${id}"`)) ?? "";

describe("the page of the signed-in", () => {
  test("has nothing for a new user, and says what to do", async () => {
    await app.user("new");
    const text = await home("new");
    expect(text).toContain("Nothing waits for you.");
    expect(text).toContain("You have no repositories yet.");
    expect(text).toContain('href="/repo/create"');
    expect(text).toContain("0 contributions in the last year");
  });

  test("shows reviews that are asked for, what is assigned, and own pull requests with their state", async () => {
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    await branch(alice, "alice/tour", "one");
    const number = await pull(alice, "alice/tour", "one", "Better <b>tour</b>");
    await alice.api.post(`/repos/alice/tour/pulls/${number}/requested_reviewers`, { reviewers: ["bob"] });
    await branch(bob, "alice/tour", "two");
    await pull(bob, "alice/tour", "two", "WIP: not yet");
    await alice.api.post("/repos/alice/tour/issues", { title: "It fails", assignees: ["bob"] });
    const text = await home("bob");
    const waiting = sectionOf(text, "waiting");
    expect(waiting).toContain("Better &lt;b&gt;tour&lt;/b&gt;");
    expect(waiting).toContain("Your review is asked for");
    expect(waiting).toMatch(/href="\/alice\/tour\/issues\/\d+"><b dir="auto">It fails</);
    expect(waiting).toContain('<span class="count">2</span>');
    expect(sectionOf(text, "own")).toContain("Draft");
    expect(sectionOf(await home("alice"), "own")).toContain("Better");
  });

  test("goes on with branches that have no pull request, and forgets those that have one or are gone", async () => {
    await branch(bob, "alice/tour", "three");
    await branch(bob, "alice/tour", "gone");
    await bob.api.delete("/repos/alice/tour/branches/gone");
    const text = await home("bob");
    expect(text).toContain('href="/alice/tour/compare/main...three"');
    expect(text).not.toContain("main...two");
    expect(text).not.toContain("main...gone");
    await pull(bob, "alice/tour", "three", "Three");
    expect(await home("bob")).not.toContain("main...three");
  });

  test("tells what those do whom one follows, without what one may not see", async () => {
    const [carol] = [await app.user("carol")];
    await carol.api.put("/user/following/alice");
    await branch(alice, "alice/closed", "hidden-branch");
    await branch(alice, "alice/tour", "seen-branch");
    const activity = sectionOf(await home("carol"), "activity");
    expect(activity).toContain("seen-branch");
    expect(activity).not.toContain("hidden-branch");
    expect(activity).not.toContain("alice/closed");
    await alice.api.patch("/user/settings", { hide_activity: true });
    expect(sectionOf(await home("carol"), "activity")).not.toContain("seen-branch");
    await alice.api.patch("/user/settings", { hide_activity: false });
  });

  test("forgets what was given and taken away again", async () => {
    await alice.api.put("/repos/alice/closed/collaborators/bob", { permission: "write" });
    await branch(bob, "alice/closed", "mine");
    await alice.api.post("/repos/alice/closed/issues", { title: "A secret", assignees: ["bob"] });
    expect(await home("bob")).toContain("A secret");
    await alice.api.delete("/repos/alice/closed/collaborators/bob");
    const text = await home("bob");
    expect(text).not.toContain("A secret");
    expect(text).not.toContain("closed");
  });
});
