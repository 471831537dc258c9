import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";
import { repeated } from "../support/thorough.ts";

/** A repository of SHA-256, used by git over HTTP and SSH: what comes is what comes from the same repository on disk. */

const app = await useTestApp({ ssh: { enabled: true } });
const alice = await app.user("alice");
const scratch = new Scratch();
const key = new SshKeyPair();
await key.addTo(alice);
const { env } = key;
afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});
const overHttp = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
const overSsh = (name: string) => `${app.ssh}/alice/${name}.git`;
const work = scratch.join("work");
const plain = scratch.join("plain.git");
let made = 0;
const started = 1_700_000_000;

const git = (cwd: string, ...args: string[]) => mustGit(cwd, args, { env });

beforeAll(async () => {
  await git(scratch.path, "init", "-q", "-b", "main", "--object-format=sha256", work);
  for (let round = 0; round < 12; round++) {
    writeFileSync(join(work, "file.txt"), `${"a line\n".repeat(300)}${round}\n`);
    writeFileSync(join(work, `large-${round % 4}.txt`), `${`something ${round}\n`.repeat(3000)}`);
    await git(work, "add", "-A");
    await mustGit(work, ["commit", "-q", "-m", `commit ${round}`], {
      env: { GIT_COMMITTER_DATE: `${started + round * 86_400} +0000` },
    });
    if (round % 4 === 1) {
      await git(work, "tag", "-a", "-m", `tag ${round}`, `v${round}`);
      await git(work, "branch", `side-${round}`);
    }
  }
  await git(work, "checkout", "-q", "-b", "topic", "main~6");
  writeFileSync(join(work, "topic.txt"), "topic\n");
  await git(work, "add", "-A");
  await git(work, "commit", "-q", "-m", "topic");
  await git(work, "checkout", "-q", "main");
  await git(work, "merge", "-q", "--no-ff", "-m", "merge", "topic");
  await git(work, "clone", "-q", "--mirror", ".", plain);
  await git(plain, "config", "uploadpack.allowFilter", "true");
  await git(plain, "config", "uploadpack.allowAnySHA1InWant", "true");
});

