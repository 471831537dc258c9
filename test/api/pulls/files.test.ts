import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeTeam } from "../../support/team.ts";
import { GitWorkTree } from "../../support/git-work-tree.ts";
import { useTestApp } from "../../support/test-app.ts";

/** What a pull request changes: its files, its commits, and both as a text, compared with what git says of the same commits. */

interface FileJson {
  filename: string;
  previous_filename?: string;
  status: string;
  additions: number;
  deletions: number;
  changes: number;
}

interface CommitJson {
  sha: string;
  files: { filename: string; status: string }[] | null;
  stats: { additions: number; deletions: number; total: number };
  commit: { message: string; verification: { verified: boolean } | null };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/work";
const remote = `${app.url}/alice/work.git`;
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");

async function openPull(head: string, path = base): Promise<number> {
  const { status, body } = await alice.api.post<{ number: number }>(`${path}/pulls`, {
    title: head,
    head,
    base: "main",
  });
  expect(status).toBe(201);
  return body.number;
}

let pull = "";

beforeAll(async () => {
  await app.repository(alice, "work");
  await work.write("moved.txt", lines(30));
  await work.write("gone.txt", "gone\n");
  await work.write("run.sh", "#!/bin/sh\n");
  await work.write("spaces.txt", lines(3));
  await work.write("picture", new Uint8Array([1, 0, 2, 0, 3]));
  await work.commit("root");
  await work.git("checkout", "-q", "-b", "feature/one");
  await work.git("mv", "moved.txt", "where to?.txt");
  await work.write("where to?.txt", lines(30).replace("line 4\n", "LINE 4\n"));
  await work.git("add", "where to?.txt");
  await work.git("rm", "-q", "gone.txt");
  await work.git("update-index", "--chmod=+x", "run.sh");
  await work.git("commit", "-q", "-m", "Move, remove and make executable");
  await work.git("checkout", "-q", ".");
  await work.write("new b\u00e4r.txt", "new\n");
  await work.write("spaces.txt", lines(3).replaceAll(" ", "  "));
  await work.write("picture", new Uint8Array([1, 0, 2, 0, 4]));
  await work.commit("Tidy \u00fcp\n\nA body.");
  await work.git("checkout", "-q", "main");
  await work.write("main.txt", "main\n");
  await work.commit("on main");
  await work.push(remote, alice.token, "main", "feature/one");
  pull = `${base}/pulls/${await openPull("feature/one")}`;
});

const files = (query = "") => app.anonymous.get<FileJson[]>(`${pull}/files${query}`);
const text = async (path: string) => {
  const response = await app.anonymous.fetch("GET", path);
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};
/** Without the last line of each mail, which names the program that wrote it. */
const withoutSignatures = (mails: Buffer) => mails.toString().replaceAll(/^-- \n.*$/gm, "-- ");

describe("what may not be seen", () => {
  const rests = ["/files", "/commits", ".diff", ".patch"];

  test("is answered as what is not there", async () => {
    await app.repository(alice, "closed", { private: true });
    await work.push(`${app.url}/alice/closed.git`, alice.token, "main", "feature/one");
    const hidden = `/repos/alice/closed/pulls/${await openPull("feature/one", "/repos/alice/closed")}`;
    for (const rest of rests) {
      expect((await app.anonymous.get(`${hidden}${rest}`)).status).toBe(404);
      expect((await bob.api.get(`${hidden}${rest}`)).status).toBe(404);
      expect((await alice.api.get(`${hidden}${rest}`)).status).toBe(200);
      expect((await app.anonymous.get(`${base}/pulls/999${rest}`)).status).toBe(404);
    }
  });

  test("nor is the code for those who may read the pull requests alone", async () => {
    await app.organization("makers", alice);
    await app.repository(alice, "tool", { private: true }, "makers");
    await work.push(`${app.url}/makers/tool.git`, alice.token, "main", "feature/one");
    const tool = "/repos/makers/tool";
    const hidden = `${tool}/pulls/${await openPull("feature/one", tool)}`;
    const fields = { name: "talkers", permission: "read", units: ["repo.pulls"], includes_all_repositories: true };
    await makeTeam(alice, "makers", fields, [bob]);
    expect((await bob.api.get(tool)).status).toBe(200);
    for (const rest of rests) {
      expect((await bob.api.get(`${hidden}${rest}`)).status).toBe(404);
    }
  });

  test("nor by a token without the scope", async () => {
    const reader = await app.scoped(alice, "read:issue");
    for (const rest of rests) {
      expect((await reader.get(`${pull}${rest}`)).status).toBe(403);
    }
  });
});

describe("files", () => {
  test("are told with what became of them, renamed ones with their former name", async () => {
    const { status, headers, body } = await files();
    expect(status).toBe(200);
    expect(headers.get("x-total-count")).toBe("6");
    const head = await work.git("rev-parse", "feature/one");
    const of = (filename: string) => {
      const path = filename.split("/").map(encodeURIComponent).join("/");
      return {
        filename,
        html_url: `${app.url}/alice/work/src/commit/${head}/${path}`,
        contents_url: `${app.url}/api/v1/repos/alice/work/contents/${path}?ref=${head}`,
        raw_url: `${app.url}/api/v1/repos/alice/work/raw/${path}?ref=${head}`,
      };
    };
    expect(body as unknown).toEqual([
      { ...of("gone.txt"), status: "deleted", additions: 0, deletions: 1, changes: 1 },
      { ...of("new b\u00e4r.txt"), status: "added", additions: 1, deletions: 0, changes: 1 },
      { ...of("picture"), status: "changed", additions: 0, deletions: 0, changes: 0 },
      { ...of("run.sh"), status: "unchanged", additions: 0, deletions: 0, changes: 0 },
      { ...of("spaces.txt"), status: "changed", additions: 3, deletions: 3, changes: 6 },
      {
        ...of("where to?.txt"),
        previous_filename: "moved.txt",
        status: "renamed",
        additions: 1,
        deletions: 1,
        changes: 2,
      },
    ]);
    for (const { raw_url } of body.slice(1) as unknown as { raw_url: string }[]) {
      expect((await fetch(raw_url)).status).toBe(200);
    }
  });

  test("come in pages", async () => {
    const all = (await files()).body;
    const { headers, body } = await files("?limit=4&page=2");
    expect(body).toEqual(all.slice(4));
    expect(headers.get("x-total-count")).toBe("6");
    expect(headers.get("link")).toContain('rel="prev"');
    expect((await files("?page=9")).body).toEqual([]);
  });

  test("begin at the one that is asked for", async () => {
    const all = (await files()).body;
    const { headers, body } = await files("?skip-to=run.sh&limit=2");
    expect(body).toEqual(all.slice(3, 5));
    expect(headers.get("x-total-count")).toBe("3");
    const refused = await app.anonymous.get<{ message: string }>(`${pull}/files?skip-to=${"no".repeat(200)}`);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toStartWith("skip-to must name a file that the pull request changes");
    expect(refused.body.message.length).toBeLessThan(200);
  });

  test("are counted without whitespace where that is asked for", async () => {
    const spaces = async (whitespace: string) =>
      (await files(`?whitespace=${whitespace}`)).body.find(({ filename }) => filename === "spaces.txt");
    expect(await spaces("show-all")).toMatchObject({ status: "changed", changes: 6 });
    expect(await spaces("ignore-eol")).toMatchObject({ status: "changed", changes: 6 });
    expect(await spaces("ignore-change")).toMatchObject({ status: "unchanged", changes: 0 });
    expect(await spaces("ignore-all")).toMatchObject({ status: "unchanged", changes: 0 });
    expect((await app.anonymous.get(`${pull}/files?whitespace=some`)).status).toBe(422);
  });
});

describe("commits", () => {
  test("are those of the head alone, latest first, with files and lines", async () => {
    const { status, headers, body } = await app.anonymous.get<CommitJson[]>(`${pull}/commits`);
    expect(status).toBe(200);
    expect(headers.get("x-total-count")).toBe("2");
    expect(body.map(({ sha }) => sha)).toEqual((await work.git("rev-list", "main..feature/one")).split("\n"));
    expect(body[0]!.commit.message).toBe("Tidy \u00fcp\n\nA body.\n");
    expect(body[0]!.commit.verification).toMatchObject({ verified: false });
    expect(body[0]!.files).toEqual([
      { filename: "new b\u00e4r.txt", status: "added" },
      { filename: "picture", status: "modified" },
      { filename: "spaces.txt", status: "modified" },
    ]);
    expect(body[0]!.stats).toEqual({ additions: 4, deletions: 3, total: 7 });
  });

  test("are told without what is switched off, and in pages", async () => {
    const { body } = await app.anonymous.get<CommitJson[]>(
      `${pull}/commits?limit=1&page=2&files=false&verification=false`,
    );
    expect(body.map(({ sha }) => sha)).toEqual([await work.git("rev-parse", "feature/one~1")]);
    expect(body[0]).toMatchObject({ files: null, commit: { verification: null } });
  });
});

describe("the text", () => {
  test("as a diff is what git prints", async () => {
    const { status, headers, bytes } = await text(`${pull}.diff`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain;charset=utf-8");
    expect(bytes.toString()).toBe((await work.run(["diff", "main...feature/one"])).toString());
    expect(bytes.toString()).toContain("Binary files a/picture and b/picture differ\n");
    expect((await text(`${pull}.diff?binary=true`)).bytes.toString()).toBe(
      (await work.run(["diff", "--binary", "main...feature/one"])).toString(),
    );
  });

  test("as mails is what git prints, binary files among them", async () => {
    const { status, bytes } = await text(`${pull}.patch`);
    expect(status).toBe(200);
    expect(withoutSignatures(bytes)).toBe(
      withoutSignatures(await work.run(["format-patch", "--stdout", "main..feature/one"])),
    );
    expect(bytes.toString()).toContain("GIT binary patch");
  });

  test("is the same at the addresses that a pull request tells", async () => {
    const { body } = await app.anonymous.get<{ diff_url: string; patch_url: string }>(pull);
    for (const [address, kind] of [
      [body.diff_url, "diff"],
      [body.patch_url, "patch"],
    ] as const) {
      const response = await fetch(address);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe((await text(`${pull}.${kind}`)).bytes.toString());
    }
    expect((await fetch(`${body.diff_url}x`)).status).toBe(404);
    expect((await fetch(body.diff_url.replace("/alice/work/", "/alice/closed/"))).status).toBe(404);
  });

  test("is not sent again to those who have it", async () => {
    const etag = (await text(`${pull}.patch`)).headers.get("etag")!;
    const again = await app.anonymous.with({ "if-none-match": etag }).fetch("GET", `${pull}.patch`);
    expect(again.status).toBe(304);
    expect((await text(`${pull}.diff`)).headers.get("etag")).not.toBe(etag);
  });
});

test("a push to the head or the base is seen at once", async () => {
  await work.git("checkout", "-q", "-b", "moving", "main~1");
  await work.write("one.txt", "1\n");
  await work.commit("one");
  await work.push(remote, alice.token, "moving");
  const moving = `${base}/pulls/${await openPull("moving")}`;
  const shas = async () => (await app.anonymous.get<CommitJson[]>(`${moving}/commits`)).body.map(({ sha }) => sha);
  const names = async () => (await app.anonymous.get<FileJson[]>(`${moving}/files`)).body.map((file) => file.filename);
  expect(await shas()).toEqual([await work.git("rev-parse", "moving")]);
  await work.write("two.txt", "2\n");
  await work.commit("two");
  await work.push(remote, alice.token, "moving");
  expect(await shas()).toEqual((await work.git("rev-list", "main..moving")).split("\n"));
  expect(await names()).toEqual(["one.txt", "two.txt"]);
  await work.push(remote, alice.token, "moving~1:main", "-f");
  expect(await shas()).toEqual([await work.git("rev-parse", "moving")]);
  expect(await names()).toEqual(["two.txt"]);
});

describe("the pull request of a commit", () => {
  const found = (commit: string, caller = app.anonymous) =>
    caller.get<{ number: number }>(`${base}/commits/${encodeURIComponent(commit)}/pull`);

  test("is the one whose merge made it", async () => {
    const merge = await work.git("rev-parse", "main");
    const number = Number(pull.split("/").at(-1));
    const { sql } = app.forge.database;
    await sql`update pull set merged_at = now(), merge_commit_oid = decode(${merge}, 'hex') where issue_id =
      (select issue.id from issue join repository on repository.id = issue.repository_id
        where issue.number = ${number} and repository.name = 'work')`;
    await work.push(remote, alice.token, "main:merged");
    for (const commit of [merge, merge.slice(0, 9), "merged"]) {
      const { status, body } = await found(commit);
      expect([commit, status, body.number]).toEqual([commit, 200, number]);
    }
  });

  test("is none of other commits, nor of what is not there or may not be read", async () => {
    const commit = await work.git("rev-parse", "feature/one");
    for (const name of [commit, "feature/one", "nowhere", "f".repeat(40), ".."]) {
      expect((await found(name)).status).toBe(404);
    }
    expect((await app.anonymous.get("/repos/alice/closed/commits/main/pull")).status).toBe(404);
    expect((await found("main", await app.scoped(alice, "read:issue"))).status).toBe(403);
  });
});
