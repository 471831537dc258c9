import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/**
 * A writer of a repository makes a pull request from its branch into a private fork of their own, with edits by maintainers, and loses the right
 * to write. What they gave is worth no more than what they have.
 */

setDefaultTimeout(60_000);

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const { sql } = app.forge.database;
// Victor owns, in organization "victors"; mallory wrote there.
const victor = await app.user("victor");
const mallory = await app.user("mallory");
const nina = await app.user("nina");
const repository = "victors/site";
const at = `/repos/${repository}`;
const scratch = new Scratch();
const key = new SshKeyPair();
let repositoryId = 0;
let teamId = 0;
let topics = 0;

afterAll(() => {
  scratch[Symbol.dispose]();
  key[Symbol.dispose]();
});

beforeAll(async () => {
  await app.organization("victors", victor);
  await app.repository(victor, "site", {}, "victors");
  await commitFile(victor, repository, { path: "a.txt", text: "one\n" });
  repositoryId = (await victor.api.get<{ id: number }>(at)).body.id;
  teamId = (await makeTeam(victor, "victors", { name: "writers", permission: "write" }, [])).id;
  await victor.api.put(`/teams/${teamId}/repos/${repository}`);
  await key.addTo(mallory);
  await mallory.api.post(`${at}/forks`, { name: "lair" });
});

const given = {
  collaborator: () => victor.api.put(`${at}/collaborators/mallory`, { permission: "write" }),
  team: () => victor.api.put(`/teams/${teamId}/members/mallory`),
};
const taken = {
  "removed as a collaborator": ["collaborator", () => victor.api.delete(`${at}/collaborators/mallory`)],
  "removed from the team": ["team", () => victor.api.delete(`/teams/${teamId}/members/mallory`)],
  "given read in place of write": [
    "collaborator",
    () => victor.api.put(`${at}/collaborators/mallory`, { permission: "read" }),
  ],
} as const;

/** A pull request from a new branch of the victim into the private fork, with edits by maintainers. */
async function lay(): Promise<{ branch: string; number: number; id: number; head: string }> {
  const branch = `topic-${++topics}`;
  const head = await commitFile(victor, repository, { path: `${branch}.txt`, text: "b\n", branch, from: "main" });
  const fork = "/repos/mallory/lair";
  await mallory.api.patch(fork, { private: false, has_pull_requests: true });
  const fields = { title: branch, base: "main", head: `victors/site:${branch}` };
  const { status, body } = await mallory.api.post<PullJson & { id: number }>(`${fork}/pulls`, fields);
  expect(status).toBe(201);
  const edited = await mallory.api.patch<PullJson>(`${fork}/pulls/${body.number}`, { allow_maintainer_edit: true });
  expect([edited.status, edited.body.allow_maintainer_edit]).toEqual([201, true]);
  expect((await mallory.api.patch(fork, { private: true })).status).toBe(200);
  return { branch, number: body.number, id: body.id, head };
}

const refsOf = async () =>
  Object.fromEntries(
    (
      await sql<{ name: string; oid: string }[]>`
        select name, encode(oid, 'hex') as oid from ref where repository_id = ${repositoryId} order by name`
    ).map(({ name, oid }) => [name, oid]),
  );

const edits = async (user: TestUser) => {
  const { status, body } = await user.api.get<{ id: number; branch: string; base: string | null }[]>(
    `${at}/maintainer_edits`,
  );
  return status === 200 ? body.map(({ id, branch, base }) => ({ id, branch, base })) : status;
};

async function clone(branch: string): Promise<string> {
  const path = scratch.join(branch);
  await mustGit(scratch.path, ["clone", "-q", "-b", branch, `${app.url}/${repository}.git`, path]);
  await Bun.write(`${path}/evil.txt`, "evil\n");
  await mustGit(path, ["add", "."]);
  await mustGit(path, ["commit", "-q", "-m", "Evil"]);
  return path;
}

