import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** What an operator forbids of branches, and what push options change: by HTTP, SSH and the API. */

const app = await useTestApp({ git: { deny_deletes: true, deny_non_fast_forwards: true }, ssh: { enabled: true } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const scratch = new Scratch();
const key = new SshKeyPair();
const work = scratch.join("work");
const overHttp = (name: string, user = alice) =>
  `${app.url.replace("://", `://${user.name}:${user.token}@`)}/alice/${name}.git`;
const overSsh = (name: string) => `${app.ssh}/alice/${name}.git`;

beforeAll(async () => {
  await key.addTo(alice);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (const message of ["one", "two", "three"]) {
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", message]);
  }
});

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const push = (url: string, ...args: string[]) => runGit(work, ["push", url, ...args], { env: key.env });
const refs = (name: string) => mustGit(work, ["ls-remote", overHttp(name), "refs/*"]);

describe.each([
  ["HTTP", overHttp],
  ["SSH", overSsh],
] as const)("over %s", (transport, address) => {
  test("branches are neither forced nor deleted, tags are both", async () => {
    const name = `strict-${transport}`;
    await app.repository(alice, name);
    const url = address(name);
    expect((await push(url, "main", "main~1:refs/heads/topic", "main:refs/tags/t")).code).toBe(0);
    const before = await refs(name);
    const forced = await push(url, "+main~2:topic");
    expect(forced.stderr).toContain("[remote rejected] main~2 -> topic (non-fast-forward)");
    const deleted = await push(url, ":topic");
    expect(deleted.stderr).toContain("[remote rejected] topic (deletion prohibited)");
    expect((await push(url, "--atomic", "+main~2:topic", "main:refs/heads/other")).code).not.toBe(0);
    expect(await refs(name)).toBe(before);
    // What is allowed beside it is done.
    expect((await push(url, "+main~2:topic", "main:refs/heads/other")).code).not.toBe(0);
    expect((await push(url, "main:topic", "+main~2:refs/tags/t")).code).toBe(0);
    expect((await push(url, ":refs/tags/t")).code).toBe(0);
    expect((await refs(name)).split("\n").map((line) => line.split("\t")[1])).toEqual([
      "refs/heads/main",
      "refs/heads/other",
      "refs/heads/topic",
    ]);
  });
});

test("the API deletes no branch either, and goes on committing", async () => {
  await app.repository(alice, "by-api");
  await push(overHttp("by-api"), "main", "main:topic");
  const deleted = await alice.api.delete<{ message: string }>("/repos/alice/by-api/branches/topic");
  expect([deleted.status, deleted.body.message]).toEqual([409, "deletion prohibited"]);
  const moved = await alice.api.put<{ message: string }>("/repos/alice/by-api/branches/topic", {
    new_commit_id: await mustGit(work, ["rev-parse", "main~1"]),
    force: true,
  });
  expect([moved.status, moved.body.message]).toEqual([409, "non-fast-forward"]);
  // A rule of the repository does not lift what the operator forbids.
  const rule = { rule_name: "topic", enable_push: true, enable_force_push: true, enable_delete: true };
  expect((await alice.api.post("/repos/alice/by-api/branch_protections", rule)).status).toBe(201);
  expect((await push(overHttp("by-api"), "+main~1:topic")).stderr).toContain("(non-fast-forward)");
  expect((await push(overHttp("by-api"), ":topic")).stderr).toContain("(deletion prohibited)");
  const created = await alice.api.post("/repos/alice/by-api/contents/new.txt", {
    content: Buffer.from("new\n").toString("base64"),
    message: "New",
  });
  expect(created.status).toBe(201);
});

describe("push options", () => {
  const settings = async (name: string) => {
    const { body } = await alice.api.get<{ private: boolean; template: boolean }>(`/repos/alice/${name}`);
    return { private: body.private, template: body.template };
  };

  test("make a repository private or a template", async () => {
    await app.repository(alice, "options");
    expect(
      (await push(overHttp("options"), "-o", "repo.private", "-o", "repo.template=true", "-o", "unknown=1", "main"))
        .code,
    ).toBe(0);
    expect(await settings("options")).toEqual({ private: true, template: true });
    expect(
      (await push(overSsh("options"), "-o", "repo.template=true", "-o", "repo.template=false", "main~1:refs/heads/a"))
        .code,
    ).toBe(0);
    expect(await settings("options")).toEqual({ private: true, template: false });
  });

  test("change nothing when all refs are refused, or their value is none", async () => {
    await app.repository(alice, "kept");
    await push(overHttp("kept"), "main", "main:topic");
    const refused = await push(overHttp("kept"), "-o", "repo.private=true", ":topic");
    expect(refused.stderr).toContain("deletion prohibited");
    const odd = await push(overHttp("kept"), "-o", "repo.private=maybe", "main:refs/heads/odd");
    expect(odd.stderr).toContain('The push option repo.private must be true or false, not "maybe"');
    expect(await refs("kept")).not.toContain("odd");
    expect(await settings("kept")).toEqual({ private: false, template: false });
  });

  test("are for administrators of the repository, and no token for public ones hides one", async () => {
    await app.repository(alice, "shared");
    await push(overHttp("shared"), "main");
    await app.forge.database
      .sql`insert into collaborator (repository_id, user_id, mode) select id, ${bob.id}, 2 from repository where name = 'shared'`;
    const writer = await push(overHttp("shared", bob), "-o", "repo.private=true", "main:refs/heads/b");
    expect(writer.stderr).toContain("The push option repo.private is for administrators of the repository");
    expect((await push(overHttp("shared", bob), "-o", "ci.skip", "main:refs/heads/b")).code).toBe(0);
    const token = await app.token(alice, ["write:repository", "public-only"]);
    const limited = await push(overHttp("shared", { ...alice, token }), "-o", "repo.private=true", "main:refs/heads/c");
    expect(limited.stderr).toContain("cannot make one private");
    using deploy = new SshKeyPair();
    await deploy.deploy(alice, "shared", false);
    const deployed = await runGit(work, ["push", "-o", "repo.template", overSsh("shared"), "main:refs/heads/c"], {
      env: deploy.env,
    });
    expect(deployed.stderr).toContain("is for administrators");
    expect(await settings("shared")).toEqual({ private: false, template: false });
    expect(await refs("shared")).not.toContain("refs/heads/c");
  });
});
