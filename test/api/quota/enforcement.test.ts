import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { recountUsage } from "../../../src/domain/identity/quota/recount-queries.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import { mustGit, runGit, Scratch } from "../../support/git.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp({
  quota: { enforced: true, repository_limit_bytes: 400_000, default_groups: ["standard"] },
});
const { api: root } = await app.admin();
await root.post("/admin/quota/rules", { name: "git", limit: 300_000, subjects: ["size:git:all"] });
await root.post("/admin/quota/rules", { name: "files", limit: 100, subjects: ["size:assets:all"] });
await root.post("/admin/quota/groups", { name: "standard", rules: [{ name: "git" }, { name: "files" }] });
await root.post("/admin/quota/groups", { name: "unlimited" });
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

interface Used {
  used: { size: { repos: { public: number }; git: { LFS: number }; assets: { attachments: object } } };
}
const usedBy = async (user: { api: typeof app.anonymous }) => (await user.api.get<Used>("/user/quota")).body.used.size;
const addressOf = (user: { name: string; token: string }, name: string, owner = user.name) =>
  `${app.url.replace("://", `://${user.name}:${user.token}@`)}/${owner}/${name}.git`;

/** A work tree with a commit of so many bytes that do not compress. */
async function workOf(name: string, bytes: number): Promise<string> {
  const work = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  await grow(work, bytes);
  return work;
}

async function grow(work: string, bytes: number): Promise<void> {
  writeFileSync(`${work}/${crypto.randomUUID()}`, randomBytes(bytes));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `${bytes} bytes`]);
}