/** Tries every way to the branch. Returns what came of each. */
async function attack({ branch, number }: { branch: string; number: number }): Promise<Record<string, boolean>> {
  const { api, token } = mallory;
  const work = await clone(branch);
  const http = `${app.url.replace("://", `://x:${token}@`)}/${repository}.git`;
  const ssh = (await victor.api.get<{ ssh_url: string }>(at)).body.ssh_url;
  const object = "ab".repeat(32);
  const lfs = await fetch(`${app.url}/${repository}.git/info/lfs/objects/batch`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`x:${token}`)}`, "content-type": "application/vnd.git-lfs+json" },
    body: JSON.stringify({ operation: "upload", objects: [{ oid: object, size: 3 }] }),
  });
  const file = { content: btoa("evil\n"), message: "evil", branch };
  const pushed = async (url: string, env: Record<string, string> = {}, ref = `refs/heads/${branch}`) =>
    (await runGit(work, ["push", url, `HEAD:${ref}`], { env })).code === 0;
  return {
    http: await pushed(http),
    ssh: await pushed(ssh, key.env),
    contents: (await api.post(`${at}/contents/evil-${branch}.txt`, file)).status < 300,
    patch: (await api.post(`${at}/diffpatch`, { ...file, content: "" })).status < 300,
    update: (await api.post(`/repos/mallory/lair/pulls/${number}/update`)).status < 300,
    branch: (await api.put(`${at}/branches/${branch}`, { new_commit_id: "0".repeat(40) })).status < 300,
    deleted: (await api.delete(`${at}/branches/${branch}`)).status < 300,
    merged:
      (await api.post(`/repos/mallory/lair/pulls/${number}/merge`, { Do: "merge", delete_branch_after_merge: true }))
        .status < 300 && (await refsOf())[`refs/heads/${branch}`] === undefined,
    lfs: lfs.status < 300,
  };
}

const nothing = {
  http: false,
  ssh: false,
  contents: false,
  patch: false,
  update: false,
  branch: false,
  deleted: false,
  merged: false,
  lfs: false,
};

describe.each(Object.entries(taken))("a writer who is %s", (_, [how, take]) => {
  test("pushes no more where they let maintainers of their own fork push", async () => {
    await given[how]();
    const trap = await lay();
    expect((await take()).status).toBe(204);
    const before = await refsOf();
    expect(await attack(trap)).toEqual(nothing);
    expect(await refsOf()).toEqual(before);
    expect(await edits(victor)).toEqual([]);
    // Nor do they give it again.
    const again = { allow_maintainer_edit: true };
    expect((await mallory.api.patch(`/repos/mallory/lair/pulls/${trap.number}`, again)).status).not.toBe(201);
    await victor.api.delete(`${at}/collaborators/mallory`);
  });
});

test("nor who is suspended or gone; nor a maintainer to whom they gave it", async () => {
  await given.collaborator();
  const trap = await lay();
  await mallory.api.put("/repos/mallory/lair/collaborators/nina", { permission: "write" });
  const create = () =>
    nina.api.post(`${at}/contents/${crypto.randomUUID()}.txt`, { content: "", message: "x", branch: trap.branch });
  expect((await create()).status).toBe(201);
  await sql`update account set suspended = true where owner_id = ${mallory.id}`;
  expect((await create()).status).toBe(403);
  await sql`update account set suspended = false where owner_id = ${mallory.id}`;
  expect((await create()).status).toBe(201);
  await sql`update pull set maintainer_edit_by_id = null where issue_id = ${trap.id}`;
  expect((await create()).status).toBe(403);
  await sql`update pull set maintainer_edit_by_id = ${mallory.id} where issue_id = ${trap.id}`;
  await victor.api.delete(`${at}/collaborators/mallory`);
  expect((await create()).status).toBe(403);
});

describe("those who may write to the head", () => {
  test("see what opens its branches, but not the hidden base, and end it", async () => {
    await given.collaborator();
    const trap = await lay();
    expect(await edits(nina)).toBe(403);
    expect((await app.anonymous.get(`${at}/maintainer_edits`)).status).toBe(401);
    expect((await nina.api.delete(`${at}/maintainer_edits/${trap.id}`)).status).toBe(403);
    expect((await victor.api.get(`/repos/mallory/lair/pulls/${trap.number}`)).status).toBe(404);
    expect(await edits(victor)).toContainEqual({ id: trap.id, branch: trap.branch, base: null });
    expect(await edits(mallory)).toContainEqual({ id: trap.id, branch: trap.branch, base: "mallory/lair" });
    const { body } = await victor.api.get<object[]>(`${at}/maintainer_edits`);
    expect(JSON.stringify(body)).not.toContain("lair");
    expect(Object.keys(body[0] ?? {})).toEqual(["id", "branch", "base", "user"]);
    // Of another repository it is none.
    await app.repository(nina, "other", { auto_init: true });
    expect((await nina.api.delete(`/repos/nina/other/maintainer_edits/${trap.id}`)).status).toBe(404);
    expect((await victor.api.delete(`${at}/maintainer_edits/${trap.id}`)).status).toBe(204);
    expect((await victor.api.delete(`${at}/maintainer_edits/${trap.id}`)).status).toBe(404);
    const { body: pull } = await mallory.api.get<PullJson>(`/repos/mallory/lair/pulls/${trap.number}`);
    expect([pull.allow_maintainer_edit, pull.state]).toEqual([false, "open"]);
    await victor.api.delete(`${at}/collaborators/mallory`);
    expect(await attack(trap)).toEqual(nothing);
  });
});

test("a removal and a push that cross: what is pushed was pushed before", async () => {
  for (let round = 0; round < 8; round++) {
    await given.collaborator();
    const { branch } = await lay();
    const create = (name: string) =>
      mallory.api.post(`${at}/contents/${name}-${branch}.txt`, { content: "", message: "x", branch });
    // They push by both rights; the second one ends with the first.
    await victor.api.put(`${at}/collaborators/mallory`, { permission: "write" });
    const [removed, ...pushes] = await Promise.all([
      victor.api.delete(`${at}/collaborators/mallory`),
      ...["a", "b", "c"].map(create),
    ]);
    expect(removed.status).toBe(204);
    expect(pushes.every(({ status }) => [201, 403, 409].includes(status))).toBe(true);
    const after = (await refsOf())[`refs/heads/${branch}`];
    expect((await create("late")).status).toBe(403);
    expect((await refsOf())[`refs/heads/${branch}`]).toBe(after);
  }
});
