import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

interface CommitJson {
  sha: string;
  commit: {
    message: string;
    author: { date: string };
    committer: { date: string };
    verification: { reason: string; signature: string; payload: string } | null;
  };
  author: { login: string } | null;
  parents: { sha: string }[];
  files: { filename: string; status: string }[] | null;
  stats: { total: number; additions: number; deletions: number } | null;
}

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("ann");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/history";

beforeAll(async () => {
  await app.repository(alice, "history");
  await work.write("a.txt", "one\ntwo\n");
  await work.write("dir/b ü.txt", "b\n");
  await work.commit("root");
  for (let number = 1; number <= 34; number++) {
    await work.write("a.txt", Array.from({ length: number }, (_, line) => `line ${line * (number % 3)}\n`).join(""));
    await work.write(number % 2 === 0 ? "dir/even" : "dir/odd", `${number}\n`);
    await work.commit(`change ${number}\n\nwith a body`);
    if (number === 20) {
      await work.git("branch", "side");
    }
  }
  await work.git("checkout", "-q", "side");
  await work.write("side.txt", "side\n");
  await work.commit("on the side");
  await work.git("rm", "-q", "dir/b ü.txt");
  await work.commit("without b");
  await work.git("checkout", "-q", "main");
  await work.git("merge", "-q", "--no-ff", "-m", "merge", "side");
  await work.push(`${app.url}/alice/history.git`, alice.token, "main", "side", "main~30:refs/heads/old");
});

const oids = async (...args: string[]) => (await work.git("log", "--format=%H", ...args)).split("\n").filter(Boolean);
const shas = (body: CommitJson[]) => body.map((commit) => commit.sha);

describe("a list", () => {
  test("has the commits that git log has, in its order, in pages", async () => {
    const expected = await oids("main");
    const { body, headers } = await app.anonymous.get<CommitJson[]>(`${base}/commits`);
    expect(shas(body)).toEqual(expected.slice(0, 30));
    expect(headers.get("x-total-count")).toBe(String(expected.length));
    expect(headers.get("link")).toContain('rel="next"');
    expect(shas((await app.anonymous.get<CommitJson[]>(`${base}/commits?page=2`)).body)).toEqual(expected.slice(30));
    expect(shas((await app.anonymous.get<CommitJson[]>(`${base}/commits?page=4&limit=5`)).body)).toEqual(
      expected.slice(15, 20),
    );
    expect((await app.anonymous.get(`${base}/commits?page=99`)).body).toEqual([]);
  });

  test("has the files and line counts that git has, against the first parent", async () => {
    const { body } = await app.anonymous.get<CommitJson[]>(`${base}/commits?limit=50`);
    const letters: Record<string, string> = { A: "added", D: "removed", M: "modified" };
    for (const commit of body) {
      const range = commit.parents[0] === undefined ? ["--root"] : [commit.parents[0].sha];
      const output = await work.git(
        "diff-tree",
        "-r",
        "-z",
        "--no-commit-id",
        "--name-status",
        "--no-renames",
        ...range,
        commit.sha,
      );
      const fields = output.split("\0").filter(Boolean);
      const files = Array.from({ length: fields.length / 2 }, (_, index) => ({
        filename: fields[2 * index + 1],
        status: letters[fields[2 * index] ?? ""],
      }));
      expect([commit.sha, commit.files]).toEqual([commit.sha, files as CommitJson["files"]]);
      const numbers = await work.git(
        "diff-tree",
        "-r",
        "--no-commit-id",
        "--numstat",
        "--no-renames",
        ...range,
        commit.sha,
      );
      const sum = (column: number) =>
        numbers
          .split("\n")
          .filter(Boolean)
          .reduce((total, line) => total + Number(line.split("\t")[column]), 0);
      expect([commit.sha, commit.stats]).toEqual([
        commit.sha,
        { total: sum(0) + sum(1), additions: sum(0), deletions: sum(1) },
      ]);
    }
  });

  test("from a branch or commit, of a path, without what another branch has", async () => {
    const list = async (query: string) => {
      const { body, headers, status } = await app.anonymous.get<CommitJson[]>(`${base}/commits?limit=50&${query}`);
      expect(status).toBe(200);
      expect(headers.get("x-total-count")).toBe(String(body.length));
      return shas(body);
    };
    expect(await list("sha=side")).toEqual(await oids("side"));
    expect(await list(`sha=${(await oids("main~3"))[0]?.slice(0, 12)}`)).toEqual(await oids("main~3"));
    expect(await list("path=dir/even")).toEqual(await oids("main", "--", "dir/even"));
    expect(await list("path=dir")).toEqual(await oids("main", "--", "dir"));
    expect(await list(`path=${encodeURIComponent("dir/b ü.txt")}&sha=side`)).toEqual(
      await oids("side", "--", "dir/b ü.txt"),
    );
    expect(await list("not=side")).toEqual(await oids("main", "^side"));
    expect(await list("not=side,old&path=dir")).toEqual(await oids("main", "^side", "^main~30", "--", "dir"));
    expect(await list("sha=old&not=main")).toEqual([]);
  });

  test("leaves out what is switched off", async () => {
    const { body } = await app.anonymous.get<CommitJson[]>(
      `${base}/commits?limit=1&stat=false&verification=false&files=false`,
    );
    expect(body[0]).toMatchObject({ files: null, stats: null, commit: { verification: null } });
  });

  test("of what is not there", async () => {
    await app.repository(alice, "empty");
    expect((await app.anonymous.get("/repos/alice/empty/commits")).status).toBe(409);
    for (const query of ["sha=none", "not=none", "path=none", `sha=${"1".repeat(40)}`]) {
      expect([query, (await app.anonymous.get(`${base}/commits?${query}`)).status]).toEqual([query, 404]);
    }
    for (const query of ["page=x", "limit=1.5", "stat=maybe"]) {
      expect([query, (await app.anonymous.get(`${base}/commits?${query}`)).status]).toEqual([query, 422]);
    }
  });
});

