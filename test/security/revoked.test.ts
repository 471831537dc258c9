import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LfsClient, sha256 } from "../lfs/raw-lfs.ts";
import { Scratch } from "../support/git.ts";
import { Identified, holdRequest, type HeldAnswer } from "../support/held-request.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { hiddenFields, WebVisitor } from "../support/web-visitor.ts";
import { makeFirstPack } from "./first-pack.ts";

/**
 * What a request was allowed by is gone when the end of its body comes: a body may take hours, and nothing is changed then.
 * Each surface is asked with each kind of credential that it takes.
 */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const { sql } = app.forge.database;
const identified = new Identified(app);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const { oid, pack } = await makeFirstPack(scratch);

let number = 0;
/** Owns the repository `site`. */
let alice: TestUser;
/** Administers the server, and may write to the repository. */
let bob: TestUser;
let repositoryId = 0;

beforeEach(async () => {
  number++;
  alice = await app.user(`alice-${number}`);
  bob = await app.user(`bob-${number}`, { isAdmin: true });
  ({ id: repositoryId } = await app.repository(alice, "site"));
});

const basic = (user: TestUser) => `Basic ${Buffer.from(`${user.name}:${testPassword}`).toString("base64")}`;
const suspend = () => sql`update account set suspended = true where owner_id = ${bob.id}`;
const demote = () => sql`update account set is_admin = false where owner_id = ${bob.id}`;
const deleteToken = () => sql`delete from access_token where user_id = ${bob.id}`;
const expireToken = () => sql`update access_token set expires_at = now() where user_id = ${bob.id}`;
const narrowToken = () => sql`update access_token set scopes = '{read:user}' where user_id = ${bob.id}`;
const changePassword = () => sql`update account set password_hash = 'another' where owner_id = ${bob.id}`;

const signedOut = "You were signed out while the request was under way";

describe("an administrator who makes a user over the API", () => {
  const make = (authorization: string, further: Record<string, string> = {}) =>
    holdRequest(app.url, identified, {
      method: "POST",
      path: "/api/v1/admin/users",
      headers: { authorization, "content-type": "application/json", ...further },
      body: Buffer.from(
        JSON.stringify({
          username: `new-${number}`,
          email: `new-${number}@example.com`,
          password: "a long enough one",
        }),
      ),
    });
  const token = () => `token ${bob.token}`;

  async function expectNothing({ status, text }: HeldAnswer, expected: number, message: string): Promise<void> {
    expect({ status, told: text.includes(message) || text }).toEqual({ status: expected, told: true });
    expect(await sql`select 1 from owner where name = ${`new-${number}`}`).toHaveLength(0);
  }

  test.each([
    ["is suspended", suspend, 401, signedOut],
    ["has the token deleted", deleteToken, 401, signedOut],
    ["has the token expire", expireToken, 401, signedOut],
    ["has a token of fewer scopes", narrowToken, 403, "does not have the required scope: write:admin"],
    ["is no administrator any more", demote, 403, "does not have the required scope: write:admin"],
  ] as const)("%s", async (_, revoke, status, message) => {
    const held = await make(token());
    await revoke();
    await expectNothing(await held.finish(), status, message);
  });

  test("has another password", async () => {
    const held = await make(basic(bob));
    await changePassword();
    await expectNothing(await held.finish(), 401, signedOut);
  });

  test("acted as somebody, and may not any more", async () => {
    const carol = await app.user(`carol-${number}`, { isAdmin: true });
    const held = await make(token(), { sudo: carol.name });
    await demote();
    await expectNothing(await held.finish(), 403, "Only site administrators may act as another user");
  });

  test("acted as somebody with a token that has no scope for that any more", async () => {
    const carol = await app.user(`carol-${number}`);
    const held = await holdRequest(app.url, identified, {
      method: "POST",
      path: "/api/v1/user/repos",
      headers: { authorization: token(), sudo: carol.name, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ name: "made" })),
    });
    await sql`update access_token set scopes = '{write:user,write:repository}' where user_id = ${bob.id}`;
    const { status, text } = await held.finish();
    expect({ status, message: text.includes("write:admin") || text }).toEqual({ status: 403, message: true });
    expect(await sql`select 1 from repository where owner_id = ${carol.id}`).toHaveLength(0);
  });

  test("acted as somebody who is suspended now", async () => {
    const carol = await app.user(`carol-${number}`, { isAdmin: true });
    const held = await make(token(), { sudo: carol.name });
    await sql`update account set suspended = true where owner_id = ${carol.id}`;
    await expectNothing(await held.finish(), 404, `There is no user \\"${carol.name}\\" to act as`);
  });

  test("is let, when nothing was taken away", async () => {
    expect((await (await make(token())).finish()).status).toBe(201);
    expect((await (await make(basic(bob))).finish()).status).toBe(422);
  });
});

