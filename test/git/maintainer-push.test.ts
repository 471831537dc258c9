import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { doerOf } from "../../src/domain/spine/doer.ts";
import { demandOfMaintainer, findMaintainerPush } from "../../src/domain/work/pulls/maintainer-push.ts";
import { push } from "../../src/domain/work/git-access/push.ts";
import { mustGit, runGit, Scratch, type GitRun } from "../support/git.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { repeated } from "../support/thorough.ts";

/** Pushes to the branch of a fork whose open pull request says `allow_maintainer_edit`, of the real git. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const mallory = await app.user("mallory");
const { sql } = app.forge.database;
const scratch = new Scratch();
const keys = new Map<string, SshKeyPair>();
const work = scratch.join("work");
const forkAt = "/repos/bob/site";
let topics = 0;
let forkId = 0;

afterAll(() => {
  scratch[Symbol.dispose]();
  keys.forEach((key) => key[Symbol.dispose]());
});

const urlOf = (token: string, repository = "bob/site") =>
  `${app.url.replace("://", `://x:${token}@`)}/${repository}.git`;

beforeAll(async () => {
  await app.repository(alice, "site");
  await commitFile(alice, "alice/site", { path: "a.txt", text: "one\n" });
  expect((await alice.api.put("/repos/alice/site/collaborators/carol", { permission: "write" })).status).toBe(204);
  const fork = await bob.api.post<{ id: number }>("/repos/alice/site/forks", {});
  expect(fork.status).toBe(202);
  forkId = fork.body.id;
  for (const user of [alice, bob, carol, mallory]) {
    const key = new SshKeyPair();
    await key.addTo(user);
    keys.set(user.name, key);
  }
  await mustGit(scratch.path, ["clone", "-q", urlOf(bob.token), work]);
});

const overHttp = (user: TestUser, ...args: string[]): Promise<GitRun> => runGit(work, pushOf(urlOf(user.token), args));
const overSsh = async (user: TestUser, ...args: string[]): Promise<GitRun> => {
  const { body } = await bob.api.get<{ ssh_url: string }>(forkAt);
  return runGit(work, pushOf(body.ssh_url, args), { env: { ...keys.get(user.name)?.env } });
};
/** The options, then where to, then the refs. */
const pushOf = (url: string, args: readonly string[]) => {
  const isOption = (arg: string) => arg.startsWith("-");
  return ["push", ...args.filter(isOption), url, ...args.filter((arg) => !isOption(arg))];
};

/** An open pull request from a new branch of the fork. Leaves a commit upon it checked out. */
async function offered({ allowed = true } = {}): Promise<{
  branch: string;
  number: number;
  head: string;
  next: string;
}> {
  const branch = `topic-${++topics}`;
  const head = await commitFile(bob, "bob/site", { path: `${branch}.txt`, text: "b\n", branch, from: "main" });
  const { status, body } = await bob.api.post<PullJson>("/repos/alice/site/pulls", {
    title: branch,
    base: "main",
    head: `bob:${branch}`,
  });
  expect(status).toBe(201);
  const edited = await bob.api.patch<PullJson>(`/repos/alice/site/pulls/${body.number}`, {
    allow_maintainer_edit: allowed,
  });
  expect([edited.status, edited.body.allow_maintainer_edit]).toEqual([201, allowed]);
  await mustGit(work, ["fetch", "-q", "origin", branch]);
  await mustGit(work, ["checkout", "-q", "--detach", "FETCH_HEAD"]);
  return { branch, number: body.number, head, next: await commit(`more of ${branch}`) };
}

