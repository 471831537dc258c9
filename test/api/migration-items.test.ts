import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { mustGit } from "../support/git.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { TestApp, useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { LfsClient, sha256 } from "../lfs/raw-lfs.ts";

/** What comes with a migration beside the history: LFS objects, wikis, files of releases, pull requests; from servers of the family and of GitHub. */

const loopback = { outbound: { allowed_networks: ["127.0.0.0/8", "::1"] } };
const app = await useTestApp({ ...loopback, attachments: { file_limit_bytes: 10_000 } });
const alice = await app.user("alice");
const other = await TestApp.start(loopback);
const [carol, dora] = [await other.user("carol"), await other.user("dora")];
const root = mkdtempSync(join(tmpdir(), "stithy-backend-"));
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

interface Failure {
  message: string;
}
interface Migration {
  step: string;
  state: string;
}
interface Release {
  id: number;
  tag_name: string;
  assets: { name: string; size: number; browser_download_url: string }[];
}

async function migrate(fields: Record<string, unknown>): Promise<Migration> {
  const { status, body } = await alice.api.post<Failure>("/repos/migrate", fields);
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined as never });
  const [last] = (await alice.api.get<Migration[]>("/user/migrations")).body;
  expect(last?.state).toBe("done");
  return last!;
}

const post = async <Body>(user: TestUser, path: string, fields: object): Promise<Body> => {
  const { status, body } = await user.api.post<Body>(path, fields);
  expect([path, status]).toEqual([path, path.endsWith("/reviews") || path.endsWith("/merge") ? 200 : 201]);
  return body;
};