describe("one", () => {
  test("whole, with the user whose address it has", async () => {
    const [sha = ""] = await oids("main~2");
    const [parent = ""] = await oids("main~3");
    const { status, body } = await app.anonymous.get(`${base}/git/commits/${sha}`);
    expect(status).toBe(200);
    const { author, ...rest } = redact(body) as { author: Record<string, unknown> };
    const url = `<url>/api/v1${base}/git/commits/${sha}`;
    const [authored, committed] = (await work.git("log", "-1", "--format=%aI %cI", sha)).split(" ");
    expect((body as CommitJson).commit.author.date).toBe(authored ?? "");
    expect((body as CommitJson).commit.committer.date).toBe(committed ?? "");
    expect(author["login"]).toBe("ann");
    expect(rest as unknown).toEqual({
      url,
      sha,
      created: "<time>",
      html_url: `<url>/alice/history/commit/${sha}`,
      commit: {
        url,
        author: { name: "Ann Author", email: "ann@example.com", date: "<time>" },
        committer: { name: "Carl Committer", email: "carl@example.com", date: "<time>" },
        message: "change 33\n\nwith a body\n",
        tree: { url: `<url>/api/v1${base}/git/trees/${sha}`, sha, created: "<time>" },
        verification: {
          verified: false,
          reason: "gpg.error.not_signed_commit",
          signature: "",
          signer: null,
          payload: "",
        },
      },
      committer: null,
      parents: [{ url: `<url>/api/v1${base}/git/commits/${parent}`, sha: parent, created: "<time>" }],
      files: [
        { filename: "a.txt", status: "modified" },
        { filename: "dir/odd", status: "modified" },
      ],
      stats: (body as CommitJson).stats,
    });
  });

  test("by branch and by the first digits; not at all", async () => {
    const [sha = ""] = await oids("side");
    for (const name of ["side", sha.slice(0, 7), sha, sha.toUpperCase()]) {
      expect([name, (await app.anonymous.get<CommitJson>(`${base}/git/commits/${name}`)).body.sha]).toEqual([
        name,
        sha,
      ]);
    }
    expect((await app.anonymous.get(`${base}/git/commits/none`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/git/commits/${encodeURIComponent("a..b")}`)).status).toBe(422);
    expect((await app.anonymous.get(`${base}/git/commits/${await work.git("rev-parse", "main^{tree}")}`)).status).toBe(
      404,
    );
  });

  test("that is signed shows its signature and what is signed, and is not called verified", async () => {
    const text = await work.git("cat-file", "commit", "main");
    const signature = "-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n";
    const header = `gpgsig ${signature.trimEnd().replaceAll("\n", "\n ")}\n \n`;
    await work.write("signed-commit", `${text.replace("\n\n", `\n${header}\n`)}\n`);
    const oid = await work.git("hash-object", "-t", "commit", "-w", "signed-commit");
    await work.push(`${app.url}/alice/history.git`, alice.token, `${oid}:refs/heads/signed`);
    const { body } = await app.anonymous.get<CommitJson>(`${base}/git/commits/${oid}`);
    expect(body.commit.verification).toMatchObject({
      verified: false,
      reason: "gpg.error.extract_sign",
      payload: `${text}\n`,
    });
    expect(body.commit.verification?.signature).toContain("iQEzBAABCAAdFiEE");
  });
});
