import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { commitFile } from "../support/pulls.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** What a push says of pull requests, in lines that git shows after "remote:". */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site");
const scratch = new Scratch();
const key = new SshKeyPair();
const work = scratch.join("work");
afterAll(() => {
  scratch[Symbol.dispose]();
  key[Symbol.dispose]();
});

const at = ({ name, token }: TestUser, repository: string) =>
  `${app.url.replace("://", `://${name}:${token}@`)}/${repository}.git`;

beforeAll(async () => {
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  await key.addTo(alice);
  await mustGit(scratch.path, ["clone", "-q", at(alice, "alice/site"), work]);
});

let made = 0;
async function commit(): Promise<void> {
  await Bun.write(`${work}/file-${++made}`, `${made}\n`);
  await mustGit(work, ["add", "."]);
  await mustGit(work, ["commit", "-q", "-m", `Change ${made}`]);
}

/** The lines that a push of these refs shows, but for those of its progress. */
async function told(url: string, ...args: string[]): Promise<string[]> {
  const { code, stderr } = await runGit(work, ["push", url, ...args], { env: key.env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as never });
  return stderr
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith("remote: ") && !/\d+% \(/.test(line))
    .map((line) => line.slice("remote: ".length).trim());
}

const offer = (branch: string, base = "alice/site", head = branch) =>
  `Create a pull request for ${branch}: ${app.url}/${base}/compare/main...${head}`;

describe.each(["HTTP", "SSH"])("over %s", (transport) => {
  const url = () => (transport === "HTTP" ? at(alice, "alice/site") : `${app.ssh}/alice/site.git`);

  test("a new branch is offered, one with a pull request is shown, and no other push says anything", async () => {
    await commit();
    expect(await told(url(), "HEAD:main")).toEqual([]);
    await commit();
    const branch = `feature/${transport}-ä`;
    const path = `feature/${transport}-%C3%A4`;
    expect(await told(url(), "-q", `HEAD:refs/heads/${branch}`)).toEqual([offer(branch, "alice/site", path)]);
    await commit();
    expect(await told(url(), `HEAD:refs/heads/${branch}`)).toEqual([]);
    const { body } = await alice.api.post<{ number: number; html_url: string }>("/repos/alice/site/pulls", {
      base: "main",
      head: branch,
      title: "x",
    });
    await commit();
    const shown = `View pull request #${body.number} of ${branch}: ${app.url}/alice/site/pulls/${body.number}`;
    expect(await told(url(), `HEAD:refs/heads/${branch}`, `HEAD:refs/tags/${transport}`)).toEqual([shown]);
    await alice.api.patch(`/repos/alice/site/pulls/${body.number}`, { state: "closed" });
    await commit();
    expect(await told(url(), `HEAD:refs/heads/${branch}`)).toEqual([]);
    expect(await told(url(), `:refs/heads/${branch}`)).toEqual([]);
  });
});

test("a push of many branches offers none, and one that is refused offers only what was taken", async () => {
  const many = Array.from({ length: 11 }, (_, index) => `HEAD:refs/heads/many/${index}`);
  expect(await told(at(alice, "alice/site"), ...many)).toEqual([]);
  await alice.api.post("/repos/alice/site/branch_protections", { rule_name: "kept/*", enable_push: false });
  const { code, stderr } = await runGit(work, [
    "push",
    at(alice, "alice/site"),
    "HEAD:refs/heads/kept/one",
    "HEAD:refs/heads/taken",
  ]);
  expect([code, stderr.includes(offer("taken")), stderr.includes("compare/main...kept")]).toEqual([1, true, false]);
});

test("a repository without pull requests offers none, and neither does a wiki", async () => {
  await app.repository(alice, "plain", { auto_init: true });
  await alice.api.patch("/repos/alice/plain", { has_pull_requests: false });
  expect(await told(at(alice, "alice/plain"), "HEAD:refs/heads/new")).toEqual([]);
  expect(await told(at(alice, "alice/plain.wiki"), "HEAD:refs/heads/new")).toEqual([]);
  // The first push makes what others are compared with.
  await app.repository(alice, "empty");
  expect(await told(at(alice, "alice/empty"), "HEAD:refs/heads/other")).toEqual([]);
});

describe("a fork", () => {
  test("offers its branch to its parent", async () => {
    expect((await bob.api.post("/repos/alice/site/forks", {})).status).toBe(202);
    await commit();
    const fork = at(bob, "bob/site");
    expect(await told(fork, "HEAD:refs/heads/mine")).toEqual([offer("mine", "alice/site", "bob:mine")]);
    const { body } = await bob.api.post<{ number: number }>("/repos/alice/site/pulls", {
      base: "main",
      head: "bob:mine",
      title: "x",
    });
    await commit();
    const shown = `View pull request #${body.number} of mine: ${app.url}/alice/site/pulls/${body.number}`;
    expect(await told(fork, "HEAD:refs/heads/mine")).toEqual([shown]);
  });

  test("does not name a parent that the pusher may not see, nor a pull request there", async () => {
    const carol = await app.user("carol");
    await bob.api.put("/repos/bob/site/collaborators/carol", { permission: "write" });
    await alice.api.patch("/repos/alice/site", { private: true });
    await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "read" });
    for (const branch of ["theirs", "mine"]) {
      await commit();
      const run = await runGit(work, ["push", at(carol, "bob/site"), `HEAD:refs/heads/${branch}`]);
      expect(run.stderr).not.toContain("alice/site");
      expect(run.stderr).not.toContain("pulls/");
    }
  });
});
