import { expect, test } from "bun:test";
import { createLfsToken } from "../../src/domain/git/lfs/lfs-token.ts";
import { removeTwoFactor } from "../../src/domain/identity/two-factor/enrolment.ts";
import { setPassword } from "../../src/domain/identity/users/set-password.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { enrolTwoFactor } from "../support/totp.ts";
import { LfsClient, letWrite, repositoryByName, sha256 } from "./raw-lfs.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

/** What the tokens open that a batch, or git-lfs-authenticate, gives. */

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { private: true });
await app.repository(alice, "second", { private: true });
await letWrite(app, bob, "alice", "site");

const content = "an object";
const oid = sha256(content);
await LfsClient.of(app, "alice/site", alice.token).put(oid, content);

type Action = Awaited<ReturnType<LfsClient["action"]>>;
const get = async ({ href, header }: Action, at = href) => (await fetch(at, { headers: header })).status;
const put = async ({ href, header }: Action, text = "new") =>
  (await fetch(href, { method: "PUT", headers: header, body: text })).status;
const asBob = (token = bob.token) => LfsClient.of(app, "alice/site", token);

test("opens LFS of its repository for its operation, and nothing else", async () => {
  const download = await asBob().action("download", oid, content.length);
  expect(await get(download)).toBe(200);
  const upload = await asBob().action("upload", sha256("new"), 3);
  expect(await put(upload)).toBe(200);

  expect(await put({ ...upload, header: download.header })).toBe(403);
  expect(await get({ ...download, header: upload.header })).toBe(403);
  await letWrite(app, bob, "alice", "second");
  for (const { header } of [download, upload]) {
    const elsewhere = { ...header, accept: "application/vnd.git-lfs+json" };
    const batch = (operation: string) =>
      fetch(`${app.url}/alice/second.git/info/lfs/objects/batch`, {
        method: "POST",
        headers: elsewhere,
        body: JSON.stringify({ operation, objects: [] }),
      });
    expect([(await batch("download")).status, (await batch("upload")).status]).toEqual([401, 401]);
    expect(
      (await fetch(`${app.url}/alice/site.git/info/refs?service=git-upload-pack`, { headers: header })).status,
    ).toBe(401);
    expect((await fetch(`${app.url}/api/v1/user`, { headers: header })).status).toBe(401);
    expect((await fetch(`${app.url}/api/v1/repos/alice/site/media/x`, { headers: header })).status).toBe(401);
  }
});

test("a batch asked with one gives the same again, for as long as it lasts", async () => {
  const { header } = await asBob().action("upload", sha256("later"), 5);
  const ask = async (operation: string) => {
    const response = await fetch(`${app.url}/alice/site.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: header,
      body: JSON.stringify({ operation, objects: [{ oid: sha256("later"), size: 5 }] }),
    });
    return {
      status: response.status,
      body: (await response.json()) as { objects?: { actions: { upload: Action } }[] },
    };
  };
  expect((await ask("upload")).body.objects?.[0]?.actions.upload.header).toEqual(header);
  expect((await ask("download")).status).toBe(403);
});

test("who may no longer write cannot finish what was begun, and who may no longer read gets nothing more", async () => {
  const upload = await asBob().action("upload", sha256("late"), 4);
  const download = await asBob().action("download", oid, content.length);
  const { id } = await repositoryByName(app, "alice", "site");
  await sql`update collaborator set mode = 1 where repository_id = ${id} and user_id = ${bob.id}`;
  expect([await put(upload, "late"), await get(download)]).toEqual([403, 200]);
  await sql`delete from collaborator where repository_id = ${id} and user_id = ${bob.id}`;
  expect([await put(upload, "late"), await get(download)]).toEqual([404, 404]);
  await letWrite(app, bob, "alice", "site");
  expect(await get(download)).toBe(200);
});

test("ends with the access token it was made with", async () => {
  const token = await app.token(bob, ["write:repository"]);
  const download = await asBob(token).action("download", oid, content.length);
  expect(await get(download)).toBe(200);
  await sql`delete from access_token where hash = sha256(${token}::bytea)`;
  expect(await get(download)).toBe(401);
});

test("ends with the account that is suspended", async () => {
  const carol = await app.user("carol");
  await letWrite(app, carol, "alice", "site");
  const download = await LfsClient.of(app, "alice/site", carol.token).action("download", oid, content.length);
  await sql`update account set suspended = true where owner_id = ${carol.id}`;
  expect(await get(download)).toBe(401);
});

test("of a password ends with the password, and when a second factor joins it", async () => {
  const dora = await app.user("dora");
  await letWrite(app, dora, "alice", "site");
  const basic = {
    authorization: `Basic ${Buffer.from(`dora:${testPassword}`).toString("base64")}`,
    accept: "application/vnd.git-lfs+json",
  };
  const batch = async (): Promise<Action> => {
    const body = JSON.stringify({ operation: "download", objects: [{ oid, size: content.length }] });
    const response = await fetch(`${app.url}/alice/site.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: basic,
      body,
    });
    return ((await response.json()) as { objects: { actions: { download: Action } }[] }).objects[0]!.actions.download;
  };
  const download = await batch();
  expect(await get(download)).toBe(200);
  await enrolTwoFactor(app, "dora");
  expect(await get(download)).toBe(401);
  await app.forge.change(serverDoer("test"), (work) => removeTwoFactor(work, dora));
  const another = await batch();
  expect(await get(another)).toBe(200);
  await app.forge.change(serverDoer("test"), (work) =>
    setPassword(work, { username: "dora", password: "another password", mustChangePassword: false }, 8),
  );
  expect(await get(another)).toBe(401);
});