const pointerTo = (content: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${content.length}\n`;

/** Gives a repository of another server an LFS object. */
async function upload(server: TestApp, user: TestUser, path: string, content: string): Promise<void> {
  const client = LfsClient.of(server, path, user.token);
  const { href, header } = await client.action("upload", sha256(content), content.length);
  expect((await fetch(href, { method: "PUT", body: content, headers: header })).status).toBe(200);
}

/** The content of a file over the API, with LFS objects in the place of their pointers. */
async function media(repository: string, path: string): Promise<string> {
  const response = await alice.api.fetch("GET", `/repos/${repository}/media/${path}`);
  return response.text();
}

describe("from a server of the family", () => {
  const at = "/repos/carol/forge";
  beforeAll(async () => {
    await other.repository(carol, "forge", { auto_init: true, private: true, default_branch: "main" });
    await other.forge.database.sql`insert into collaborator (repository_id, user_id, mode)
      select id, ${dora.id}, 2 from repository where name = 'forge'`;
    await upload(other, carol, "carol/forge", "large content");
    await commitFile(carol, "carol/forge", { path: "large.bin", text: pointerTo("large content") });
    await commitFile(carol, "carol/forge", { path: "gone.bin", text: pointerTo("never uploaded") });
    await post(carol, `${at}/wiki/new`, { title: "Home", content_base64: btoa("# Welcome"), message: "Begin" });
    const release = await post<Release>(carol, `${at}/releases`, { tag_name: "v1", target_commitish: "main" });
    for (const [name, text] of [
      ["small.txt", "a file"],
      ["big.txt", "x".repeat(20_000)],
    ] as const) {
      const form = new FormData();
      form.append("attachment", new File([text], name));
      const sent = await fetch(`${other.url}/api/v1${at}/releases/${release.id}/assets`, {
        method: "POST",
        headers: { authorization: `token ${carol.token}` },
        body: form,
      });
      expect(sent.status).toBe(201);
    }
    await post(carol, `${at}/labels`, { name: "bug", color: "#ff0000" });
    await post(carol, `${at}/issues`, { title: "An issue" });
    for (const [branch, title] of [
      ["merged", "To be merged"],
      ["open", "Still open"],
      ["closed", "Not wanted"],
    ] as const) {
      await commitFile(carol, "carol/forge", { path: `${branch}.txt`, text: "one\ntwo\n", branch, from: "main" });
      await post(carol, `${at}/pulls`, { title, head: branch, base: "main", body: `Body of ${branch}` });
    }
    await post(dora, `${at}/pulls/2/reviews`, { event: "APPROVED", body: "Fine" });
    await post(dora, `${at}/pulls/3/reviews`, {
      event: "REQUEST_CHANGES",
      body: "Not yet",
      comments: [{ path: "open.txt", body: "This line", new_position: 2 }],
    });
    await post(dora, `${at}/issues/3/comments`, { body: "A comment" });
    await post(carol, `${at}/pulls/2/merge`, { Do: "merge", delete_branch_after_merge: true });
    await carol.api.patch(`${at}/pulls/4`, { state: "closed" });
  });

  const everything = {
    auth_token: carol.token,
    service: "gitea",
    labels: true,
    milestones: true,
    issues: true,
    pull_requests: true,
    releases: true,
    wiki: true,
    lfs: true,
  };

  test("all of it comes, and what cannot come is told", async () => {
    const { step } = await migrate({
      ...everything,
      clone_addr: `${other.url}/carol/forge.git`,
      repo_name: "whole",
      private: true,
    });
    expect(step).toBe(
      "done, but for 1 LFS objects that are not there any more, and 1 files of releases that this server does not take, to which the releases lead",
    );
    const there = "/repos/alice/whole";
    expect(await media("alice/whole", "large.bin")).toBe("large content");
    const page = await alice.api.get<{ content_base64: string }>(`${there}/wiki/page/Home`);
    expect(atob(page.body.content_base64)).toBe("# Welcome");

    const [release] = (await alice.api.get<Release[]>(`${there}/releases`)).body;
    expect(release?.tag_name).toBe("v1");
    const [small, big] = release!.assets.toSorted((a, b) => b.name.localeCompare(a.name));
    expect([small?.name, small?.size, big?.name]).toEqual(["small.txt", 6, "big.txt"]);
    const authorization = `token ${alice.token}`;
    expect(await (await fetch(small!.browser_download_url, { headers: { authorization } })).text()).toBe("a file");
    expect(big!.browser_download_url).toStartWith(other.url);

    const pulls = (await alice.api.get<PullJson[]>(`${there}/pulls?state=all&sort=oldest`)).body;
    expect(pulls.map(({ number, title, state, merged }) => ({ number, title, state, merged }))).toEqual([
      { number: 2, title: "To be merged", state: "closed", merged: true },
      { number: 3, title: "Still open", state: "open", merged: false },
      { number: 4, title: "Not wanted", state: "closed", merged: false },
    ]);
    const theirs = (await carol.api.get<PullJson[]>(`${at}/pulls?state=all&sort=oldest`)).body;
    const shown = ({ state, head, base, additions, deletions, changed_files, merge_base, mergeable }: PullJson) => ({
      head: [head.ref, head.sha],
      base: base.ref,
      mergeable: state === "open" && mergeable,
      merge_base,
      changes: [additions, deletions, changed_files],
    });
    expect(pulls.map(shown)).toEqual(theirs.map(shown));
    for (const { number } of theirs) {
      const patch = async (user: TestUser, path: string) =>
        (await user.api.fetch("GET", `${path}/pulls/${number}.diff`)).text();
      expect(await patch(alice, there)).toBe(await patch(carol, at));
    }
    expect(pulls[1]!.body).toMatch(/^\*Written by carol there on \d{4}-\d\d-\d\d\*\n\nBody of open$/);

    interface Review {
      id: number;
      state: string;
      body: string;
      official: boolean;
      comments_count: number;
      submitted_at: string;
    }
    const reviewsOf = async (user: TestUser, path: string) => (await user.api.get<Review[]>(`${path}/reviews`)).body;
    const [review] = await reviewsOf(alice, `${there}/pulls/3`);
    const [source] = await reviewsOf(carol, `${at}/pulls/3`);
    expect(review).toMatchObject({ state: "REQUEST_CHANGES", official: false, comments_count: 1 });
    expect(review!.submitted_at).toBe(source!.submitted_at);
    expect(review!.body).toEndWith("\n\nNot yet");
    expect(review!.body).toStartWith("*Written by dora there");
    const lines = await alice.api.get(`${there}/pulls/3/reviews/${review!.id}/comments`);
    expect(lines.body).toMatchObject([{ path: "open.txt", position: 2, body: expect.stringContaining("This line") }]);
    expect((await reviewsOf(alice, `${there}/pulls/2`)).map(({ state }) => state)).toEqual(["APPROVED"]);
    const comments = (await alice.api.get<{ body: string }[]>(`${there}/issues/3/comments`)).body;
    expect(comments.map(({ body }) => body.split("\n\n")[1])).toEqual(["A comment"]);
    const timeline = await alice.api.get<{ type: string }[]>(`${there}/issues/3/timeline`);
    expect(timeline.body.map(({ type }) => type).toSorted()).toEqual(["code", "comment", "review"]);

    // It goes on here: the open one follows its branch, and can be merged.
    await commitFile(alice, "alice/whole", { path: "more.txt", text: "more", branch: "open" });
    await until("the head has followed", async () => {
      const { body } = await alice.api.get<PullJson>(`${there}/pulls/3`);
      return body.head.sha !== pulls[1]!.head.sha && body.mergeable;
    });
    await post(alice, `${there}/pulls/3/merge`, { Do: "squash" });
    expect((await alice.api.get<PullJson>(`${there}/pulls/3`)).body.merged).toBe(true);
    expect((await post<{ number: number }>(alice, `${there}/issues`, { title: "Next" })).number).toBe(5);
    const { body: repository } = await alice.api.get<Record<string, number>>(there);
    expect([repository["open_issues_count"], repository["open_pr_counter"]]).toEqual([2, 0]);
  });

  test("pull requests alone: the numbers of the issues stay free, and a head that is gone makes an issue", async () => {
    // A head that is nowhere: as servers lose them when a fork is deleted.
    await using hop = new GitHttpBackend({ root });
    hop.intercept = async (request) => {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(`${other.url}${pathname}${search}`, {
        method: request.method,
        body: request.method === "POST" ? await request.arrayBuffer() : null,
        headers: {
          "content-type": request.headers.get("content-type") ?? "",
          authorization: request.headers.get("authorization") ?? "",
        },
      });
      if (!pathname.endsWith("/pulls")) {
        return answer;
      }
      const pulls = (await answer.json()) as PullJson[];
      const gone = { ...pulls[0]!, number: 9, title: "Lost", head: { ...pulls[0]!.head, sha: "1".repeat(40) } };
      return Response.json([...pulls, gone]);
    };
    const { step } = await migrate({
      auth_token: carol.token,
      service: "gitea",
      clone_addr: `${hop.url}/carol/forge.git`,
      repo_name: "pulls",
      pull_requests: true,
    });
    expect(step).toBe("done, but for 1 pull requests whose commits are gone, which are issues here");
    expect((await alice.api.get("/repos/alice/pulls/issues/1")).status).toBe(404);
    expect((await alice.api.get("/repos/alice/pulls/pulls/3")).body).toMatchObject({ title: "Still open" });
    const { body } = await alice.api.get<{ pull_request: unknown }>("/repos/alice/pulls/issues/9");
    expect(body).toMatchObject({ title: "Lost", pull_request: null });
  });

  test("a mirror goes on following the LFS objects and the wiki", async () => {
    await migrate({
      auth_token: carol.token,
      clone_addr: `${other.url}/carol/forge.git`,
      repo_name: "mirrored",
      mirror: true,
      lfs: true,
      wiki: true,
    });
    await upload(other, carol, "carol/forge", "second content");
    await commitFile(carol, "carol/forge", { path: "second.bin", text: pointerTo("second content") });
    await post(carol, `${at}/wiki/new`, { title: "More", content_base64: btoa("More"), message: "More" });
    expect((await alice.api.post("/repos/alice/mirrored/mirror-sync")).status).toBe(200);
    await until("both are there", async () => {
      const page = await alice.api.get("/repos/alice/mirrored/wiki/page/More");
      return page.status === 200 && (await media("alice/mirrored", "second.bin")) === "second content";
    });
  });

  test("a push mirror takes the LFS objects along that its branches need, before the commits", async () => {
    await other.repository(carol, "copy");
    await app.repository(alice, "origin", { auto_init: true, default_branch: "main" });
    for (const [branch, content] of [
      ["main", "of main"],
      ["secret", "of the other branch"],
    ] as const) {
      await upload(app, alice, "alice/origin", content);
      const from = branch === "main" ? {} : { from: "main" };
      await commitFile(alice, "alice/origin", { path: `${branch}.bin`, text: pointerTo(content), branch, ...from });
    }
    const mirror = {
      remote_address: `${other.url}/carol/copy.git`,
      remote_username: "carol",
      remote_password: carol.token,
      branch_filter: "main",
      sync_on_commit: true,
    };
    expect((await alice.api.post("/repos/alice/origin/push_mirrors", mirror)).status).toBe(200);
    const there = async (path: string) => (await carol.api.fetch("GET", `/repos/carol/copy/media/${path}`)).text();
    await until("it is there", async () => (await there("main.bin")) === "of main");
    const asked = LfsClient.of(other, "carol/copy", carol.token);
    const hidden = await asked.ask("download", sha256("of the other branch"), "of the other branch".length);
    expect(hidden.error?.code).toBe(404);
    await upload(app, alice, "alice/origin", "later");
    await commitFile(alice, "alice/origin", { path: "later.bin", text: pointerTo("later") });
    await until("the next one is there", async () => (await there("later.bin")) === "later");
  });
});

test("LFS objects that are forged, refused or elsewhere: nothing of them is taken, and a lost server is told", async () => {
  using tree = await GitWorkTree.create("main");
  await tree.write("a.bin", pointerTo("right content"));
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", "Pointer");
  await mustGit(root, ["clone", "-q", "--mirror", tree.directory, "lfs.git"]);
  await using hop = new GitHttpBackend({ root });
  const seen: (string | null)[] = [];
  await using elsewhere = new GitHttpBackend({ root });
  elsewhere.intercept = (request) => {
    seen.push(request.headers.get("authorization"));
    return new Response("right content");
  };
  const oid = sha256("right content");
  const answers = (object: object) =>
    Response.json({ objects: [{ oid, size: 13, ...object }] }, { headers: { "content-type": "application/json" } });
  const download = (href: string) => answers({ actions: { download: { href } } });
  let batch: () => Response = () => new Response("", { status: 501 });
  let content: () => Response = () => new Response("wrong content");
  hop.intercept = (request) => {
    const { pathname } = new URL(request.url);
    return pathname.endsWith("/objects/batch") ? batch() : pathname.endsWith("/object") ? content() : null;
  };
  const request = {
    clone_addr: `${hop.url}/lfs.git`,
    repo_name: "forged",
    lfs: true,
    auth_username: "ann",
    auth_password: "pass",
  };
  const here = `${hop.url}/object`;
  for (const [answer, words] of [
    [() => new Response("", { status: 501 }), "status 501"],
    [() => new Response("what?"), "no list of LFS objects"],
    [() => answers({ error: { code: 422, message: "no" } }), "cannot be had: no"],
    [() => answers({}), "does not say from where"],
    [() => download(here), "SHA-256"],
    [() => download("http://10.0.0.1/object"), "outbound.allowed_networks"],
    [() => download("file:///etc/passwd"), "not an http or https address"],
  ] as const) {
    batch = answer;
    const { status, body } = await alice.api.post<Failure>("/repos/migrate", request);
    expect([status, body.message]).toEqual([422, expect.stringContaining(words)]);
    expect((await alice.api.get("/repos/alice/forged")).status).toBe(404);
  }
  content = () => new Response("right content and more");
  batch = () => download(here);
  expect((await alice.api.post<Failure>("/repos/migrate", request)).body.message).toContain("larger than the limit");
  // What signs in here is told to no other server.
  batch = () => download(`${elsewhere.url}/x`);
  await migrate(request);
  expect(seen).toEqual([null]);
  expect(await media("alice/forged", "a.bin")).toBe("right content");
});

describe("over the git protocol", () => {
  let server: Server;
  let url = "";
  beforeAll(async () => {
    using tree = await GitWorkTree.create("main");
    await tree.write("a.txt", "a");
    await tree.git("add", "-A");
    await tree.git("commit", "-qm", "First");
    await mustGit(root, ["clone", "-q", "--mirror", tree.directory, "plain.git"]);
    server = createServer({ allowHalfOpen: true }, (socket) => {
      const daemon = spawn("git", ["daemon", "--inetd", "--export-all", `--base-path=${root}`, root]);
      socket.pipe(daemon.stdin);
      daemon.stdout.pipe(socket);
      [socket, daemon, daemon.stdin, daemon.stdout].forEach((one) => one.on("error", () => {}));
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    url = `git://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterAll(() => void server.close());

  test("a repository comes, and one that is not there is told", async () => {
    await migrate({ clone_addr: `${url}/plain.git`, repo_name: "plain", mirror: true });
    const { body } = await alice.api.get<{ content: string }>("/repos/alice/plain/contents/a.txt");
    expect(atob(body.content)).toBe("a");
    const none = await alice.api.post<Failure>("/repos/migrate", { clone_addr: `${url}/none.git`, repo_name: "none" });
    expect(none.status).toBe(422);
    const zero = await alice.api.post<Failure>("/repos/migrate", { clone_addr: `${url}/a%00b`, repo_name: "none" });
    expect([zero.status, zero.body.message]).toEqual([422, expect.stringContaining("zero byte")]);
  });

  test("nothing is pushed over it", async () => {
    const { status, body } = await alice.api.post<Failure>("/repos/alice/plain/push_mirrors", {
      remote_address: `${url}/plain.git`,
    });
    expect([status, body.message]).toEqual([422, expect.stringContaining("git protocol")]);
  });
});