describe("a page's form", () => {
  let browser: WebVisitor;

  async function makeToken() {
    browser = new WebVisitor(app.url);
    await browser.signIn(bob.name, testPassword);
    const path = "/user/settings/tokens";
    const fields = {
      ...hiddenFields((await browser.get(path)).text, path),
      name: "by form",
      lifetime: "30",
      scope_user: "read",
    };
    return holdRequest(app.url, identified, {
      method: "POST",
      path,
      headers: { cookie: browser.cookie, "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(new URLSearchParams(fields).toString()),
    });
  }
  const tokens = () => sql`select 1 from access_token where user_id = ${bob.id} and name = 'by form'`;

  test.each([
    ["of a session that ended", () => sql`delete from session where user_id = ${bob.id}`],
    ["of a session that expired", () => sql`update session set expires_at = now() where user_id = ${bob.id}`],
    ["of somebody who is suspended", suspend],
    ["of somebody with another password", changePassword],
  ])("%s leads to signing in", async (_, revoke) => {
    const held = await makeToken();
    await revoke();
    const { status, text } = await held.finish();
    expect({ status, location: /^location: (.*)\r$/im.exec(text)?.[1] }).toEqual({
      status: 303,
      location: "/user/login",
    });
    expect(await tokens()).toHaveLength(0);
  });

  test("is taken, when nothing was taken away", async () => {
    expect((await (await makeToken()).finish()).status).toBe(200);
    expect(await tokens()).toHaveLength(1);
  });
});

const packs = () =>
  readdirSync(app.forge.files.packDirectory, { recursive: true }).filter((name) => String(name).endsWith(".pack"));
const refs = () => sql`select 1 from ref where repository_id = ${repositoryId}`;

/** A push of one new branch, as git sends it: the command, a flush, the pack. */
function pushBody(): Buffer {
  const command = `${"0".repeat(40)} ${oid} refs/heads/new\0report-status\n`;
  const line = (command.length + 4).toString(16).padStart(4, "0") + command;
  return Buffer.concat([Buffer.from(`${line}0000`), pack]);
}

async function letWrite(): Promise<void> {
  await demote();
  await sql`insert into collaborator (repository_id, user_id, mode) values (${repositoryId}, ${bob.id}, 2)`;
}
const endCollaboration = () => sql`delete from collaborator where user_id = ${bob.id}`;
/** What the report of a push says: of somebody whose credential is gone, and of somebody whose access is. */
const reports = {
  gone: () => `ng refs/heads/new ${signedOut}`,
  refused: () => `ng refs/heads/new You may read "${alice.name}/site", but not push to it`,
};

describe("a push over HTTP", () => {
  const push = async (authorization: string) =>
    holdRequest(app.url, identified, {
      method: "POST",
      path: `/${alice.name}/site.git/git-receive-pack`,
      headers: { authorization, "content-type": "application/x-git-receive-pack-request" },
      body: pushBody(),
      held: 20,
    });

  test.each([
    ["with a token that was deleted", false, deleteToken, "gone"],
    ["with a token that expired", false, expireToken, "gone"],
    ["by somebody who was suspended", false, suspend, "gone"],
    ["with a password that is another one", true, changePassword, "gone"],
    ["by somebody whose access ended", false, endCollaboration, "refused"],
  ] as const)("%s changes nothing", async (_, withPassword, revoke, report) => {
    await letWrite();
    const before = packs();
    const held = await push(withPassword ? basic(bob) : `token ${bob.token}`);
    await revoke();
    const { status, text } = await held.finish();
    expect({ status, told: text.includes(reports[report]()) || text }).toEqual({ status: 200, told: true });
    expect(await refs()).toHaveLength(0);
    expect(packs()).toEqual(before);
  });

  test("is taken, when nothing was taken away", async () => {
    await letWrite();
    const { text } = await (await push(basic(bob))).finish();
    expect(text).toContain("ok refs/heads/new");
    expect(await refs()).toHaveLength(1);
  });
});

describe("a push over SSH", () => {
  let key: SshKeyPair;
  beforeEach(() => {
    key = new SshKeyPair();
  });
  afterEach(() => key[Symbol.dispose]());

  /** Begins a push by ssh itself, sends all but the end of the pack, and gives that and the report when it is told to. */
  async function push() {
    const body = pushBody();
    const child = Bun.spawn([...key.command, app.ssh ?? "", `git-receive-pack '${alice.name}/site.git'`], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    const stdout = child.stdout.getReader();
    // Whoever is told of the refs was let in.
    const { value } = await stdout.read();
    expect(Buffer.from(value ?? []).toString("latin1")).toContain("report-status");
    void child.stdin.write(body.subarray(0, -20));
    await child.stdin.flush();
    return async (): Promise<string> => {
      void child.stdin.write(body.subarray(-20));
      await child.stdin.end();
      let text = "";
      for (let piece = await stdout.read(); !piece.done; piece = await stdout.read()) {
        text += Buffer.from(piece.value).toString("latin1");
      }
      await child.exited;
      return text;
    };
  }

  test.each([
    ["with a key that was deleted", () => sql`delete from ssh_key where user_id = ${bob.id}`, "gone"],
    ["by somebody who was suspended", suspend, "gone"],
    ["by somebody whose access ended", endCollaboration, "refused"],
  ] as const)("%s changes nothing", async (_, revoke, report) => {
    await letWrite();
    await key.addTo(bob);
    const before = packs();
    const finish = await push();
    await revoke();
    expect(await finish()).toContain(reports[report]());
    expect(await refs()).toHaveLength(0);
    expect(packs()).toEqual(before);
  });

  test.each([
    ["was deleted", () => sql`delete from deploy_key where repository_id = ${repositoryId}`, () => signedOut],
    [
      "may only read now",
      () => sql`update deploy_key set read_only = true where repository_id = ${repositoryId}`,
      () => `This deploy key may read "${alice.name}/site", but not push to it`,
    ],
  ])("with a deploy key that %s changes nothing", async (_, revoke, message) => {
    await key.deploy(alice, "site", false);
    const finish = await push();
    await revoke();
    expect(await finish()).toContain(`ng refs/heads/new ${message()}`);
    expect(await refs()).toHaveLength(0);
  });

  test("is taken, when nothing was taken away", async () => {
    await key.deploy(alice, "site", false);
    expect(await (await push())()).toContain("ok refs/heads/new");
    expect(await refs()).toHaveLength(1);
  });
});

describe("an upload over LFS", () => {
  const content = () => Buffer.from(`an object ${number}`);
  const put = (authorization: string) =>
    holdRequest(app.url, identified, {
      method: "PUT",
      path: `/${alice.name}/site.git/info/lfs/objects/${sha256(content())}`,
      headers: { authorization, "content-type": "application/octet-stream" },
      body: content(),
    });

  async function expectNothing({ status, text }: HeldAnswer, expected: number, message: string): Promise<void> {
    expect({ status, told: text.includes(message) || text }).toEqual({ status: expected, told: true });
    expect(
      await sql`select 1 from blob_reference where kind = 'lfs-object' and subject_id = ${repositoryId}`,
    ).toHaveLength(0);
    expect(await app.forge.files.blobs.find(sha256(content()))).toBe(null);
  }

  test.each([
    ["with a token that was deleted", false, deleteToken, 401, signedOut],
    ["by somebody who was suspended", false, suspend, 401, signedOut],
    ["with a password that is another one", true, changePassword, 401, signedOut],
    ["by somebody whose access ended", false, endCollaboration, 403, "but not push to it"],
  ] as const)("%s leaves nothing", async (_, withPassword, revoke, status, message) => {
    await letWrite();
    const held = await put(withPassword ? basic(bob) : `token ${bob.token}`);
    await revoke();
    await expectNothing(await held.finish(), status, message);
  });

  test("with what git-lfs-authenticate gave for a key that was deleted leaves nothing", async () => {
    await letWrite();
    using key = new SshKeyPair();
    await key.addTo(bob);
    const { stdout } = await key.run(app.ssh ?? "", [`git-lfs-authenticate '${alice.name}/site.git' upload`]);
    const held = await put((JSON.parse(stdout) as { header: { Authorization: string } }).header.Authorization);
    await sql`delete from ssh_key where user_id = ${bob.id}`;
    await expectNothing(await held.finish(), 401, signedOut);
  });

  test("is taken, when nothing was taken away", async () => {
    await letWrite();
    expect((await (await put(basic(bob))).finish()).status).toBe(200);
    const { status } = await LfsClient.of(app, `${alice.name}/site`, bob.token).get(sha256(content()));
    expect(status).toBe(200);
  });
});

test("no unfinished file is left behind", () => {
  expect(readdirSync(join(app.forge.files.temporaryDirectory))).toEqual([]);
});