const state = async (clone: string) => {
  const gitDirectory = (await git(clone, "rev-parse", "--absolute-git-dir")).trim();
  const shallow = join(gitDirectory, "shallow");
  return {
    refs: await git(clone, "for-each-ref", "--format=%(objectname) %(refname) %(*objectname)"),
    objects: (
      await git(clone, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
    )
      .split("\n")
      .sort(),
    shallow: existsSync(shallow) ? readFileSync(shallow, "utf8").split("\n").sort() : [],
  };
};

describe.each([
  ["HTTP", overHttp, repeated([2, 0], 1)],
  ["SSH", overSsh, [1]],
] as const)("over %s", (transport, urlOf, versions) => {
  const name = `all-${transport.toLowerCase()}`;
  beforeAll(async () => {
    await app.repository(alice, name, { object_format_name: "sha256", default_branch: "main" });
    await git(work, "push", "-q", "--mirror", urlOf(name));
  });

  test.each([...versions])("protocol %d: clones, deepened and partial ones, and fetches", async (version) => {
    const v = ["-c", `protocol.version=${version}`, "-c", "fetch.writeCommitGraph=false", "-c", "gc.auto=0"];
    const clones: [string, string[], string[][]][] = [
      ["mirror", ["--mirror"], []],
      [
        "bare branch",
        ["--bare", "--single-branch", "--branch", "topic"],
        [["fetch", "-q", "origin", "+refs/heads/*:refs/heads/*"]],
      ],
      [
        "shallow",
        ["--bare", "--depth=2"],
        [
          ["fetch", "-q", "--deepen=2", "origin", "main"],
          ["fetch", "-q", "--unshallow", "origin", "main"],
        ],
      ],
      [
        "since",
        ["--bare", `--shallow-since=@${started + 7 * 86_400}`],
        [["fetch", "-q", "--unshallow", "origin", "main"]],
      ],
      ["exclude", ["--bare", "--shallow-exclude=v5", "--no-single-branch"], []],
      ["no blobs", ["--bare", "--filter=blob:none"], []],
      ["small blobs", ["--bare", "--filter=blob:limit=5k"], []],
      ["no trees", ["--bare", "--filter=tree:0", "--depth=3"], []],
    ];
    for (const [what, args, later] of clones) {
      const [ours, theirs] = [`${name}-${version}-${++made}-ours`, `${name}-${version}-${made}-theirs`].map((one) =>
        scratch.join(one),
      );
      await git(scratch.path, ...v, "clone", "-q", ...args, urlOf(name), ours!);
      await git(scratch.path, ...v, "clone", "-q", ...args, `file://${plain}`, theirs!);
      expect({ what, ...(await state(ours!)) }).toEqual({ what, ...(await state(theirs!)) });
      for (const step of later) {
        await git(ours!, ...v, ...step);
        await git(theirs!, ...v, ...step);
        expect({ what, step, ...(await state(ours!)) }).toEqual({ what, step, ...(await state(theirs!)) });
      }
      expect((await git(ours!, "rev-parse", "--show-object-format")).trim()).toBe("sha256");
      await git(ours!, "fsck", "--connectivity-only");
    }
  });

  test("a partial clone is checked out, and asks for what it lacks", async () => {
    const clone = scratch.join(`partial-${transport}`);
    await git(scratch.path, "clone", "-q", "--filter=blob:none", urlOf(name), clone);
    await git(clone, "checkout", "-q", "main~4");
    expect(readFileSync(join(clone, "file.txt"))).toEqual(
      Buffer.from(await git(work, "show", "main~4:file.txt").then((text) => `${text}\n`)),
    );
    await git(clone, "log", "-p", "--all", "--format=%H");
    await git(clone, "fsck");
  });

  test("pushes: refused and forced ones, atomic ones, tags, deletions, and what another one pushed", async () => {
    const pushed = `pushed-${transport.toLowerCase()}`;
    await app.repository(alice, pushed, { object_format_name: "sha256", default_branch: "main" });
    const url = urlOf(pushed);
    await git(work, "push", "-q", url, "main~3:refs/heads/main", "v1");
    const clone = scratch.join(`second-${transport}`);
    await git(scratch.path, "clone", "-q", url, clone);
    await git(work, "push", "-q", url, "main", "--tags");
    const refused = await runGit(clone, ["push", url, "HEAD:refs/heads/new", "HEAD~1:refs/heads/main"], { env });
    expect(refused.stderr).toContain("rejected");
    await git(clone, "pull", "-q", "--rebase");
    await git(clone, "commit", "-q", "--allow-empty", "-m", "second");
    await git(
      clone,
      "push",
      "-q",
      "--atomic",
      "origin",
      "HEAD:refs/heads/main",
      "HEAD:refs/heads/a/b",
      ":refs/tags/v1",
    );
    await git(clone, "push", "-q", "--force-with-lease", "origin", "HEAD~2:refs/heads/a/b");
    const stale = await runGit(work, ["push", url, "main"], { env });
    expect(stale.stderr).toContain("fetch first");
    const refs = (await git(scratch.path, "ls-remote", url)).split("\n").map((line) => line.split("\t")[1]);
    expect(refs).toEqual([
      "HEAD",
      "refs/heads/a/b",
      "refs/heads/main",
      "refs/heads/new",
      "refs/tags/v5",
      "refs/tags/v5^{}",
      "refs/tags/v9",
      "refs/tags/v9^{}",
    ]);
    expect(await closureOf(clone)).toBeTruthy();
  });

  test("a repository of the other format is told so", async () => {
    const other = scratch.join(`other-${transport}`);
    await git(scratch.path, "init", "-q", "-b", "main", other);
    await git(other, "commit", "-q", "--allow-empty", "-m", "first");
    const push = await runGit(other, ["push", urlOf(name), "main:other"], { env });
    const fetch = await runGit(other, ["fetch", urlOf(name), "main"], { env });
    expect([push.code, fetch.code]).not.toContain(0);
    expect(push.stderr + fetch.stderr).toContain("sha256");
  });
});
