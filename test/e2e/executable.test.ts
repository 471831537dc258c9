import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { mustGit } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";

/**
 * The built executable in an empty directory, without node_modules, without git or anything else on its PATH.
 * It starts PostgreSQL from its archive, hashes a password with its native addon, migrates and uses its workers.
 */

const executable = join(import.meta.dir, "../../dist/stithy");
const isBuilt = existsSync(executable);
if (!isBuilt) {
  console.log("LEFT OUT: the executable's own test, because there is no dist/stithy; make it with: bun run build");
}
const isRoot = process.geteuid?.() === 0;
const nobody = 65_534;

const Ready = Type.Object({ ready: Type.Literal(true), url: Type.String(), ssh: Type.String(), data: Type.String() });
const token = "sty_of-the-executables-test";
const seed = JSON.stringify({
  users: [{ username: "root", tokens: [{ name: "test", value: token, scopes: ["all"] }] }],
  repositories: [
    { owner: "root", name: "first", commits: [{ message: "Begin", files: { "README.md": "# First\n" } }] },
  ],
});

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stithy-executable-"));
  chmodSync(folder, 0o755);
  if (isBuilt) {
    copyFileSync(executable, join(folder, "stithy"), constants.COPYFILE_FICLONE);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(name: string, user: { uid?: number; gid?: number }, args: readonly string[]): ChildProcess {
  const home = join(folder, name);
  mkdirSync(join(home, "tmp"), { recursive: true });
  for (const path of [home, join(home, "tmp")]) {
    chownSync(path, user.uid ?? process.geteuid?.() ?? 0, user.gid ?? process.getegid?.() ?? 0);
  }
  const env = { PATH: "/nonexistent", HOME: home, XDG_CACHE_HOME: join(home, "cache"), TMPDIR: join(home, "tmp") };
  return spawn(join(folder, "stithy"), args, { ...user, cwd: home, env, stdio: ["ignore", "pipe", "inherit"] });
}

/** A line as git sends it: four hexadecimal digits of length, themselves included, then the text. */
function packet(text: string): string {
  return `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
}

/** The server has no git on its PATH; the test's own git pushes to it, so that its indexing worker is used too. */
async function pushAndClone(url: string, name: string): Promise<void> {
  const work = join(folder, `${name}-work`);
  const address = `${url.replace("://", `://root:${token}@`)}/root/first.git`;
  await mustGit(folder, ["clone", "-q", address, work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Pushed"]);
  await mustGit(work, ["push", "-q", address, "HEAD:refs/heads/pushed"]);
  expect(await mustGit(work, ["ls-remote", address, "refs/heads/pushed"])).toContain(
    await mustGit(work, ["rev-parse", "HEAD"]),
  );
}

/** Its SSH server was made with keys of its own, and signs what it sends with native code. */
async function pushAndCloneOverSsh(url: string, ssh: string, name: string): Promise<void> {
  using key = new SshKeyPair();
  const added = await fetch(`${url}/api/v1/user/keys`, {
    method: "POST",
    headers: { authorization: `token ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "test", key: key.publicKey }),
  });
  expect(added.status).toBe(201);
  const work = join(folder, `${name}-ssh`);
  const address = `${ssh}/root/first.git`;
  await mustGit(folder, ["clone", "-q", address, work], { env: key.env });
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Pushed over SSH"]);
  await mustGit(work, ["push", "-q", "origin", "HEAD:refs/heads/over-ssh"], { env: key.env });
  expect(await mustGit(work, ["ls-remote", address, "refs/heads/over-ssh"], { env: key.env })).toContain(
    await mustGit(work, ["rev-parse", "HEAD"]),
  );
}

async function serveAndUse(name: string, user: { uid?: number; gid?: number }): Promise<void> {
  const server = run(name, user, ["serve", "--ephemeral", "--port", "0", "--seed", seed]);
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  try {
    const lines = createInterface({ input: server.stdout ?? process.stdin })[Symbol.asyncIterator]();
    const first = await lines.next();
    const { url, ssh, data } = Value.Parse(Ready, JSON.parse(first.done === true ? "null" : first.value));
    expect((await fetch(`${url}/api/healthz`)).status).toBe(200);
    const repository = `${url}/root/first.git`;
    const advertised = await (await fetch(`${repository}/info/refs?service=git-upload-pack`)).text();
    const oid = /([0-9a-f]{40}) refs\/heads\/main\n/.exec(advertised)?.[1] ?? "";
    expect(oid).toHaveLength(40);
    const fetched = await fetch(`${repository}/git-upload-pack`, {
      method: "POST",
      headers: { "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" },
      body: `${packet("command=fetch\n")}0001${packet(`want ${oid}\n`)}${packet("done\n")}0000`,
    });
    expect(await fetched.text()).toContain("PACK");
    const front = await (await fetch(url)).text();
    expect(await (await fetch(new URL(/href="(\/assets\/[^"]+)"/.exec(front)?.[1] ?? "", url))).text()).toContain(
      "color-scheme",
    );
    const page = await (await fetch(`${url}/api/swagger`)).text();
    const scripts = [...page.matchAll(/<script[^>]*src="([^"]+)"/g)].map((match) => new URL(match[1] ?? "", url).href);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      expect(await (await fetch(script)).text()).not.toBe("");
    }
    expect(statSync(join(data, "postgres", "cluster")).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, "postgres", "cluster", "global", "pg_control")).mode & 0o777).toBe(0o600);
    await pushAndClone(url, name);
    await pushAndCloneOverSsh(url, ssh, name);
    server.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(existsSync(data)).toBe(false);
  } finally {
    server.kill("SIGKILL");
  }
  // Its database came out of the executable: none was made.
  const cached = join(folder, name, "cache", "stithy");
  expect((existsSync(cached) ? readdirSync(cached) : []).filter((entry) => entry.startsWith("cluster-"))).toEqual([]);
  // What is the same for every run stays: Bun unpacks the native addon there, by its content.
  expect(readdirSync(join(folder, name, "tmp")).filter((entry) => !/^(?:stithy-programs-|\.bun-)/.test(entry))).toEqual(
    [],
  );
}

describe.if(isBuilt)("the executable serves in an empty directory", () => {
  test("as the user of the tests", () => serveAndUse("own", {}));

  test.if(isRoot)("as an ordinary user", () => serveAndUse("nobody", { uid: nobody, gid: nobody }));
});
