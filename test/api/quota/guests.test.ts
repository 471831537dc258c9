import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { repackRepository } from "../../../src/domain/server/maintenance/repack-repository.ts";
import { findRepositoryBytes, findUsage } from "../../../src/domain/identity/quota/queries.ts";
import { recountUsage } from "../../../src/domain/identity/quota/recount-queries.ts";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import { mustGit, runGit, Scratch } from "../../support/git.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

/** Every byte has an owner, and what strangers bring has a share of its own, which never stops the owner. */

const app = await useTestApp({
  quota: { enforced: true, guest_percent: 25, default_groups: ["standard"], warning_percent: 0 },
});
const { api: root } = await app.admin();
await root.post("/admin/quota/rules", { name: "all", limit: 400_000, subjects: ["size:all"] });
await root.post("/admin/quota/groups", { name: "standard", rules: [{ name: "all" }] });
await root.post("/admin/quota/groups", { name: "unlimited" });
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
const { db } = app.forge.database;
const { files, change, config, git } = app.forge;
const maintenance = { db, change, config, git: git.engine, ...files };
const stranger = await app.user("stranger");
await root.put("/admin/quota/groups/unlimited/users/stranger");

interface Size {
  repos: { public: number; private: number };
  assets: { attachments: { issues: number } };
  wiki: number;
  pictures: number;
  texts: number;
  guests: number;
}
const withTexts = async (user: TestUser) =>
  (await user.api.get<{ used: { size: Size } }>("/user/quota")).body.used.size;
/** The texts of guests are not in `guests`: most of what guests bring comes with a title. */
const usedBy = async (user: TestUser) => {
  const size = await withTexts(user);
  return { ...size, guests: size.guests - (await findUsage(db, user.id)).guestsTexts };
};
const isRight = async () => expect((await recountUsage(db)).miscounts).toEqual([]);
const commit = (user: TestUser, path: string, bytes: number) =>
  user.api.post(`${path}/contents/${crypto.randomUUID()}`, { content: randomBytes(bytes).toString("base64") });
const urlOf = (user: TestUser, path: string) =>
  `${app.url.replace("://", `://${user.name}:${user.token}@`)}/${path}.git`;

async function attach(user: TestUser, path: string, bytes: number): Promise<Response> {
  const body = new FormData();
  body.append("attachment", new File([randomBytes(bytes)], "file.txt"));
  return fetch(`${app.url}/api/v1${path}`, { method: "POST", headers: { authorization: `token ${user.token}` }, body });
}

async function grow(work: string, bytes: number): Promise<void> {
  writeFileSync(`${work}/${crypto.randomUUID()}`, randomBytes(bytes));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `${bytes} bytes`]);
}

