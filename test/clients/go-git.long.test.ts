import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findGo } from "../support/find-go.ts";
import { mustGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** go-git, through the small program in go-git/: its own SSH, its own protocol, no v2. */

const hasGo = findGo("clients written with go-git");

const app = await useTestApp({ ssh: { enabled: true } });
const alice = await app.user("alice");
const key = new SshKeyPair();
await key.addTo(alice);
const scratch = new Scratch();
const program = scratch.join("go-git");

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

async function goGit(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    HOME: scratch.path,
    GOGIT_USER: alice.name,
    GOGIT_TOKEN: alice.token,
    GOGIT_KEY: key.path,
  };
  const child = Bun.spawn([program, ...args], { env, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`go-git ${args.join(" ")}: ${stderr}`);
  }
  return stdout.trim();
}

describe.if(hasGo)("go-git", () => {
  beforeAll(async () => {
    const build = Bun.spawn(["go", "build", "-o", program, "."], {
      cwd: join(import.meta.dir, "go-git"),
      stdout: "inherit",
      stderr: "inherit",
    });
    expect(await build.exited).toBe(0);
  }, 300_000);

  test.each([
    ["HTTP", `${app.url}/alice/over-http.git`],
    ["SSH", `${app.ssh}/alice/over-ssh.git`],
  ])("clones, fetches, pushes and deletes over %s", async (_transport, url) => {
    const name = url.includes("over-ssh") ? "over-ssh" : "over-http";
    const asGit = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
    await app.repository(alice, name);
    const work = scratch.join(`work-${name}`);
    await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
    for (const number of [1, 2, 3, 4, 5]) {
      await Bun.write(join(work, "dir", `file-${number}`), `${number}\n`.repeat(100));
      await mustGit(work, ["add", "-A"]);
      await mustGit(work, ["commit", "-q", "-m", String(number)]);
    }
    await mustGit(work, ["tag", "-a", "-m", "one", "v1"]);
    await mustGit(work, ["push", "-q", asGit, "main", "v1"]);
    const head = await mustGit(work, ["rev-parse", "main"]);

    const clone = scratch.join(`clone-${name}`);
    expect(await goGit("clone", url, clone)).toBe(`${head} 5`);
    await mustGit(clone, ["fsck", "--strict"]);
    const shallow = scratch.join(`shallow-${name}`);
    // It counts up to the commit whose parent is not there.
    expect(await goGit("clone", url, shallow, "2")).toBe(`${head} 2`);
    expect((await Bun.file(join(shallow, ".git/shallow")).text()).trim()).toBe(
      await mustGit(work, ["rev-parse", "main~1"]),
    );

    const made = await goGit("commit", clone, "by-go.txt", "written with go-git\n");
    await goGit("push", clone, "refs/heads/main:refs/heads/new");
    expect(await mustGit(work, ["ls-remote", asGit, "refs/heads/new"])).toBe(`${made}\trefs/heads/new`);

    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "later"]);
    await mustGit(work, ["push", "-q", asGit, "main"]);
    expect((await goGit("fetch", clone)).split("\n").sort()).toEqual(
      [
        `${made} refs/remotes/origin/new`,
        `${await mustGit(work, ["rev-parse", "main"])} refs/remotes/origin/main`,
      ].sort(),
    );
    await mustGit(clone, ["fsck", "--strict"]);

    await goGit("push", clone, ":refs/heads/new");
    expect(await mustGit(work, ["ls-remote", asGit, "refs/heads/*"])).not.toContain("new");
    // What is refused comes back as an error, with the reason.
    expect(await goGit("push", clone, ":refs/heads/main").catch(String)).toContain(
      "refusing to delete the default branch",
    );
  });
});
