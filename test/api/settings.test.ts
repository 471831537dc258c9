import { expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

test("the limits of the API are those that lists keep to", async () => {
  const { status, body } = await app.anonymous.get<Record<string, number>>("/settings/api");
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      default_paging_num: 30,
      max_response_items: 50,
      default_git_trees_per_page: 1000,
      default_max_blob_size: 10 * 1024 * 1024,
    },
  });
  const alice = await app.user("alice");
  await Promise.all(Array.from({ length: 51 }, (_, n) => app.token(alice, [n % 2 === 0 ? "all" : "read:user"])));
  const lengths = await Promise.all(
    ["", "?limit=1000"].map(
      async (query) => (await alice.api.get<unknown[]>(`/users/alice/tokens${query}`)).body.length,
    ),
  );
  expect(lengths).toEqual([body["default_paging_num"] ?? 0, body["max_response_items"] ?? 0]);
});

test("what repositories cannot do is said: each part of it is there", async () => {
  const { body } = await app.anonymous.get<Record<string, boolean>>("/settings/repository");
  const possible = Object.keys(body).filter((name) => body[name] === false);
  expect(possible).toEqual([
    "forks_disabled",
    "http_git_disabled",
    "lfs_disabled",
    "migrations_disabled",
    "mirrors_disabled",
    "stars_disabled",
    "time_tracking_disabled",
  ]);
  const bob = await app.user("bob");
  const { clone_url } = await app.repository(bob, "code", { auto_init: true });
  using tree = await GitWorkTree.create();
  expect(await tree.git("ls-remote", "--heads", clone_url)).toContain("refs/heads/main");
  expect((await bob.api.get("/repos/bob/code/times")).status).toBe(200);
  // Both are asked for by the same operation, which refuses an address that it cannot use.
  for (const mirror of [false, true]) {
    const wanted = { clone_addr: "file:///etc", repo_name: `copy-${mirror}`, mirror };
    expect((await bob.api.post("/repos/migrate", wanted)).status).toBe(422);
  }
});

test("pages offer one look, and nothing to react with", async () => {
  expect((await app.anonymous.get("/settings/ui")).body).toEqual({
    allowed_reactions: ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
    custom_emojis: [],
    default_theme: "auto",
  });
});

test("files of every kind can be attached", async () => {
  expect((await app.anonymous.get("/settings/attachment")).body).toEqual({
    enabled: true,
    allowed_types: "",
    max_files: 1000,
    max_size: 4096,
  });
});

test("a token of any scope may read them", async () => {
  const carol = await app.user("carol");
  const client = await app.scoped(carol, "read:package");
  for (const name of ["api", "repository", "attachment"]) {
    expect((await client.get(`/settings/${name}`)).status).toBe(200);
  }
});