async function commit(message: string): Promise<string> {
  await Bun.write(`${work}/more.txt`, `${message}\n`);
  await mustGit(work, ["add", "."]);
  await mustGit(work, ["commit", "-q", "-m", message]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** All refs of the fork. */
const refsOf = async () => {
  const rows = await sql<
    { name: string; oid: string }[]
  >`select name, encode(oid, 'hex') as oid from ref where repository_id = ${forkId} order by name`;
  return Object.fromEntries(rows.map(({ name, oid }) => [name, oid]));
};
const tipOf = async (branch: string) => (await refsOf())[`refs/heads/${branch}`];

/** Expects that a push fails, is told why, and changes nothing of the fork. */
async function refused(run: () => Promise<GitRun>, why: string): Promise<void> {
  const before = await refsOf();
  const { code, stderr } = await run();
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
  expect(await refsOf()).toEqual(before);
}

const transports = [
  ["HTTP", overHttp],
  ["SSH", overSsh],
] as const;

describe.each(repeated(transports, 1))("over %s", (_, push) => {
  const onlyRead = "You may read";

  test("nobody pushes to a branch without an open pull request that allows it", async () => {
    const { branch, number } = await offered({ allowed: false });
    await refused(() => push(alice, `HEAD:${branch}`), onlyRead);
    await bob.api.patch(`/repos/alice/site/pulls/${number}`, { allow_maintainer_edit: true });
    await bob.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" });
    await refused(() => push(alice, `HEAD:${branch}`), onlyRead);
  });

  test("whoever makes a pull request of another's branch opens it to nobody", async () => {
    const { branch, number } = await offered();
    expect((await alice.api.patch(`/repos/alice/site/pulls/${number}`, { state: "closed" })).status).toBe(201);
    const own = `taken-${branch}`;
    const forked = await mallory.api.post("/repos/bob/site/forks", { name: own });
    expect(forked.status).toBe(202);
    const settings = { default_allow_maintainer_edit: true };
    expect((await mallory.api.patch(`/repos/mallory/${own}`, settings)).status).toBe(200);
    const taken = await mallory.api.post<PullJson>(`/repos/mallory/${own}/pulls`, {
      title: "mine now",
      base: "main",
      head: `bob:${branch}`,
    });
    expect([taken.status, taken.body.allow_maintainer_edit]).toEqual([201, false]);
    await refused(() => push(mallory, `HEAD:refs/heads/${branch}`), onlyRead);
    const allowed = { allow_maintainer_edit: true };
    expect((await mallory.api.patch(`/repos/mallory/${own}/pulls/${taken.body.number}`, allowed)).status).toBe(403);
    await refused(() => push(mallory, `HEAD:refs/heads/${branch}`), onlyRead);
    expect((await mallory.api.delete(`/repos/mallory/${own}`)).status).toBe(204);
  });

  test("who may not write to the base does not", async () => {
    const { branch } = await offered();
    await refused(() => push(mallory, `HEAD:${branch}`), onlyRead);
  });

  test("nothing else of the fork becomes writable", async () => {
    const { branch } = await offered();
    const other = await offered({ allowed: false });
    await refused(() => push(alice, "HEAD:main"), onlyRead);
    await refused(() => push(alice, "HEAD:refs/heads/new"), onlyRead);
    await refused(() => push(alice, "HEAD:refs/tags/v1"), onlyRead);
    await refused(() => push(alice, `HEAD:refs/notes/${branch}`), onlyRead);
    await refused(() => push(alice, `:${branch}`), onlyRead);
    await refused(() => push(alice, "--force", `HEAD:${other.branch}`), onlyRead);
    // Not even beside what is allowed.
    await refused(() => push(alice, "--force", `HEAD:${branch}`, "HEAD:refs/heads/new"), onlyRead);
    await refused(() => push(alice, "--force", "-orepo.private=true", `HEAD:${branch}`), "is for administrators");
    expect((await bob.api.get<{ private: boolean }>(forkAt)).body.private).toBe(false);
  });

  test("a protected branch is for those on its lists", async () => {
    const { branch, head, next } = await offered();
    const rule = `${forkAt}/branch_protections/${branch}`;
    expect((await bob.api.post(`${forkAt}/branch_protections`, { rule_name: branch })).status).toBe(201);
    await refused(() => push(alice, `HEAD:${branch}`), "protected branch");
    // Without a list, those who may write to the fork push.
    await bob.api.patch(rule, { enable_push: true });
    await refused(() => push(alice, `HEAD:${branch}`), "protected branch");
    await bob.api.put(`${forkAt}/collaborators/alice`, { permission: "write" });
    await bob.api.patch(rule, { enable_push_whitelist: true, push_whitelist_usernames: ["alice"] });
    await bob.api.put(`${forkAt}/collaborators/alice`, { permission: "read" });
    const isListed = (await bob.api.get<{ push_whitelist_usernames: string[] }>(rule)).body.push_whitelist_usernames;
    if (isListed.includes("alice")) {
      expect((await push(alice, `HEAD:${branch}`)).code).toBe(0);
      expect(await tipOf(branch)).toBe(next);
      await refused(() => push(alice, "--force", `${head}:${branch}`), "nobody may force it");
    }
    await bob.api.delete(`${forkAt}/collaborators/alice`);
    await bob.api.delete(rule);
  });

  test("the owner of a fork keeps away whom they blocked", async () => {
    const { branch } = await offered();
    await bob.api.put("/user/block/carol");
    await refused(() => push(carol, `HEAD:${branch}`), onlyRead);
    expect((await bob.api.put("/user/unblock/carol")).status).toBe(204);
    expect(await push(carol, `HEAD:${branch}`)).toMatchObject({ code: 0 });
  });

  test("a fork that a maintainer may not read stays hidden", async () => {
    const { branch } = await offered();
    await bob.api.patch(forkAt, { private: true });
    await refused(() => push(alice, `HEAD:${branch}`), "not");
    await bob.api.patch(forkAt, { private: false });
    await bob.api.patch(forkAt, { archived: true });
    await refused(() => push(alice, `HEAD:${branch}`), onlyRead);
    await bob.api.patch(forkAt, { archived: false });
    await alice.api.patch("/repos/alice/site", { archived: true });
    await refused(() => push(carol, `HEAD:${branch}`), "archived");
    await alice.api.patch("/repos/alice/site", { archived: false });
  });

  test("maintainers push, and force, and the pull request goes with it", async () => {
    const { branch, number, next } = await offered();
    const pullHead = async () => (await alice.api.get<PullJson>(`/repos/alice/site/pulls/${number}`)).body.head.sha;
    expect((await push(alice, `HEAD:${branch}`)).code).toBe(0);
    expect(await pullHead()).toBe(next);
    const [moved] = await sql<{ actor: number }[]>`select actor_id::int as actor from reflog
      where repository_id = ${forkId} and name = ${`refs/heads/${branch}`} order by id desc limit 1`;
    expect(moved?.actor).toBe(alice.id);
    await mustGit(work, ["reset", "-q", "--hard", "HEAD~1"]);
    const other = await commit("instead of it");
    expect((await push(carol, `HEAD:${branch}`)).code).not.toBe(0);
    expect((await push(carol, "--force", `HEAD:${branch}`)).code).toBe(0);
    expect(await pullHead()).toBe(other);
    expect((await alice.api.post(`/repos/alice/site/pulls/${number}/merge`, { Do: "merge" })).status).toBe(200);
    await refused(() => push(alice, "--force", `${next}:${branch}`), onlyRead);
  });

  test("also where the fork itself takes no pull requests", async () => {
    const { branch } = await offered();
    await bob.api.patch(forkAt, { has_pull_requests: false });
    await refused(() => push(alice, "HEAD:refs/for/main/x"), "There is no repository");
    await refused(() => push(bob, "HEAD:refs/for/main/x"), "There is no repository");
    await refused(() => push(mallory, `HEAD:${branch}`), onlyRead);
    expect((await push(alice, `HEAD:${branch}`)).code).toBe(0);
    await bob.api.patch(forkAt, { has_pull_requests: true });
  });
});

test("a token has to be for the base and for the fork, and to write", async () => {
  const { branch, next } = await offered();
  const withToken = (token: string) => runGit(work, ["push", urlOf(token), `HEAD:${branch}`]);
  await refused(async () => withToken(await app.token(alice, ["read:repository"])), "scope");
  const tokenFor = async (...repositories: string[]) => {
    const { status, body } = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: crypto.randomUUID(),
      scopes: ["write:repository"],
      repositories,
    });
    expect(status).toBe(201);
    return body.sha1;
  };
  const ofBase = await tokenFor("alice/site");
  await refused(() => withToken(ofBase), "There is no repository");
  const both = await tokenFor("alice/site");
  await sql`insert into access_token_repository (token_id, repository_id)
    select max(id), ${forkId} from access_token where user_id = ${alice.id}`;
  expect((await withToken(both)).code).toBe(0);
  expect(await tipOf(branch)).toBe(next);
});