describe("a push", () => {
  test("past the quota is refused while it comes, in words that git shows; nothing of it stays", async () => {
    const alice = await app.user("alice");
    await app.repository(alice, "site");
    const work = await workOf("alice", 200_000);
    const url = addressOf(alice, "site");
    await mustGit(work, ["push", "-q", url, "main"]);
    const before = await usedBy(alice);
    expect(before.repos.public).toBeGreaterThan(200_000);
    const tip = await mustGit(work, ["rev-parse", "main"]);
    await grow(work, 200_000);
    const refused = await runGit(work, ["push", url, "main"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('The quota of "alice" is exceeded');
    expect(refused.stderr).toMatch(
      /\d+ bytes of size:repos:public are used, \d+ more are allowed, and at least \d+ are/,
    );
    expect(await usedBy(alice)).toEqual(before);
    expect(await mustGit(scratch.path, ["ls-remote", url, "main"])).toBe(`${tip}\trefs/heads/main`);
    // What takes nothing more works, over the quota, too.
    await root.patch("/admin/quota/rules/git", { limit: 1000 });
    await mustGit(work, ["push", "-q", url, `${tip}:refs/heads/side`]);
    await mustGit(work, ["push", "-q", url, ":side"]);
    expect((await alice.api.get("/user/quota/check?subject=size:git:all")).body).toBe(true);
    await root.patch("/admin/quota/rules/git", { limit: 300_000 });
    // A group of their own, in the place of the default one.
    await root.put("/admin/quota/groups/unlimited/users/alice");
    await grow(work, 1000);
    await mustGit(work, ["reset", "-q", "--soft", tip]);
    await mustGit(work, ["reset", "-q", "--hard", tip]);
    await grow(work, 1000);
    await mustGit(work, ["push", "-q", url, "main"]);
    expect((await recountUsage(app.forge.database.db)).miscounts).toEqual([]);
  });

  test("past the limit of one repository is refused, whatever the quota", async () => {
    const bob = await app.user("bob");
    await root.put("/admin/quota/groups/unlimited/users/bob");
    await app.repository(bob, "site");
    const work = await workOf("bob", 500_000);
    const refused = await runGit(work, ["push", addressOf(bob, "site"), "main"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/The repository "bob\/site" has 0 bytes of at most 400000, and at least \d+ more/);
    expect((await usedBy(bob)).repos.public).toBe(0);
  });

  test("beside others cannot pass the quota together with them", async () => {
    const carol = await app.user("carol");
    const names = ["a", "b", "c", "d"];
    for (const name of names) {
      await app.repository(carol, name);
    }
    const works = await Promise.all(names.map((name) => workOf(`carol-${name}`, 120_000)));
    const pushes = await Promise.all(
      works.map((work, index) => runGit(work, ["push", addressOf(carol, names[index] ?? ""), "main"])),
    );
    expect(pushes.filter(({ code }) => code === 0)).toHaveLength(2);
    const told = pushes.filter(({ code }) => code !== 0).map(({ stderr }) => stderr.includes('The quota of "carol"'));
    expect(told).toEqual([true, true]);
    const used = (await usedBy(carol)).repos.public;
    expect(used).toBeGreaterThan(240_000);
    expect(used).toBeLessThanOrEqual(300_000);
  });
});

test("whoever comes near a limit is warned: in git's output, in a header, and once by a notification", async () => {
  const grace = await app.user("grace");
  await app.repository(grace, "site");
  const work = await workOf("grace", 250_000);
  const url = addressOf(grace, "site");
  expect((await runGit(work, ["push", url, "main"])).stderr).not.toContain("may use");
  await grow(work, 30_000);
  expect((await runGit(work, ["push", url, "main"])).stderr).toMatch(
    /warning: "grace" may use \d+ bytes more of size:repos:public, and uses 28\d+/,
  );
  const content = { content: btoa("more"), message: "m" };
  const { status, headers } = await grace.api.post("/repos/grace/site/contents/more.txt", content);
  expect([status, headers.get("x-quota-warning")]).toEqual([201, expect.stringMatching(/^"grace" may use \d+ bytes/)]);
  expect((await grace.api.get("/repos/grace/site")).headers.get("x-quota-warning")).toBeNull();

  const notices = async () =>
    (await grace.api.get<{ subject: object }[]>("/notifications")).body.map(({ subject }) => subject);
  expect(await notices()).toEqual([
    expect.objectContaining({ type: "Repository", title: 'The quota of "grace" is nearly used up' }),
  ]);
  await grace.api.put("/notifications");
  const again = { content: btoa("again"), message: "m" };
  expect((await grace.api.post("/repos/grace/site/contents/again.txt", again)).status).toBe(201);
  expect(await notices()).toEqual([]);
  // With room again, the next time is told again.
  const small = await app.repository(grace, "small");
  expect((await grace.api.delete("/repos/grace/site")).status).toBe(204);
  const first = await workOf("grace-small", 1000);
  await mustGit(first, ["push", addressOf(grace, small.name), "main"]);
  expect(await notices()).toEqual([]);
  await grow(first, 275_000);
  await mustGit(first, ["push", addressOf(grace, small.name), "main"]);
  expect(await notices()).toHaveLength(1);
});

test("LFS objects are refused by what the batch declares, and by what comes", async () => {
  const dave = await app.user("dave");
  await app.repository(dave, "site");
  const client = LfsClient.of(app, "dave/site", dave.token);
  const content = ["x".repeat(200_000), "y".repeat(150_000)] as const;
  const { body } = await client.batch(
    "upload",
    content.map((text) => ({ oid: sha256(text), size: text.length })),
  );
  expect(body.objects.map(({ error }) => error?.code)).toEqual([undefined, 413]);
  expect(body.objects[1]?.error?.message).toContain('The quota of "dave" is exceeded');
  expect((await client.put(sha256(content[0]), content[0])).status).toBe(200);
  expect((await client.put(sha256(content[1]), content[1])).status).toBe(413);
  expect((await usedBy(dave)).git.LFS).toBe(200_000);
});

test("files, new repositories, forks and transfers are refused with 413; deleting always works", async () => {
  const erin = await app.user("erin");
  const frank = await app.user("frank");
  await app.repository(erin, "site", { auto_init: true });
  await app.repository(frank, "other", { auto_init: true });
  const { id } = (await erin.api.post<{ id: number }>("/repos/erin/site/releases", { tag_name: "v1" })).body;
  const attach = async (path: string, bytes: number) => {
    const form = new FormData();
    form.append("attachment", new File([new Uint8Array(bytes).fill(65)], `${bytes}.txt`));
    const headers = { authorization: `token ${erin.token}` };
    const answer = await fetch(`${app.url}/api/v1${path}`, { method: "POST", headers, body: form });
    return { status: answer.status, body: (await answer.json()) as { id: number; message: string } };
  };
  const assets = `/repos/erin/site/releases/${id}/assets`;
  const first = await attach(assets, 80);
  expect(first.status).toBe(201);
  const second = await attach(assets, 30);
  expect(second).toMatchObject({
    status: 413,
    body: {
      message:
        'The quota of "erin" is exceeded: size:assets:attachments:releases would be 110 bytes, 10 more than allowed',
    },
  });
  const issue = (await erin.api.post<{ number: number }>("/repos/erin/site/issues", { title: "t" })).body.number;
  expect((await attach(`/repos/erin/site/issues/${issue}/assets`, 30)).status).toBe(413);
  expect((await usedBy(erin)).assets.attachments).toEqual({ issues: 0, releases: 80 });
  expect((await erin.api.delete(`${assets}/${first.body.id}`)).status).toBe(204);
  expect((await attach(assets, 30)).status).toBe(201);

  await root.patch("/admin/quota/rules/git", { limit: 10 });
  const content = { content: btoa("more"), message: "m" };
  for (const [path, body] of [
    ["/repos/frank/other/forks", {}],
    ["/user/repos", { name: "new" }],
    ["/repos/erin/site/contents/more.txt", content],
  ] as const) {
    expect(await erin.api.post(path, body)).toMatchObject({ status: 413 });
  }
  expect((await erin.api.get("/repos/erin/new")).status).toBe(404);
  expect((await erin.api.get("/repos/erin/other")).status).toBe(404);
  await root.put("/admin/quota/groups/unlimited/users/frank");
  expect((await frank.api.post("/repos/frank/other/transfer", { new_owner: "erin" })).status).toBe(201);
  expect((await erin.api.post("/repos/frank/other/transfer/accept")).status).toBe(413);
  expect((await frank.api.get<{ owner: { login: string } }>("/repos/frank/other")).body.owner.login).toBe("frank");
  expect((await erin.api.delete("/repos/erin/site")).status).toBe(204);
  await root.patch("/admin/quota/rules/git", { limit: 300_000 });
  expect((await recountUsage(app.forge.database.db)).miscounts).toEqual([]);
});
