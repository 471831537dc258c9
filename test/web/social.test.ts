import { describe, expect, test } from "bun:test";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const [alice, bob, carol] = [await app.user("alice"), await app.user("bob"), await app.user("carol")];
await app.repository(alice, "tour", { description: "A tour", auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await app.organization("forge", alice);
await makeTeam(alice, "forge", { name: "makers", permission: "write", can_create_org_repo: true }, [bob]);
await makeTeam(alice, "forge", { name: "readers", permission: "read" }, [carol]);

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
const counts = async (name: string) => {
  const { body } = await alice.api.get<{ stars_count: number; watchers_count: number }>(`/repos/${name}`);
  return [body.stars_count, body.watchers_count];
};

describe("the buttons of a repository", () => {
  test("send strangers to sign in and back, and are as absent as the repository", async () => {
    const { text } = await new WebVisitor(app.url).get("/alice/tour");
    expect(text).toContain('href="/user/login?redirect_to=%2Falice%2Ftour"');
    expect(text).not.toContain("/action/star");
    const visitor = await signedIn("bob");
    const _csrf = csrfOf((await visitor.get("/")).text);
    for (const action of ["star", "unstar", "watch", "unwatch"]) {
      expect((await visitor.post(`/alice/closed/action/${action}`, { _csrf })).status).toBe(404);
      expect((await visitor.post(`/alice/tour/action/${action}`, {})).status).toBe(403);
    }
    for (const list of ["stars", "watchers", "forks", "fork"]) {
      expect((await visitor.get(`/alice/closed/${list}`)).status).toBe(404);
    }
  });

  test("star and watch, take it back, and lead back to the page", async () => {
    const visitor = await signedIn("bob");
    const before = await counts("alice/tour");
    const page = "/alice/tour/branches";
    for (const action of ["star", "watch"]) {
      const answer = await visitor.submit(page, {}, `/alice/tour/action/${action}`);
      expect([answer.status, answer.location]).toEqual([303, page]);
    }
    expect(await counts("alice/tour")).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 1]);
    expect((await visitor.get("/alice/tour/stars")).text).toContain("<b>bob</b>");
    expect((await visitor.get("/alice/tour/watchers")).text).toContain("<b>bob</b>");
    for (const action of ["unstar", "unwatch"]) {
      expect((await visitor.submit(page, {}, `/alice/tour/action/${action}`)).location).toBe(page);
    }
    expect(await counts("alice/tour")).toEqual(before);
  });

  test("lead to no other server", async () => {
    const visitor = await signedIn("bob");
    const answer = await visitor.submit("/alice/tour", { back: "https://evil.example/" }, "/alice/tour/action/star");
    expect(answer.location).toBe("/alice/tour");
  });

  test("refuse who is blocked, and let them take a star back", async () => {
    await app.repository(alice, "blocked");
    const visitor = await signedIn("carol");
    const _csrf = csrfOf((await visitor.get("/alice/blocked")).text);
    expect((await alice.api.put("/user/blocks/carol")).status).toBe(204);
    expect((await visitor.post("/alice/blocked/action/star", { _csrf })).status).toBe(403);
    expect((await visitor.get("/alice/blocked/fork")).status).toBe(403);
    expect((await visitor.post("/alice/blocked/action/unstar", { _csrf })).status).toBe(303);
    expect((await alice.api.delete("/user/blocks/carol")).status).toBe(204);
    expect(await counts("alice/blocked")).toEqual([0, 1]);
  });

  test("work on an archived repository: a star is the user's", async () => {
    await app.repository(alice, "attic");
    await alice.api.patch("/repos/alice/attic", { archived: true });
    const visitor = await signedIn("bob");
    expect((await visitor.submit("/alice/attic", {}, "/alice/attic/action/star")).status).toBe(303);
    expect((await counts("alice/attic"))[0]).toBe(1);
  });
});

describe("a fork", () => {
  const path = "/alice/tour/fork";

  test("is for the signed-in, and only for owners in whom they may create", async () => {
    expect((await new WebVisitor(app.url).get(path)).location).toStartWith("/user/login");
    const visitor = await signedIn("carol");
    expect((await visitor.get(path)).text).not.toContain('value="forge"');
    for (const [owner, status] of [
      ["forge", 403],
      ["alice", 403],
      ["absent", 404],
    ] as const) {
      const refused = await visitor.submit(path, { owner, name: "mine", description: "<b>" });
      expect([refused.status, refused.text.includes('value="mine"')]).toEqual([status, true]);
      expect(refused.text).toContain('value="&lt;b&gt;"');
      expect((await alice.api.get(`/repos/${owner}/mine`)).status).toBe(404);
    }
  });

  test("says at the field what is wrong with its name, and keeps what was typed", async () => {
    const visitor = await signedIn("bob");
    const bad = await visitor.submit(path, { owner: "bob", name: `"><script>`, default_branch_only: "1" });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(bad.text).toContain('id="name" name="name" aria-invalid="true" aria-describedby="name_problem name_hint"');
    expect(bad.text).toContain('name="default_branch_only" value="1" checked');
    const long = await visitor.submit(path, { owner: "bob", name: "long", description: "x".repeat(2049) });
    expect([long.status, long.text.includes('id="description_problem"')]).toEqual([422, true]);
  });

  test("is made for oneself with all branches, or for an organization with one; once", async () => {
    await alice.api.post("/repos/alice/tour/branches", { new_branch_name: "side" });
    const visitor = await signedIn("bob");
    const mine = await visitor.submit(path, { owner: "bob", name: "mine", description: "Mine" });
    expect(mine.location).toBe("/bob/mine");
    const names = async (name: string) =>
      (await bob.api.get<{ name: string }[]>(`/repos/${name}/branches`)).body.map((one) => one.name);
    expect(await names("bob/mine")).toEqual(["main", "side"]);
    expect((await bob.api.get("/repos/bob/mine")).body).toMatchObject({ fork: true, description: "Mine" });
    const second = await visitor.submit(path, { owner: "bob", name: "again" });
    expect([second.status, second.text.includes("has a fork of")]).toEqual([409, true]);
    expect((await visitor.submit(path, { owner: "forge", name: "one", default_branch_only: "1" })).location).toBe(
      "/forge/one",
    );
    expect(await names("forge/one")).toEqual(["main"]);
    expect((await new WebVisitor(app.url).get("/alice/tour/forks")).text).toContain("bob/<b>mine</b>");
  });
});
