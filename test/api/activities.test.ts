import { describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
await app.organization("forge", alice);
await alice.api.post("/user/repos", { name: "site" });
await alice.api.post("/orgs/forge/repos", { name: "secret", private: true });
const file = { content: "eA==", message: "Add a file", branch: "main" };
await alice.api.post("/repos/alice/site/contents/a.txt", file);
await alice.api.post("/repos/alice/site/contents/b.txt", {
  ...file,
  message: "Add another",
  new_branch: "topic",
  branch: "main",
});
await alice.api.post("/repos/alice/site/tags", { tag_name: "v1", target: "main" });
await alice.api.delete("/repos/alice/site/branches/topic");
await alice.api.patch("/repos/alice/site", { name: "page" });

interface Deed {
  op_type: string;
  ref_name: string;
  content: string;
  is_private: boolean;
  user_id: number;
  act_user: { login: string };
  repo: { full_name: string };
}

const today = new Date().toISOString().slice(0, 10);
const told = (deeds: Deed[]) =>
  deeds.map(({ op_type, ref_name, repo }) => `${op_type} ${repo.full_name} ${ref_name}`.trim());
const ofSite = [
  "rename_repo alice/page",
  "delete_branch alice/page refs/heads/topic",
  "push_tag alice/page refs/tags/v1",
  "commit_repo alice/page refs/heads/topic",
  "commit_repo alice/page refs/heads/main",
  "create_repo alice/page",
];

describe("what happened", () => {
  test("in a private repository is told those who may see it, and counted for them alone", async () => {
    for (const client of [app.anonymous, bob.api]) {
      expect((await client.get("/repos/forge/secret/activities/feeds")).status).toBe(404);
      const feed = await client.get<Deed[]>("/users/alice/activities/feeds");
      expect({ told: told(feed.body), total: feed.headers.get("x-total-count") }).toEqual({ told: ofSite, total: "6" });
      expect((await client.get<Deed[]>("/orgs/forge/activities/feeds")).body).toEqual([]);
    }
    expect(told((await alice.api.get<Deed[]>("/users/alice/activities/feeds")).body)).toEqual(
      [...ofSite, "create_repo forge/secret"].toSorted((left, right) => order(left) - order(right)),
    );
    const ofOrganization = (await alice.api.get<Deed[]>("/orgs/forge/activities/feeds")).body;
    expect(ofOrganization.map(({ op_type, is_private }) => ({ op_type, is_private }))).toEqual([
      { op_type: "create_repo", is_private: true },
    ]);
    const publicOnly = await app.scoped(alice, "all", "public-only");
    expect(told((await publicOnly.get<Deed[]>("/users/alice/activities/feeds")).body)).toEqual(ofSite);
  });

  test("is told with commits, as clients of the family read them", async () => {
    const { body } = await app.anonymous.get<Deed[]>("/repos/alice/page/activities/feeds");
    expect(told(body)).toEqual(ofSite);
    const [topic, main] = body
      .filter(({ op_type }) => op_type === "commit_repo")
      .map(({ content }) => JSON.parse(content));
    // The branch is gone, and with it the commit that only it reached.
    expect(topic).toEqual({ Commits: [], HeadCommit: null, CompareURL: "", Len: 0 });
    expect(main).toMatchObject({
      Len: 1,
      CompareURL: "",
      HeadCommit: { Message: "Add a file\n", AuthorName: "alice" },
    });
    expect(body[0]?.content).toBe("alice/site");
    const { repo: _repo, act_user: _user, content: _content, ...rest } = redact(body[5]) as unknown as Deed;
    expect(rest as object).toEqual({
      id: "<id>",
      user_id: "<id>",
      op_type: "create_repo",
      act_user_id: "<id>",
      repo_id: "<id>",
      comment_id: 0,
      comment: null,
      ref_name: "",
      is_private: false,
      created: "<time>",
    });
  });

  test("of a commit whose time no calendar has is told, too", async () => {
    const carol = await app.user("carol");
    await app.repository(carol, "late");
    using work = await GitWorkTree.create();
    await work.write("a", "1\n");
    await work.git("add", ".");
    await work.git("commit", "-q", "-m", "Late");
    await work.write(
      "raw",
      `${(await work.git("cat-file", "commit", "HEAD")).replaceAll(/> \d+ /g, "> 99999999999999 ")}\n`,
    );
    const oid = await work.git("hash-object", "--literally", "-t", "commit", "-w", "raw");
    await work.push(`${app.url}/carol/late.git`, carol.token, `${oid}:refs/heads/main`);
    const { body } = await app.anonymous.get<Deed[]>("/repos/carol/late/activities/feeds");
    expect(JSON.parse(body[0]?.content ?? "")).toMatchObject({
      HeadCommit: { Sha1: oid, Timestamp: "9999-12-31T23:59:59Z" },
    });
  });

  test("of one day, by page, and no other input", async () => {
    const page = await app.anonymous.get<Deed[]>(`/users/alice/activities/feeds?date=${today}&limit=2&page=2`);
    expect(told(page.body)).toEqual(ofSite.slice(2, 4));
    expect(page.headers.get("x-total-count")).toBe("6");
    expect((await app.anonymous.get<Deed[]>("/users/alice/activities/feeds?date=2020-02-29")).body).toEqual([]);
    for (const date of ["2026-02-30", "today", "2026-1-1"]) {
      const refused = await app.anonymous.get<{ message: string }>(`/users/alice/activities/feeds?date=${date}`);
      expect({ status: refused.status, field: refused.body.message.startsWith("date") }).toEqual({
        status: 422,
        field: true,
      });
    }
    expect((await app.anonymous.get("/users/forge/activities/feeds")).status).toBe(404);
    expect((await app.anonymous.get("/orgs/alice/activities/feeds")).status).toBe(404);
  });

  test("where one watches is in one's own feed, unless only what one did is asked for", async () => {
    await bob.api.put("/repos/alice/page/subscription");
    expect(told((await bob.api.get<Deed[]>("/users/bob/activities/feeds")).body)).toEqual(ofSite);
    expect((await bob.api.get<Deed[]>("/users/bob/activities/feeds?only-performed-by=true")).body).toEqual([]);
    // What somebody watches is nobody else's business.
    expect((await alice.api.get<Deed[]>("/users/bob/activities/feeds")).body).toEqual([]);
  });

  test("in a team's repositories is told its members", async () => {
    const { body: team } = await alice.api.post<{ id: number }>("/orgs/forge/teams", {
      name: "watchers",
      permission: "read",
      includes_all_repositories: true,
    });
    expect((await bob.api.get(`/teams/${team.id}/activities/feeds`)).status).toBe(404);
    await alice.api.put(`/teams/${team.id}/members/bob`);
    expect(told((await bob.api.get<Deed[]>(`/teams/${team.id}/activities/feeds`)).body)).toEqual([
      "create_repo forge/secret",
    ]);
    await alice.api.delete(`/teams/${team.id}`);
  });

  test("is counted in a heatmap of what the caller may see", async () => {
    const sum = async (client: typeof alice.api) =>
      (await client.get<{ contributions: number; timestamp: number }[]>("/users/alice/heatmap")).body;
    const seen = await sum(app.anonymous);
    expect(seen.reduce((total, one) => total + one.contributions, 0)).toBe(6);
    expect(seen.every(({ timestamp }) => timestamp % 900 === 0 && Math.abs(timestamp - Date.now() / 1000) < 3600)).toBe(
      true,
    );
    expect((await sum(alice.api)).reduce((total, one) => total + one.contributions, 0)).toBe(7);
  });

  test("stays with users who keep their activity to themselves, and with those who administer the site", async () => {
    await app.forge.database.sql`update account set keep_activity_private = true where owner_id = ${alice.id}`;
    for (const path of ["/users/alice/activities/feeds", "/users/alice/heatmap"]) {
      expect((await bob.api.get(path)).body).toEqual([]);
      for (const client of [alice.api, admin.api]) {
        expect((await client.get<unknown[]>(path)).body).not.toEqual([]);
      }
    }
  });
});

/** The place of a deed among all of the beginning of this file, the last first. */
function order(deed: string): number {
  return deed === "create_repo forge/secret" ? 4.5 : ofSite.indexOf(deed);
}