test("of a key opens what the key opens, for as long as the key is there", async () => {
  const { id } = await repositoryByName(app, "alice", "site");
  const insertKey = async (name: string, userId: number | null): Promise<number> => {
    const [row] = await sql<
      { id: string }[]
    >`insert into ssh_key (fingerprint, content, user_id, title) values (${name}, ${name}, ${userId}, ${userId === null ? "" : name}) returning id`;
    return Number(row?.id);
  };
  const [mine, deploys] = [await insertKey("SHA256:mine", bob.id), await insertKey("SHA256:deploys", null)];
  const [deployed] = await sql<
    { id: string }[]
  >`insert into deploy_key (key_id, repository_id, title, read_only) values (${deploys}, ${id}, 'ci', false) returning id`;
  const deployKeyId = Number(deployed?.id);
  const access = { repository: { id, name: "site" }, owner: { name: "alice" } } as Parameters<
    typeof createLfsToken
  >[1]["access"];
  const tokenOf = (operation: "upload" | "download", credential: Parameters<typeof createLfsToken>[1]["credential"]) =>
    createLfsToken(app.forge, { access, operation, actor: null, credential });
  const user = tokenOf("download", { kind: "ssh-key", keyId: mine });
  const deployCredential = { kind: "deploy-key", keyId: deploys, deployKeyId, readOnly: false } as const;
  const deploy = { download: tokenOf("download", deployCredential), upload: tokenOf("upload", deployCredential) };
  const at = (made: { href: string; header: { Authorization: string } }, name: string): Action => ({
    href: `${made.href}/objects/${sha256(name)}`,
    header: made.header,
    expires_in: 0,
  });

  expect(user.href).toBe(`${app.url}/alice/site.git/info/lfs`);
  expect([
    await get(at(user, content)),
    await get(at(deploy.download, content)),
    await put(at(deploy.upload, "by a machine"), "by a machine"),
  ]).toEqual([200, 200, 200]);
  const lock = await fetch(`${deploy.upload.href}/locks`, {
    method: "POST",
    headers: deploy.upload.header,
    body: JSON.stringify({ path: "a.bin" }),
  });
  expect(lock.status).toBe(403);

  await sql`update deploy_key set read_only = true where id = ${deployKeyId}`;
  expect([await get(at(deploy.download, content)), await put(at(deploy.upload, "more"), "more")]).toEqual([200, 403]);
  await sql`delete from deploy_key where id = ${deployKeyId}`;
  expect([401, 404]).toContain(await get(at(deploy.download, content)));
  await sql`delete from ssh_key where id = ${mine}`;
  expect(await get(at(user, content))).toBe(401);
});

test("what is forged is like any wrong credential", async () => {
  const download = await asBob().action("download", oid, content.length);
  const [head = "", signature = ""] = (download.header["Authorization"] ?? "").split(".");
  expect(
    await get({
      ...download,
      header: { authorization: `${head}.${signature.replace(/^./, (one) => (one === "A" ? "B" : "A"))}` },
    }),
  ).toBe(401);
});
