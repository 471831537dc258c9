import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { mustGit } from "../support/git.ts";
import type { PullJson } from "../support/pulls.ts";
import { useTestApp } from "../support/test-app.ts";

/**
 * A migration by GitHub's API, from a server that answers as GitHub does (its REST API of 2022-11-28): pull requests among the issues, lists of
 * a hundred with `Link`, limits of requests, reviews and their comments apart, files at the addresses of the API.
 */

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.0/8", "::1"] } });
const alice = await app.user("alice");
const root = mkdtempSync(join(tmpdir(), "stithy-backend-"));
const token = "ghp_secret";
const git = new GitHttpBackend({ root, credentials: { username: "oauth2", password: token } });
afterAll(async () => {
  await git[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const oids = { base: "", merge: "", merged: "", open: "" };
const asked: string[] = [];
const user = { login: "octocat" };
const repo = { id: 7 };
const fork = { id: 8 };
/** How many requests are refused next, and how. */
const limits: Response[] = [];

beforeAll(async () => {
  using tree = await GitWorkTree.create("main");
  const commit = async (file: string, text: string) => {
    await tree.write(file, text);
    await tree.git("add", "-A");
    await tree.git("commit", "-qm", `Add ${file}`);
    return (await tree.git("rev-parse", "HEAD")).trim();
  };
  oids.base = await commit("a.txt", "a\n");
  await tree.git("checkout", "-qb", "topic");
  oids.merged = await commit("b.txt", "one\ntwo\nthree\n");
  await tree.git("checkout", "-q", "main");
  await tree.git("merge", "-q", "--no-ff", "-m", "Merge", "topic");
  oids.merge = (await tree.git("rev-parse", "HEAD")).trim();
  await tree.git("checkout", "-qb", "theirs");
  oids.open = await commit("c.txt", "c\n");
  await tree.git("checkout", "-q", "main");
  await tree.git("tag", "v1");
  await mustGit(root, ["init", "-q", "--bare", "-b", "main", "octo/octo.git"]);
  // As GitHub has them: the head of a fork's pull request is a ref of the base, the merged branch is gone.
  const refs = ["main", "v1", "topic:refs/pull/2/head", "theirs:refs/pull/3/head", "theirs:refs/pull/3/merge"];
  await tree.git("push", "-q", git.directory("octo/octo.git"), ...refs);
});

const label = { id: 1, name: "bug", color: "d73a4a", description: "Broken", default: true };
const milestone = { number: 1, title: "1.0", description: "", due_on: "2026-12-01T08:00:00Z", state: "open" };
const issueOf = (number: number, fields: object) => ({
  id: 1000 + number,
  number,
  title: `Number ${number}`,
  body: `Body ${number}`,
  user,
  labels: [label],
  milestone,
  state: "open",
  locked: false,
  comments: 0,
  created_at: "2025-01-02T03:04:05Z",
  updated_at: "2025-01-02T03:04:05Z",
  closed_at: null,
  ...fields,
});
const pulls = () => [
  issueOf(3, {
    comments: undefined,
    draft: false,
    base: { ref: "main", sha: oids.merge, repo },
    head: { ref: "patch-1", sha: oids.open, repo: fork },
    merged_at: null,
    merge_commit_sha: "2".repeat(40),
  }),
  issueOf(2, {
    comments: undefined,
    state: "closed",
    closed_at: "2025-01-03T00:00:00Z",
    base: { ref: "main", sha: oids.base, repo },
    head: { ref: "topic", sha: oids.merged, repo },
    merged_at: "2025-01-03T00:00:00Z",
    merge_commit_sha: oids.merge,
  }),
];

/** Answers by the path below `/repos/octo/octo`. */
const answers: Record<string, () => unknown> = {
  "/labels": () => [label],
  "/milestones": () => [milestone],
  "/issues": () => [
    issueOf(105, { locked: true, comments: 1 }),
    ...Array.from({ length: 101 }, (_, index) => issueOf(104 - index, { labels: [] })),
    ...pulls().map((pull) => Object.assign(pull, { pull_request: { url: "x" }, comments: 1 })),
    issueOf(1, { state: "closed", closed_at: "2025-02-01T00:00:00Z", comments: 0 }),
  ],
  "/issues/105/comments": () => [{ body: "Me, too", user, created_at: "2025-01-05T00:00:00Z" }],
  "/pulls": pulls,
  "/pulls/2/reviews": () => [
    { id: 21, user, state: "APPROVED", body: "", commit_id: oids.merged, submitted_at: "2025-01-02T10:00:00Z" },
    { id: 22, user, state: "DISMISSED", body: "No", commit_id: oids.merged, submitted_at: "2025-01-02T11:00:00Z" },
    { id: 23, user, state: "PENDING", body: "Mine", commit_id: oids.merged },
  ],
  "/pulls/2/comments": () => [],
  "/pulls/3/reviews": () => [
    { id: 31, user, state: "COMMENTED", body: "", commit_id: oids.open, submitted_at: "2025-01-02T10:00:00Z" },
  ],
  "/pulls/3/comments": () => [
    {
      id: 311,
      pull_request_review_id: 31,
      path: "c.txt",
      line: 1,
      original_line: 1,
      position: 99,
      side: "RIGHT",
      body: "Here",
      user,
      commit_id: oids.open,
      original_commit_id: oids.open,
      diff_hunk: "@@ -0,0 +1 @@\n+c",
      created_at: "2025-01-02T10:00:00Z",
    },
    {
      id: 312,
      pull_request_review_id: 31,
      path: "c.txt",
      line: null,
      original_line: 1,
      side: "LEFT",
      body: "Old",
      user,
    },
  ],
  "/releases": () => [
    {
      tag_name: "v1",
      name: "One",
      body: "Notes",
      draft: false,
      prerelease: true,
      published_at: "2025-01-01T00:00:00Z",
      assets: [
        {
          name: "tool.zip",
          size: 4,
          url: `${git.url}/api/v3/repos/octo/octo/releases/assets/1`,
          browser_download_url: "x",
        },
      ],
    },
    { tag_name: "v2", draft: true, assets: [] },
  ],
};

git.intercept = (request) => {
  const url = new URL(request.url);
  const [, path] = /^\/api\/v3\/repos\/octo\/octo(\/.*)$/.exec(url.pathname) ?? [];
  if (path === undefined) {
    return null;
  }
  asked.push(path);
  if (request.headers.get("authorization") !== `Basic ${btoa(`oauth2:${token}`)}`) {
    return new Response("", { status: 401 });
  }
  const limit = limits.shift();
  if (limit !== undefined) {
    return limit;
  }
  if (path === "/releases/assets/1") {
    return new Response(request.headers.get("accept") === "application/octet-stream" ? "zip!" : "{}");
  }
  const all = answers[path]?.() as unknown[] | undefined;
  if (all === undefined && path.endsWith("/comments")) {
    return Response.json([]);
  }
  if (all === undefined) {
    return new Response("", { status: 404 });
  }
  const [size, page] = [Number(url.searchParams.get("per_page")), Number(url.searchParams.get("page"))];
  const isLast = page * size >= all.length;
  return Response.json(all.slice((page - 1) * size, page * size), {
    headers: isLast ? {} : { link: `<${git.url}/next>; rel="next", <${git.url}/last>; rel="last"` },
  });
};

const request = {
  clone_addr: `${git.url}/octo/octo.git`,
  auth_token: token,
  service: "github",
  labels: true,
  milestones: true,
  issues: true,
  pull_requests: true,
  releases: true,
  wiki: true,
};

test("all of a repository comes, over limits of requests and several pages", async () => {
  limits.push(
    new Response("", {
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000)) },
    }),
    new Response("", { status: 429, headers: { "retry-after": "1" } }),
  );
  const { status, body } = await alice.api.post<{ message: string }>("/repos/migrate", {
    ...request,
    repo_name: "octo",
  });
  expect([status, body.message]).toEqual([201, undefined as never]);
  const there = "/repos/alice/octo";
  expect((await alice.api.get(`${there}/labels`)).body).toMatchObject([{ name: "bug", color: "d73a4a" }]);
  expect((await alice.api.get(`${there}/milestones`)).body).toMatchObject([{ title: "1.0" }]);
  expect((await alice.api.get(`${there}/issues/1`)).body).toMatchObject({ state: "closed", pull_request: null });
  const { body: issue } = await alice.api.get<{ body: string }>(`${there}/issues/105`);
  expect(issue).toMatchObject({ is_locked: true, comments: 1, labels: [{ name: "bug" }], milestone: { title: "1.0" } });
  expect(issue.body).toBe("*Written by octocat there on 2025-01-02*\n\nBody 105");
  expect((await alice.api.get(`${there}/issues/4`)).status).toBe(200);
  expect((await alice.api.get<Record<string, number>>(there)).body["open_issues_count"]).toBe(102);

  const [merged, open] = (await alice.api.get<PullJson[]>(`${there}/pulls?state=all&sort=oldest`)).body;
  expect(merged).toMatchObject({
    number: 2,
    merged: true,
    merged_at: "2025-01-03T00:00:00Z",
    merge_commit_sha: oids.merge,
    merge_base: oids.base,
    additions: 3,
    changed_files: 1,
    head: { sha: oids.merged },
  });
  expect(open).toMatchObject({ number: 3, state: "open", mergeable: true, head: { sha: oids.open, repo: null } });
  type Reviews = { id: number; state: string; dismissed: boolean; comments_count: number }[];
  const reviews = (await alice.api.get<Reviews>(`${there}/pulls/2/reviews`)).body;
  expect(reviews.map(({ state, dismissed }) => [state, dismissed])).toEqual([
    ["APPROVED", false],
    ["COMMENT", true],
  ]);
  const [review] = (await alice.api.get<Reviews>(`${there}/pulls/3/reviews`)).body;
  expect(review).toMatchObject({ state: "COMMENT", comments_count: 2 });
  const { body: lines } = await alice.api.get<{ body: string }[]>(`${there}/pulls/3/reviews/${review!.id}/comments`);
  expect(lines.find(({ body: text }) => text.endsWith("Here"))).toMatchObject({
    path: "c.txt",
    position: 1,
    diff_hunk: "@@ -0,0 +1 @@\n+c",
  });
  // The code that it was about is gone.
  expect(lines.find(({ body: text }) => text.endsWith("Old"))).toMatchObject({ position: 0, original_position: 1 });

  interface Asset {
    name: string;
    browser_download_url: string;
  }
  const { body: releases } = await alice.api.get<{ assets: Asset[] }[]>(`${there}/releases`);
  expect(releases).toMatchObject([{ tag_name: "v1", prerelease: true, assets: [{ name: "tool.zip" }] }]);
  expect(await (await fetch(releases[0]!.assets[0]!.browser_download_url)).text()).toBe("zip!");
  expect(asked.filter((path) => path === "/issues")).toHaveLength(2);
  // The pull request from a fork can be merged here.
  expect((await alice.api.post(`${there}/pulls/3/merge`, { Do: "merge" })).status).toBe(200);
});

test("a refusal that is no limit of requests is told at once, and nothing stays", async () => {
  limits.push(new Response("", { status: 403, headers: { "x-ratelimit-remaining": "4999" } }));
  const { status, body } = await alice.api.post<{ message: string }>("/repos/migrate", { ...request, repo_name: "no" });
  expect([status, body.message]).toEqual([422, expect.stringContaining("status 403")]);
  expect((await alice.api.get("/repos/alice/no")).status).toBe(404);
});
