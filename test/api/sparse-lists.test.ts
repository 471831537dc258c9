import { beforeAll, describe, expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Lists of names in requests: tea sends `"assignees":[""]`, and Jenkins `"events":[null,"push"]`. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const base = "/repos/alice/list";
let bug = 0;

interface Named {
  assignees: { login: string }[] | null;
  labels: { name: string }[];
  number: number;
}

const shown = ({ assignees, labels }: Named) => [
  assignees?.map(({ login }) => login) ?? [],
  labels.map(({ name }) => name),
];

beforeAll(async () => {
  await app.repository(alice, "list", { auto_init: true });
  await alice.api.put(`${base}/collaborators/bob`, { permission: "write" });
  bug = (await alice.api.post<{ id: number }>(`${base}/labels`, { name: "bug", color: "#ff0000" })).body.id;
  await alice.api.post(`${base}/contents/new`, { content: "", branch: "main", new_branch: "topic" });
});

describe("empty names and nulls are left out", () => {
  test("of an issue's assignees and labels", async () => {
    const none = await alice.api.post<Named>(`${base}/issues`, { title: "none", assignees: [""], labels: [null] });
    expect([none.status, shown(none.body)]).toEqual([201, [[], []]]);
    const some = { title: "some", assignees: ["", "bob", null], labels: [null, bug] };
    const made = await alice.api.post<Named>(`${base}/issues`, some);
    expect([made.status, shown(made.body)]).toEqual([201, [["bob"], ["bug"]]]);
    const edited = await alice.api.patch<Named>(`${base}/issues/${made.body.number}`, { assignees: ["", null] });
    expect([edited.status, shown(edited.body)]).toEqual([201, [[], ["bug"]]]);
    const path = `${base}/issues/${none.body.number}/labels`;
    expect((await alice.api.post<unknown[]>(path, { labels: ["", "bug", null] })).body).toHaveLength(1);
    expect((await alice.api.put<unknown[]>(path, { labels: [null, ""] })).body).toEqual([]);
  });

  test("of a pull request, as tea makes it, and of its reviewers", async () => {
    const asked = { head: "topic", base: "main", title: "tea's", assignees: [""], labels: [null], milestone: 0 };
    const { status, body } = await alice.api.post<Named>(`${base}/pulls`, asked);
    expect([status, shown(body)]).toEqual([201, [[], []]]);
    const edited = await alice.api.patch<Named>(`${base}/pulls/${body.number}`, { assignees: ["bob", ""] });
    expect([edited.status, shown(edited.body)]).toEqual([201, [["bob"], []]]);
    const requested = await alice.api.post<unknown[]>(`${base}/pulls/${body.number}/requested_reviewers`, {
      reviewers: ["", "bob"],
      team_reviewers: [""],
    });
    expect([requested.status, requested.body.length]).toEqual([201, 1]);
  });

  test("of a webhook's events", async () => {
    const config = { url: "http://example.com/hook", content_type: "json" };
    const { status, body } = await alice.api.post<{ id: number; events: string[] }>(`${base}/hooks`, {
      type: "gitea",
      config,
      events: [null, "push"],
    });
    expect([status, body.events]).toEqual([201, ["push"]]);
    const edited = await alice.api.patch<{ events: string[] }>(`${base}/hooks/${body.id}`, { events: ["", "issues"] });
    expect([edited.status, edited.body.events.includes("issues"), edited.body.events.includes("")]).toEqual([
      200,
      true,
      false,
    ]);
  });

  test("of topics and protections", async () => {
    expect((await alice.api.put(`${base}/topics`, { topics: ["", "forge", null] })).status).toBe(204);
    expect((await alice.api.get<{ topics: string[] }>(`${base}/topics`)).body.topics).toEqual(["forge"]);
    const { status, body } = await alice.api.post<{ push_whitelist_usernames: string[] }>(
      `${base}/branch_protections`,
      {
        rule_name: "main",
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ["", "bob", null],
      },
    );
    expect([status, body.push_whitelist_usernames]).toEqual([201, ["bob"]]);
    const tag = await alice.api.post<{ whitelist_usernames: string[] }>(`${base}/tag_protections`, {
      name_pattern: "v*",
      whitelist_usernames: ["", "bob"],
    });
    expect([tag.status, tag.body.whitelist_usernames]).toEqual([201, ["bob"]]);
  });

  test("of a query", async () => {
    expect((await bob.api.get("/notifications?status-types=,unread,&subject-type=issue,")).status).toBe(200);
  });
});

test("a name that is neither is refused, and lists that limit a credential leave nothing out", async () => {
  for (const assignees of [["nobody"], [" "], [5], [{}]]) {
    expect((await alice.api.post(`${base}/issues`, { title: "x", assignees })).status).toBe(422);
  }
  const signedIn = app.withPassword("alice");
  for (const limits of [{ scopes: [""] }, { scopes: [null] }, { scopes: ["all"], repositories: [""] }]) {
    const { status } = await signedIn.post("/users/alice/tokens", { name: "limited", ...limits });
    expect([400, 404, 422]).toContain(status);
  }
});
