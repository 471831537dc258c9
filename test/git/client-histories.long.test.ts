import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { SshKeyPair } from "../support/ssh.ts";

/** Clones that hold a part of a history and get more of it, by the real git from the running server and from git itself. */

const app = await useTestApp({ ssh: { enabled: true }, git: { hidden_refs: ["refs/secret/"] } });
const alice = await app.user("alice");
const scratch = new Scratch();
const key = new SshKeyPair();
const history = scratch.join("history.git");
const inHistory = (...args: string[]) => mustGit(history, args);
await key.addTo(alice);
await app.repository(alice, "history");
const overHttp = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/history.git`;
const overSsh = `${app.ssh}/alice/history.git`;
const ofGit = `file://${history}`;

/** Forty commits with a merge now and then, a second apart, each with files of its own, and a branch of four beside them. */
function stream(): string {
  const lines: string[] = [];
  for (let mark = 1; mark <= 40; mark++) {
    const file = `line of ${mark}\n`.repeat(20 + mark);
    const parents =
      mark === 1
        ? []
        : mark % 5 === 0
          ? [`from :${mark - 1}`, `merge :${mark - 3}`]
          : [`from :${mark % 5 === 4 ? mark - 2 : mark - 1}`];
    const change = (path: string) => [`M 100644 inline ${path}`, `data ${file.length}`, file];
    lines.push(
      "commit refs/heads/main",
      `mark :${mark}`,
      `committer A <a@example.org> ${1_700_000_000 + mark} +0000`,
      "data 1",
      "m",
      ...parents,
      ...change(`dir-${mark % 4}/file-${mark % 7}`),
      ...change("always"),
    );
  }
  for (let mark = 41; mark <= 44; mark++) {
    lines.push(
      "commit refs/heads/side",
      `mark :${mark}`,
      `committer A <a@example.org> ${1_700_000_000 + mark} +0000`,
      "data 1",
      "s",
      `from :${mark === 41 ? 10 : mark - 1}`,
    );
  }
  return `${lines.join("\n")}\nreset refs/tags/middle\nfrom :30\n\n`;
}

beforeAll(async () => {
  await mustGit(scratch.path, ["init", "-q", "--bare", "-b", "main", history]);
  await mustGit(history, ["fast-import", "--quiet"], { input: stream() });
  await mustGit(history, ["config", "uploadpack.allowFilter", "true"]);
  await inHistory("push", "-q", overHttp, "main", "side", "middle");
});

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

let made = 0;
const folder = () => scratch.join(`clone-${++made}`);
const variants = [
  [0, "HTTP", overHttp],
  [1, "HTTP", overHttp],
  [2, "HTTP", overHttp],
  [0, "SSH", overSsh],
  [2, "SSH", overSsh],
] as const;

/** What git shows of a clone: its commits, where they end, and that nothing is missing. */
async function shapeOf(clone: string): Promise<object> {
  await mustGit(clone, ["fsck", "--connectivity-only"]);
  const shallow = (await mustGit(clone, ["rev-parse", "--is-shallow-repository"])) === "true";
  return {
    commits: (await mustGit(clone, ["rev-list", "origin/main"])).split("\n").sort(),
    boundary: shallow ? readFileSync(`${clone}/.git/shallow`, "utf8").trim().split("\n").sort() : [],
  };
}

