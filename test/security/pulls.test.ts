import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { PullsOf } from "../support/merges.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { isThorough } from "../support/thorough.ts";

/** Pull requests of somebody who means harm. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const mallory = await app.user("mallory");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";
const scratch = new Scratch();
const work = scratch.join("work");
const urlOf = ({ token }: TestUser, repository = "alice/site") =>
  `${app.url.replace("://", `://x:${token}@`)}/${repository}.git`;

afterAll(() => scratch[Symbol.dispose]());

beforeAll(async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "1\n2\n3\n");
  await mustGit(scratch.path, ["clone", "-q", urlOf(alice), work]);
});

const openBy = (user: TestUser, head: string, base = "main") =>
  user.api.post<PullJson>(`${at}/pulls`, { title: "Take it", head, base });

describe("a private fork", () => {
  let secret = "";
  let shown = "";
  let number = 0;

  beforeAll(async () => {
    expect((await bob.api.post(`${at}/forks`, { name: "hidden" })).status).toBe(202);
    await bob.api.patch("/repos/bob/hidden", { private: true });
    secret = await commitFile(bob, "bob/hidden", {
      path: "secret.txt",
      text: "secret\n",
      branch: "secret",
      from: "main",
    });
    shown = await commitFile(bob, "bob/hidden", { path: "shown.txt", text: "shown\n", branch: "shown", from: "main" });
    const opened = await openBy(bob, "bob/hidden:shown");
    expect(opened.status).toBe(201);
    ({ number } = opened.body);
  });

  test("is no head for those who may not read it, in the words for what is not there", async () => {
    const asked = async (head: string) => {
      const { status, body } = await openBy(mallory, head);
      return { status, message: body.message.replaceAll(head, "HEAD") };
    };
    const absent = await asked("bob/nothing:secret");
    expect(absent.status).toBe(404);
    for (const head of ["bob/hidden:secret", "bob:secret", "BOB/HIDDEN:main", "bob/hidden:nothing", "nobody:main"]) {
      expect({ head, ...(await asked(head)) }).toEqual({ head, ...absent });
    }
    for (const by of [`${at}/pulls/main/bob%2Fhidden:shown`, `${at}/compare/main...bob:shown`]) {
      expect({ by, status: (await mallory.api.get(by)).status }).toEqual({ by, status: 404 });
    }
    const listed = await mallory.api.get<PullJson[]>(`${at}/pulls?head=bob:secret`);
    expect(listed.body).toEqual([]);
  });

  test("shows through the parent what the pull request has, and nothing else", async () => {
    const { body } = await mallory.api.get<PullJson>(`${at}/pulls/${number}`);
    expect([body.head.sha, body.head.repo, body.head.repo_id]).toEqual([shown, null, -1]);
    expect(JSON.stringify(body)).not.toContain("hidden");
    const places = [
      `${at}/git/commits/${secret}`,
      `${at}/contents/secret.txt?ref=${secret}`,
      `${at}/raw/secret.txt?ref=${secret}`,
      `${at}/compare/main...${secret}`,
      `${at}/archive/${secret}.zip`,
      `${at}/git/trees/${secret}`,
      `${at}/statuses/${secret}`,
    ];
    for (const place of places.slice(0, -1)) {
      expect({ place, status: (await mallory.api.get(place)).status }).toEqual({ place, status: 404 });
    }
    const review = await mallory.api.post<{ message: string }>(`${at}/pulls/${number}/reviews`, {
      event: "COMMENT",
      body: "x",
      commit_id: secret,
    });
    expect([review.status, review.body.message]).toEqual([
      422,
      expect.stringContaining("is no commit of pull request") as never,
    ]);
    const fetched = await runGit(work, ["fetch", "-q", urlOf(mallory), secret]);
    expect(fetched.code).not.toBe(0);
    expect((await runGit(work, ["fetch", "-q", urlOf(mallory), shown])).code).toBe(0);
    const timeline = await mallory.api.get(`${at}/issues/${number}/timeline`);
    const feed = await mallory.api.get(`${at}/activities/feeds`);
    expect(JSON.stringify([timeline.body, feed.body])).not.toContain("hidden");
  });

  test("keeps its reviews and rules when it is merged: nothing of it opens", async () => {
    expect((await site.merge(number, { delete_branch_after_merge: true })).status).toBe(200);
    expect((await mallory.api.get("/repos/bob/hidden")).status).toBe(404);
    // Alice may not delete the branch of a repository that she may not write to.
    expect((await bob.api.get("/repos/bob/hidden/branches/shown")).status).toBe(200);
  });
});

describe("wrong heads and bases", () => {
  test.each([
    ["", 422],
    [":", 404],
    [":main", 404],
    ["alice:", 404],
    ["alice/site:", 404],
    ["alice/site/x:main", 404],
    ["alice/../hidden:main", 404],
    ["a:b:c", 404],
    ["refs/heads/main", 404],
    ["HEAD", 404],
    ["main^", 404],
    ["%2e%2e", 404],
    ["x".repeat(10_000), 422],
    [`${"x".repeat(5000)}:${"y".repeat(5000)}`, 422],
    ["main\0", 422],
    ["\ud800", 404],
  ] as const)("head %.20j", async (head, status) => {
    const answer = await openBy(bob, head);
    expect({ status: answer.status, short: (answer.body.message ?? "").length < 400 }).toEqual({ status, short: true });
  });
});

describe("merges that race", () => {
  /** All answers of the others, that of the merge, and what is there afterwards. */
  async function race(others: (pull: PullJson, branch: string) => Promise<{ status: number }>[]) {
    const branch = await site.branch();
    const pull = await site.open(branch);
    const [merge, ...answers] = await Promise.all([site.merge(pull.number, {}), ...others(pull, branch)]);
    const after = await alice.api.get<PullJson & { merge_commit_sha: string | null }>(`${at}/pulls/${pull.number}`);
    const file = (await alice.api.get(`${at}/contents/${branch}.txt`)).status === 200;
    return { merge: merge.status, answers: answers.map(({ status }) => status), after, file };
  }

  test("a deletion of the pull request: it is gone and not merged, or was merged before it went", async () => {
    for (let round = 0; round < 6; round++) {
      const { merge, answers, after, file } = await race(({ number }) => [alice.api.delete(`${at}/issues/${number}`)]);
      expect([200, 404, 409]).toContain(merge);
      expect([204, 409]).toContain(answers[0] ?? 0);
      expect(file).toBe(merge === 200);
      expect(after.status).toBe(answers[0] === 204 ? 404 : 200);
    }
  });

  test("the end of its branch, a close, and a new base", async () => {
    await site.branch({}, "main");
    for (let round = 0; round < 6; round++) {
      const { merge, answers, after, file } = await race(({ number }, branch) => [
        alice.api.delete(`${at}/branches/${branch}`),
        alice.api.patch(`${at}/pulls/${number}`, { state: "closed" }),
      ]);
      expect([200, 405, 409]).toContain(merge);
      for (const status of answers) {
        expect([201, 204, 404, 409, 412]).toContain(status);
      }
      expect([after.body.merged, file]).toEqual([merge === 200, merge === 200]);
      expect(after.body.state).toBe("closed");
    }
  });

  test("a rule: once it is there, nothing is merged against it", async () => {
    for (let round = 0; round < 6; round++) {
      const { merge, answers, after, file } = await race(() => [
        alice.api.post(`${at}/branch_protections`, { rule_name: "main", required_approvals: 1, apply_to_admins: true }),
      ]);
      expect(answers).toEqual([201]);
      expect([200, 403, 405]).toContain(merge);
      expect([after.body.merged, file]).toEqual([merge === 200, merge === 200]);
      const late = await site.open(await site.branch());
      expect((await site.merge(late.number, {})).status).not.toBe(200);
      await alice.api.delete(`${at}/branch_protections/main`);
    }
  });

  test("the archive, and the end of the repository", async () => {
    for (let round = 0; round < 6; round++) {
      const { merge, answers, after, file } = await race(() => [alice.api.patch(at, { archived: true })]);
      await alice.api.patch(at, { archived: false });
      expect([200, 423]).toContain(merge);
      expect(answers).toEqual([200]);
      expect([after.body.merged, file]).toEqual([merge === 200, merge === 200]);
    }
    await app.repository(alice, "short");
    const short = new PullsOf(app, alice, "alice/short");
    await short.write("a.txt", "a\n");
    const pulls = await Promise.all(
      [short.branch(), short.branch(), short.branch()].map(async (name) => short.open(await name)),
    );
    const [gone, ...merges] = await Promise.all([
      alice.api.delete("/repos/alice/short"),
      ...pulls.map(({ number }) => short.merge(number, {})),
    ]);
    expect(gone?.status).toBe(204);
    for (const { status } of merges) {
      expect([200, 404, 409]).toContain(status);
    }
  });
});