describe("strangers", () => {
  test("fill a share of the quota with files of issues, and the owner goes on", async () => {
    const alice = await app.user("alice");
    await app.repository(alice, "site", { auto_init: true });
    const { body } = await stranger.api.post<{ number: number }>("/repos/alice/site/issues", { title: "Broken" });
    const path = `/repos/alice/site/issues/${body.number}/assets`;
    expect((await attach(stranger, path, 60_000)).status).toBe(201);
    const refused = await attach(stranger, path, 60_000);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      message:
        'What others bring to "alice" is too much: size:assets:attachments:issues would be 120000 bytes of theirs, 20006 more than allowed; the owner can delete or merge some of it',
    });
    const used = await usedBy(alice);
    expect([used.assets.attachments.issues, used.guests]).toEqual([60_000, 60_000]);
    expect((await commit(alice, "/repos/alice/site", 300_000)).status).toBe(201);
    expect((await attach(alice, path, 60_000)).status).toBe(201);
    // The owner has a limit, and guests have theirs, however full the other one is.
    expect((await commit(alice, "/repos/alice/site", 60_000)).status).toBe(413);
    expect((await attach(stranger, path, 30_000)).status).toBe(201);
    expect((await alice.api.get("/user/quota/check?subject=size:all")).body).toBe(false);
    await isRight();
    expect((await alice.api.post("/repos/alice/site/transfer", { new_owner: "stranger" })).status).toBe(201);
    expect((await stranger.api.post("/repos/alice/site/transfer/accept")).status).toBe(202);
    expect((await usedBy(alice)).guests).toBe(0);
    await isRight();
  });

  test("fill it with changes that they push for review; what is merged is the owner's", async () => {
    const bob = await app.user("bob");
    await app.repository(bob, "site", { auto_init: true });
    const work = scratch.join("bob");
    await mustGit(scratch.path, ["clone", "-q", urlOf(stranger, "bob/site"), work]);
    await grow(work, 70_000);
    await mustGit(work, ["push", "-q", "origin", "HEAD:refs/for/main/first"]);
    const { guests } = await usedBy(bob);
    expect(guests).toBeGreaterThan(70_000);
    await isRight();
    await grow(work, 70_000);
    const refused = await runGit(work, ["push", "origin", "HEAD:refs/for/main/second"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('What others bring to "bob" is too much: size:git:all would be');
    expect((await commit(bob, "/repos/bob/site", 200_000)).status).toBe(201);
    const { id } = (await bob.api.get<{ id: number }>("/repos/bob/site")).body;
    await repackRepository(maintenance, { repositoryId: id, kind: "full" });
    expect((await usedBy(bob)).guests).toBe(guests);
    await isRight();
    const merged = await bob.api.post("/repos/bob/site/pulls/1/merge", { Do: "merge" });
    expect(merged.status).toBe(200);
    expect((await usedBy(bob)).guests).toBe(0);
    await isRight();
    await mustGit(work, ["fetch", "-q"]);
    await mustGit(work, ["push", "-q", "origin", "HEAD:refs/for/main/second"]);
    expect((await bob.api.delete("/repos/bob/site")).status).toBe(204);
    expect(await usedBy(bob)).toMatchObject({ guests: 0, repos: { public: 0, private: 0 } });
    await isRight();
  });

  test("bring an owner no more than both may have, however much of it is merged", async () => {
    const heidi = await app.user("heidi");
    await app.repository(heidi, "site", { auto_init: true });
    expect((await commit(heidi, "/repos/heidi/site", 360_000)).status).toBe(201);
    const work = scratch.join("heidi");
    await mustGit(scratch.path, ["clone", "-q", urlOf(stranger, "heidi/site"), work]);
    const pushed = [];
    for (const number of [1, 2, 3]) {
      await grow(work, 60_000);
      pushed.push((await runGit(work, ["push", "origin", `HEAD:refs/for/main/topic-${number}`])).code === 0);
      // No pack comes with this merge.
      await heidi.api.post(`/repos/heidi/site/pulls/${number}/merge`, { Do: "fast-forward-only" });
      await mustGit(work, ["fetch", "-q"]);
      await mustGit(work, ["reset", "-q", "--hard", "origin/main"]);
    }
    const { repos, guests } = await usedBy(heidi);
    expect([pushed, repos.public <= 500_000, guests > 60_000]).toEqual([[true, false, false], true, true]);
    expect((await heidi.api.get("/repos/heidi/site/pulls/1")).body).toMatchObject({ merged: true });
    await isRight();
  });

  test("have it again when the owner has deleted what they brought", async () => {
    const gina = await app.user("gina");
    await app.repository(gina, "site", { auto_init: true });
    expect((await commit(gina, "/repos/gina/site", 100_000)).status).toBe(201);
    const work = scratch.join("gina");
    await mustGit(scratch.path, ["clone", "-q", urlOf(stranger, "gina/site"), work]);
    const offer = (topic: string) => runGit(work, ["push", "-q", "origin", `HEAD:refs/for/main/${topic}`]);
    await grow(work, 70_000);
    expect((await offer("first")).code).toBe(0);
    await mustGit(work, ["reset", "-q", "--hard", "origin/main"]);
    await grow(work, 70_000);
    expect((await offer("second")).code).not.toBe(0);
    const { id } = (await gina.api.get<{ id: number }>("/repos/gina/site")).body;
    const { guests, repos } = await usedBy(gina);
    expect((await gina.api.delete("/repos/gina/site/issues/1")).status).toBe(204);
    // As long as the bytes are there, they are theirs.
    expect(await usedBy(gina)).toMatchObject({ guests, repos });
    const dropping = { ...maintenance, config: { ...config, git: { ...config.git, unreachable_days: 0 } } };
    await repackRepository(dropping, { repositoryId: id, kind: "full" });
    const left = await usedBy(gina);
    expect(left.guests).toBeLessThan(500);
    expect(left.repos.public).toBeWithin(100_000, 102_000);
    await isRight();
    expect((await offer("second")).code).toBe(0);
    await isRight();
  });

  test("fill it with pull requests from forks", async () => {
    const carol = await app.user("carol");
    await app.repository(carol, "tools", { auto_init: true });
    expect((await stranger.api.post("/repos/carol/tools/forks", {})).status).toBe(202);
    const [first, second] = ["first", "second"];
    for (const branch of [first, second]) {
      const content = randomBytes(70_000).toString("base64");
      const file = { content, new_branch: branch };
      expect((await stranger.api.post(`/repos/stranger/tools/contents/${branch}`, file)).status).toBe(201);
    }
    const open = (branch: string) =>
      stranger.api.post("/repos/carol/tools/pulls", { title: branch, head: `stranger:${branch}`, base: "main" });
    expect((await open(first)).status).toBe(201);
    expect((await open(second)).status).toBe(413);
    const { guests } = await usedBy(carol);
    expect(guests).toBeGreaterThan(70_000);
    expect((await commit(carol, "/repos/carol/tools", 250_000)).status).toBe(201);
    await waitUntilIdle(app.forge, 60_000);
    await carol.api.patch("/repos/carol/tools", { private: true });
    expect((await usedBy(carol)).guests).toBe(guests);
    await isRight();
  });

  test("keep the LFS objects of pull requests that are open in their share, whatever else is merged", async () => {
    const frank = await app.user("frank");
    await app.repository(frank, "media", { auto_init: true });
    expect((await stranger.api.post("/repos/frank/media/forks", {})).status).toBe(202);
    const bytes = randomBytes(20_000);
    const oid = sha256(bytes);
    expect((await LfsClient.of(app, "stranger/media", stranger.token).put(oid, bytes)).status).toBe(200);
    const add = (user: TestUser, owner: string, file: string, text: string) =>
      user.api.post(`/repos/${owner}/media/contents/${file}`, { content: btoa(text), new_branch: file });
    const open = (user: TestUser, head: string) =>
      user.api.post<{ number: number }>("/repos/frank/media/pulls", { title: head, head, base: "main" });
    const merge = (number: number) => frank.api.post(`/repos/frank/media/pulls/${number}/merge`, { Do: "merge" });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
    expect((await add(stranger, "stranger", "picture", pointer)).status).toBe(201);
    const theirs = await open(stranger, "stranger:picture");
    expect(theirs.status).toBe(201);
    const { guests } = await usedBy(frank);
    expect(guests).toBeGreaterThan(bytes.length);
    const { id } = (await frank.api.get<{ id: number }>("/repos/frank/media")).body;
    expect(await findRepositoryBytes(db, id)).toMatchObject({ guests });
    expect((await add(frank, "frank", "notes", "notes")).status).toBe(201);
    const own = await open(frank, "notes");
    expect((await merge(own.body.number)).status).toBe(200);
    expect((await usedBy(frank)).guests).toBe(guests);
    expect((await merge(theirs.body.number)).status).toBe(200);
    expect((await usedBy(frank)).guests).toBe(0);
    await isRight();
  });

  test("keep the LFS objects of a pull request in their share when another one from the same fork is merged", async () => {
    const mia = await app.user("mia");
    await app.repository(mia, "media", { auto_init: true });
    expect((await stranger.api.post("/repos/mia/media/forks", { name: "mia-media" })).status).toBe(202);
    const sizes: Record<string, number> = { small: 10_000, large: 30_000 };
    for (const [branch, size] of Object.entries(sizes)) {
      const bytes = randomBytes(size);
      const oid = sha256(bytes);
      expect((await LfsClient.of(app, "stranger/mia-media", stranger.token).put(oid, bytes)).status).toBe(200);
      const pointer = btoa(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);
      const file = { content: pointer, new_branch: branch };
      expect((await stranger.api.post(`/repos/stranger/mia-media/contents/${branch}`, file)).status).toBe(201);
      const pull = { title: branch, head: `stranger:${branch}`, base: "main" };
      expect((await stranger.api.post("/repos/mia/media/pulls", pull)).status).toBe(201);
    }
    expect((await usedBy(mia)).guests).toBeWithin(40_000, 42_000);
    expect((await mia.api.post("/repos/mia/media/pulls/1/merge", { Do: "merge" })).status).toBe(200);
    expect((await usedBy(mia)).guests).toBeWithin(30_000, 31_000);
    await isRight();
    expect((await mia.api.post("/repos/mia/media/pulls/2/merge", { Do: "merge" })).status).toBe(200);
    expect((await usedBy(mia)).guests).toBe(0);
    await isRight();
  });

  test("fill the share of a new owner, too, who takes no more than it", async () => {
    const [judy, kim] = [await app.user("judy"), await app.user("kim")];
    for (const user of [judy, kim]) {
      await app.repository(user, "site", { auto_init: true });
      const { body } = await stranger.api.post<{ number: number }>(`/repos/${user.name}/site/issues`, { title: "t" });
      const path = `/repos/${user.name}/site/issues/${body.number}/assets`;
      expect((await attach(stranger, path, 60_000)).status).toBe(201);
    }
    await app.repository(judy, "clean", { auto_init: true });
    await judy.api.patch("/repos/judy/site", { name: "other" });
    expect((await judy.api.post("/repos/judy/other/transfer", { new_owner: "kim" })).status).toBe(201);
    const refused = await kim.api.post("/repos/judy/other/transfer/accept");
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({
      message: expect.stringMatching(
        /^What others bring to "kim" is too much: size:all would be 120002 bytes of theirs, 20002 more/,
      ),
    });
    expect([(await usedBy(judy)).guests, (await usedBy(kim)).guests]).toEqual([60_000, 60_000]);
    // What nobody else brought anything to is taken, even by an owner whose share of guests is more than full.
    await root.post("/admin/quota/rules", { name: "half", limit: 200_000, subjects: ["size:all"] });
    await root.post("/admin/quota/groups", { name: "half", rules: [{ name: "half" }] });
    await root.put("/admin/quota/groups/half/users/kim");
    expect((await judy.api.post("/repos/judy/clean/transfer", { new_owner: "kim" })).status).toBe(201);
    expect((await kim.api.post("/repos/judy/clean/transfer/accept")).status).toBe(202);
    await isRight();
  });

  test("fill it with texts of issues and comments, and with what these were before", async () => {
    const nina = await app.user("nina");
    await app.repository(nina, "forum", { auto_init: true });
    const text = (bytes: number) => "x".repeat(bytes);
    const send = (method: "post" | "patch", by: TestUser, path: string, bytes: number) =>
      by.api[method]<{ id: number }>(`/repos/nina/forum${path}`, { title: "t", body: text(bytes) });
    expect((await send("post", nina, "/issues", 10_000)).status).toBe(201);
    expect(await withTexts(nina)).toMatchObject({ texts: 10_001, guests: 0 });
    expect((await send("post", stranger, "/issues", 20_000)).status).toBe(201);
    const comment = await send("post", stranger, "/issues/1/comments", 30_000);
    expect(comment.status).toBe(201);
    expect(await withTexts(nina)).toMatchObject({ texts: 60_002, guests: 50_001 });
    expect((await send("patch", stranger, `/issues/comments/${comment.body.id}`, 40_000)).status).toBe(200);
    expect(await withTexts(nina)).toMatchObject({ texts: 100_002, guests: 90_001 });
    await isRight();
    const refusals = [
      await send("post", stranger, "/issues", 10_000),
      await send("post", stranger, "/issues/1/comments", 10_000),
      await send("patch", stranger, `/issues/comments/${comment.body.id}`, 60_000),
      await send("patch", stranger, "/issues/2", 10_000),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
    expect(refusals[1]?.body).toMatchObject({
      message: expect.stringMatching(
        /^What others bring to "nina" is too much: size:all would be 100001 bytes of theirs, 1 more/,
      ),
    });
    expect((await withTexts(nina)).guests).toBe(90_001);

    // The owner moderates, and goes on.
    expect((await send("patch", nina, `/issues/comments/${comment.body.id}`, 10)).status).toBe(200);
    expect((await send("post", nina, "/issues/1/comments", 20_000)).status).toBe(201);
    expect((await commit(nina, "/repos/nina/forum", 200_000)).status).toBe(201);
    expect((await nina.api.delete(`/repos/nina/forum/issues/comments/${comment.body.id}`)).status).toBe(204);
    expect(await withTexts(nina)).toMatchObject({ texts: 50_002, guests: 20_001 });
    await isRight();
    expect((await send("post", stranger, "/issues/1/comments", 10_000)).status).toBe(201);
    expect((await nina.api.delete("/repos/nina/forum/issues/2")).status).toBe(204);
    expect((await withTexts(nina)).guests).toBe(10_000);
    expect((await nina.api.delete("/repos/nina/forum")).status).toBe(204);
    expect(await withTexts(nina)).toMatchObject({ texts: 0, guests: 0 });
    await isRight();
  });

  test("fill it with a wiki that anybody may edit, and those who write to it go on", async () => {
    const ivan = await app.user("ivan");
    await app.repository(ivan, "docs", { auto_init: true });
    expect((await ivan.api.patch("/repos/ivan/docs", { globally_editable_wiki: true })).status).toBe(200);
    const page = (user: TestUser, title: string, bytes: number) =>
      user.api.post("/repos/ivan/docs/wiki/new", { title, content_base64: randomBytes(bytes).toString("base64") });
    expect((await page(ivan, "Home", 10_000)).status).toBe(201);
    expect((await usedBy(ivan)).guests).toBe(0);
    expect((await page(stranger, "Written", 40_000)).status).toBe(201);
    const { wiki, guests } = await usedBy(ivan);
    expect(wiki).toBeWithin(50_000, 52_000);
    expect(guests).toBeWithin(40_000, 41_000);
    await isRight();
    const refused = await page(stranger, "More", 70_000);
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({
      message: expect.stringMatching(
        /^What others bring to "ivan" is too much: size:wiki would be \d+ bytes of theirs/,
      ),
    });
    const work = scratch.join("ivan");
    await mustGit(scratch.path, ["clone", "-q", urlOf(stranger, "ivan/docs.wiki"), work]);
    await grow(work, 40_000);
    await mustGit(work, ["push", "-q", "origin", "HEAD"]);
    await grow(work, 40_000);
    const push = await runGit(work, ["push", "origin", "HEAD"]);
    expect(push.code).not.toBe(0);
    expect(push.stderr).toContain('"ivan"');
    const object = randomBytes(30_000);
    const put = (user: TestUser, bytes: Buffer) =>
      LfsClient.of(app, "ivan/docs.wiki", user.token).put(sha256(bytes), bytes);
    expect((await put(stranger, object)).status).toBe(413);
    const batch = await LfsClient.of(app, "ivan/docs.wiki", stranger.token).batch("upload", [
      { oid: sha256(object), size: object.length },
    ]);
    expect(batch.body.objects[0]?.error?.code).toBe(413);
    expect((await put(stranger, object.subarray(0, 5000))).status).toBe(200);
    const full = await usedBy(ivan);
    expect(full.guests).toBeWithin(85_000, 87_500);
    await isRight();

    // The share is nearly full, and its owner has the whole of their own.
    expect((await page(ivan, "Mine", 180_000)).status).toBe(201);
    expect((await commit(ivan, "/repos/ivan/docs", 180_000)).status).toBe(201);
    expect((await usedBy(ivan)).guests).toBe(full.guests);
    await isRight();

    const { id } = (await ivan.api.get<{ id: number }>("/repos/ivan/docs")).body;
    await repackRepository(maintenance, { repositoryId: -id, kind: "full" });
    const packed = await usedBy(ivan);
    expect(packed.guests).toBeWithin(80_000, full.guests + 1);
    await isRight();
    expect((await ivan.api.patch("/repos/ivan/docs", { private: true })).status).toBe(200);
    await isRight();
    expect((await ivan.api.post("/repos/ivan/docs/transfer", { new_owner: "stranger" })).status).toBe(201);
    expect((await stranger.api.post("/repos/ivan/docs/transfer/accept")).status).toBe(202);
    expect(await usedBy(ivan)).toMatchObject({ wiki: 0, guests: 0 });
    await isRight();
    expect((await stranger.api.delete("/repos/stranger/docs")).status).toBe(204);
    await isRight();
  });
});

describe("every byte", () => {
  test("of a wiki has an owner, who is held to the quota", async () => {
    const dave = await app.user("dave");
    await app.repository(dave, "pages", { auto_init: true });
    const page = (title: string, bytes: number) =>
      dave.api.post("/repos/dave/pages/wiki/new", { title, content_base64: randomBytes(bytes).toString("base64") });
    expect((await page("Home", 100_000)).status).toBe(201);
    expect((await usedBy(dave)).wiki).toBeGreaterThan(100_000);
    await isRight();
    const refused = await page("More", 350_000);
    expect(refused.status).toBe(413);
    expect((await commit(dave, "/repos/dave/pages", 320_000)).status).toBe(413);
    await dave.api.post("/repos/dave/pages/transfer", { new_owner: "stranger" });
    await stranger.api.post("/repos/dave/pages/transfer/accept");
    expect((await usedBy(dave)).wiki).toBe(0);
    expect((await usedBy(stranger)).wiki).toBeGreaterThan(100_000);
    await isRight();
    expect((await stranger.api.delete("/repos/stranger/pages")).status).toBe(204);
    await isRight();
  });

  test("of pictures has one", async () => {
    const erin = await app.user("erin");
    await app.repository(erin, "site");
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
      "base64",
    );
    for (const path of ["/user/avatar", "/repos/erin/site/avatar"]) {
      expect((await erin.api.post(path, { image: png.toString("base64") })).status).toBe(204);
    }
    expect((await usedBy(erin)).pictures).toBe(2 * png.length);
    await root.post("/admin/quota/rules", { name: "none", limit: 10, subjects: ["size:assets:all"] });
    await root.post("/admin/quota/groups", { name: "none", rules: [{ name: "none" }] });
    await root.put("/admin/quota/groups/none/users/erin");
    expect((await erin.api.post("/user/avatar", { image: png.toString("base64") })).status).toBe(413);
    expect((await erin.api.delete("/user/avatar")).status).toBe(204);
    expect((await erin.api.delete("/repos/erin/site")).status).toBe(204);
    expect((await usedBy(erin)).pictures).toBe(0);
    await isRight();
  });
});