test("what changes while the pack is on its way counts", async () => {
  const { branch, number, head } = await offered();
  const subject = await app.forge.identity.findSubject({ userId: carol.id }, { repositoryId: forkId });
  const { actor, repository } = subject;
  const doer = doerOf(
    { ...subject, credential: { kind: "none" } },
    {
      demand: demandOfMaintainer,
      named: { what: "", name: "" },
    },
  );
  if (actor === null || repository === null || doer.kind !== "user") {
    throw new Error("The fork was not found");
  }
  const main = await tipOf("main");
  const command = { name: `refs/heads/${branch}`, oldOid: head, newOid: main ?? null };
  const asMaintainer = await findMaintainerPush(app.forge.database.db, doer, repository, [branch]);
  if (asMaintainer === null) {
    throw new Error("Nothing is offered");
  }
  const late = async () => {
    const received = { commands: [command], packPath: null, pushOptions: [], atomic: false };
    const { refs } = await push(app.forge, { ...received, repository, doer: asMaintainer.doer, asMaintainer });
    return refs[0]?.error ?? null;
  };
  const pullAt = `/repos/alice/site/pulls/${number}`;
  await bob.api.patch(pullAt, { allow_maintainer_edit: false });
  expect(await late()).toContain("No open pull request lets maintainers push");
  await bob.api.patch(pullAt, { allow_maintainer_edit: true });
  await alice.api.put("/repos/alice/site/collaborators/carol", { permission: "read" });
  expect(await late()).toContain("You may read");
  await alice.api.put("/repos/alice/site/collaborators/carol", { permission: "write" });
  expect(await tipOf(branch)).toBe(head);
  expect(await late()).toBeNull();
  expect(await tipOf(branch)).toBe(main);
});