describe("trees that file systems cannot tell apart", () => {
  /** A branch with these files beside those of main, as git makes it. */
  async function branchOf(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(files).map(
      ([path, text]) => `M 100644 inline "${path}"\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    await mustGit(work, ["fetch", "-q", urlOf(alice), "+main:refs/heads/base"]);
    await mustGit(work, ["fast-import", "--quiet", "--force"], {
      input: `commit refs/heads/${name}\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/base\n${entries.join("")}`,
    });
    await mustGit(work, ["push", "-q", urlOf(alice), name]);
  }

  test.each([
    ["case", { "A.txt": "upper\n" }, { "a.TXT": "mixed\n" }],
    ["a folder and a file", { "Docs/x.txt": "x\n" }, { docs: "file\n" }],
    ["normal forms", { "caf\u00e9.txt": "nfc\n" }, { "cafe\u0301.txt": "nfd\n" }],
    ["what is ignored in names", { "zero\u200cwidth.txt": "1\n" }, { "zerowidth.txt": "2\n" }],
  ] as const)("%s: merged as git does", async (name, first, second) => {
    const topic = name.replaceAll(" ", "-");
    await branchOf(`${topic}-1`, first);
    await branchOf(`${topic}-2`, second);
    const pulls = [await site.open(`${topic}-1`), await site.open(`${topic}-2`)];
    for (const { number, head } of pulls) {
      await mustGit(work, ["fetch", "-q", urlOf(alice), "+main:refs/heads/base"]);
      const tree = await mustGit(work, ["merge-tree", "--write-tree", "base", head.sha]);
      expect((await site.merge(number, {})).status).toBe(200);
      await mustGit(work, ["fetch", "-q", urlOf(alice), "+main:refs/heads/base"]);
      expect(await mustGit(work, ["rev-parse", "base^{tree}"])).toBe(tree);
    }
  });

  test("a file in the way of a folder is a conflict, and what git would trip over is not taken", async () => {
    await branchOf("way-1", { "way/x.txt": "x\n" });
    await branchOf("way-2", { way: "file\n" });
    const [first, second] = [await site.open("way-1"), await site.open("way-2")];
    expect((await site.merge(first!.number, {})).status).toBe(200);
    expect((await site.merge(second!.number, {})).status).toBe(405);
    const names = [".git/config", ".GIT/config", ".git\u200c/config", "git~1/config", "../up"];
    for (const [index, path] of names.entries()) {
      const run = await branchOf(`bad-${index}`, { [path]: "x\n" }).then(
        () => "pushed",
        () => "refused",
      );
      expect({ path, run }).toEqual({ path, run: "refused" });
    }
    expect(await sql`select 1 from ref where name like 'refs/heads/bad-%'`).toHaveLength(0);
  });
});

if (isThorough()) {
  describe("huge diffs", () => {
    /** A branch whose one commit has these files, given as `fast-import` takes them. */
    async function push(branch: string, files: string): Promise<PullJson> {
      await mustGit(work, ["fetch", "-q", urlOf(alice), "+main:refs/heads/base"]);
      await mustGit(work, ["fast-import", "--quiet", "--force"], {
        input: `commit refs/heads/${branch}\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/base\n${files}`,
      });
      await mustGit(work, ["push", "-q", urlOf(alice), branch]);
      return site.open(branch);
    }

    test("of 10,000 files come in pages, and are merged", async () => {
      const names = Array.from({ length: 10_000 }, (_, index) => `many/${index % 100}/${index}.txt`);
      const { number, changed_files } = await push(
        "many",
        `${names.map((name, index) => `M 100644 inline ${name}\ndata ${String(index).length}\n${index}\n`).join("")}`,
      );
      expect(changed_files).toBe(10_000);
      const page = await alice.api.get<{ filename: string }[]>(`${at}/pulls/${number}/files?limit=50&page=200`);
      expect([page.status, page.body.length]).toEqual([200, 50]);
      const diff = await fetch(`${app.url}/api/v1${at}/pulls/${number}.diff`, {
        headers: { authorization: `token ${alice.token}` },
      });
      expect([diff.status, (await diff.text()).match(/^diff --git /gm)?.length]).toEqual([200, 10_000]);
      expect((await site.merge(number, {})).status).toBe(200);
    });

    test.each([
      ["that is compared", 8_000_000, 1],
      ["that is longer than what is compared", 20_000_000, 0],
    ] as const)("of one line %s", async (_, length, lines) => {
      const branch = `long-${length}`;
      const file = `M 100644 inline ${branch}.txt\ndata ${length}\n${randomBytes(length).toString("base64").slice(0, length)}\n`;
      const { number, additions } = await push(branch, file);
      expect(additions).toBe(lines);
      const pull = `${at}/pulls/${number}`;
      const files = await alice.api.get<{ additions: number }[]>(`${pull}/files`);
      expect([files.status, files.body.map((one) => one.additions)]).toEqual([200, [lines]]);
      const review = await alice.api.post<{ id: number }>(`${pull}/reviews`, {
        event: "COMMENT",
        body: "Long",
        comments: [{ path: `${branch}.txt`, new_position: 1, body: "Why?" }],
      });
      expect(review.status).toBe(lines === 1 ? 200 : 422);
      if (lines === 1) {
        const { body } = await alice.api.get<{ diff_hunk: string }[]>(`${pull}/reviews/${review.body.id}/comments`);
        expect(body.map(({ diff_hunk }) => diff_hunk.length < 100_000)).toEqual([true]);
      }
      const diff = await fetch(`${app.url}/api/v1${pull}.diff`, { headers: { authorization: `token ${alice.token}` } });
      expect(diff.status).toBe(200);
      await diff.body?.cancel();
      expect((await site.merge(number, {})).status).toBe(200);
    });
  });
}