describe.each(variants)("protocol version %d over %s", (version, _transport, url) => {
  const git = (cwd: string, ...args: string[]) =>
    mustGit(cwd, ["-c", `protocol.version=${version}`, ...args], { env: key.env });
  const clone = async (from: string, ...args: string[]): Promise<string> => {
    const path = folder();
    await git(
      scratch.path,
      "clone",
      "-q",
      "--no-checkout",
      "--no-tags",
      "--single-branch",
      "-b",
      "main",
      ...args,
      from,
      path,
    );
    return path;
  };

  test("a shallow clone is deepened, bounded by a date and by a tag, and made whole, as from git", async () => {
    const date = await inHistory("log", "-1", "--format=%ct", "main~2");
    const steps = [
      ["--depth=3"],
      ["--deepen=2"],
      ["--depth=2"],
      [`--shallow-since=${date}`],
      ["--shallow-exclude=middle"],
      ["--unshallow"],
    ];
    const [ours, theirs] = await Promise.all([clone(url, "--depth=1"), clone(ofGit, "--depth=1")]);
    expect(await shapeOf(ours)).toEqual(await shapeOf(theirs));
    for (const step of steps) {
      await Promise.all([ours, theirs].map((path) => git(path, "fetch", "-q", "--no-tags", ...step, "origin", "main")));
      expect([step, await shapeOf(ours)]).toEqual([step, await shapeOf(theirs)]);
    }
    expect((await git(ours, "rev-list", "--count", "--all")).trim()).toBe(
      await inHistory("rev-list", "--count", "main"),
    );
  });

  test("deepening by some commits moves the ends of branches that are not fetched, too, as git does it", async () => {
    const ends = async (from: string) => {
      const path = folder();
      await git(scratch.path, "clone", "-q", "--bare", "--depth=2", "--no-single-branch", from, path);
      await git(path, "fetch", "-q", "--deepen=1", "origin", "main");
      await mustGit(path, ["fsck", "--connectivity-only"]);
      return {
        boundary: readFileSync(`${path}/shallow`, "utf8").trim().split("\n").sort(),
        side: await mustGit(path, ["rev-list", "--count", "side"]),
      };
    };
    const [ours, theirs] = await Promise.all([ends(url), ends(ofGit)]);
    expect(ours).toEqual(theirs);
    expect(ours.side).toBe("3");
  });

  test("a partial clone gets what it lacks when other commits are checked out, and is filled by a refetch", async () => {
    const path = await clone(url, "--filter=blob:none");
    const missing = async (): Promise<number> =>
      (await git(path, "rev-list", "--objects", "--all", "--missing=print"))
        .split("\n")
        .filter((line) => line.startsWith("?")).length;
    const atFirst = await missing();
    expect(atFirst).toBeGreaterThan(20);
    for (const commit of ["main", "main~3", "middle"]) {
      await git(path, "checkout", "-q", "--detach", await inHistory("rev-parse", commit));
      expect(await git(path, "status", "--porcelain", "--ignore-submodules")).toBe("");
    }
    expect(await missing()).toBeLessThan(atFirst);
    await git(path, "log", "-p", "--max-count=5", "main~5");
    await git(
      path,
      "-c",
      "fetch.negotiationAlgorithm=default",
      "fetch",
      "-q",
      "--refetch",
      "--no-filter",
      "origin",
      "main",
    );
    expect(await missing()).toBe(0);
    await git(path, "fsck", "--full");
  });
});

test("a shallow clone pushes what it made; to a repository that lacks what lies below it is refused", async () => {
  await app.repository(alice, "other");
  const path = folder();
  await mustGit(scratch.path, ["clone", "-q", "--depth=2", "-b", "main", overHttp, path]);
  await mustGit(path, ["commit", "-q", "--allow-empty", "-m", "made in a shallow clone"]);
  const made = await mustGit(path, ["rev-parse", "HEAD"]);
  for (const [index, url] of [overHttp, overSsh].entries()) {
    await mustGit(path, ["push", "-q", url, `HEAD:refs/heads/from-shallow-${index}`], { env: key.env });
    expect(await mustGit(path, ["ls-remote", url, `refs/heads/from-shallow-${index}`], { env: key.env })).toStartWith(
      made,
    );
  }
  const elsewhere = await runGit(path, ["push", overHttp.replace("history.git", "other.git"), "HEAD:refs/heads/main"]);
  expect(elsewhere.stderr).toContain("remote unpack failed: Cannot find the object");
});

describe("hidden refs", () => {
  test("are neither pushed, nor seen, nor served by their oid", async () => {
    const secret = await inHistory("commit-tree", "-m", "secret", "main^{tree}");
    const pushed = await runGit(history, ["push", overHttp, `${secret}:refs/secret/one`]);
    expect(pushed.stderr).toContain("deny updating a hidden ref");
    // As the server's own code puts one there.
    await mustGit(history, ["push", "-q", overHttp, `${secret}:refs/heads/once`]);
    await app.forge.database.sql`update ref set name = 'refs/secret/one' where name = 'refs/heads/once'`;
    await app.forge.database.sql`update repository set generation = generation + 1 where name = 'history'`;
    for (const [version, , url] of variants) {
      const git = (...args: string[]) =>
        runGit(scratch.path, ["-c", `protocol.version=${version}`, ...args], { env: key.env });
      expect((await git("ls-remote", url)).stdout).not.toContain("secret");
      const path = folder();
      await mustGit(scratch.path, ["init", "-q", "--bare", path]);
      const fetched = await git("-C", path, "fetch", "-q", url, secret);
      expect(fetched.stderr).toContain(`not our ref ${secret}`);
      const named = await git("-C", path, "fetch", "-q", url, "refs/secret/one");
      expect(named.stderr).toContain("couldn't find remote ref");
    }
  });
});
