import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { openForGit } from "../../src/domain/work/git-access/open-for-git.ts";
import { redact } from "../support/redact.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";

/** What an account's state does to each of its credentials, from the next request on. */

const app = await useTestApp({
  server: { trusted_proxies: ["127.0.0.0/8"] },
  auth: {
    enable_reverse_proxy_authentication_api: true,
    failed_sign_ins_per_minute: 1000,
    failed_sign_ins_per_account: 1000,
  },
});
const { sql } = app.forge.database;
const admin = await app.admin();

/** A new Ed25519 key as it stands in a public key file. */
function newPublicKey(): string {
  const raw = generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from("ssh-ed25519")), field(raw)]).toString("base64")}`;
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const headersOf: Record<string, (user: TestUser) => Record<string, string>> = {
  password: ({ name }) => ({ authorization: basic(name, testPassword) }),
  "e-mail address and password": ({ name }) => ({ authorization: basic(`${name}@example.com`, testPassword) }),
  token: ({ token }) => ({ authorization: `token ${token}` }),
  "token as the password": ({ name, token }) => ({ authorization: basic(name, token) }),
  "token as the user name": ({ token }) => ({ authorization: basic(token, "x-oauth-basic") }),
  "name from a trusted proxy": ({ name }) => ({ "x-webauth-user": name }),
};

async function userWithKey(name: string): Promise<{ user: TestUser; fingerprint: string }> {
  const user = await app.user(name);
  const { body } = await user.api.post<{ fingerprint: string }>("/user/keys", { title: "key", key: newPublicKey() });
  await app.repository(user, "site", { private: true, auto_init: true });
  return { user, fingerprint: body.fingerprint };
}

/** What each credential is answered, by API and by git over HTTP; and whether the SSH key opens the user's repository. */
async function answers({ user, fingerprint }: { user: TestUser; fingerprint: string }): Promise<unknown> {
  const byHttp = await Promise.all(
    Object.entries(headersOf).map(async ([kind, headers]) => {
      const { status, body } = await app.anonymous.get("/user", headers(user));
      const git = await fetch(`${app.url}/${user.name}/site.git/info/refs?service=git-upload-pack`, {
        headers: headers(user),
      });
      return [kind, { status, body: status === 200 ? null : redact(body), git: git.status }] as const;
    }),
  );
  const ssh = await openForGit(
    app.forge,
    async (target) =>
      (await app.forge.identity.identifyKey(fingerprint, target)) ?? {
        actor: null,
        credential: { kind: "none" },
        owner: null,
        repository: null,
      },
    user.name,
    "site",
    "fetch",
  ).then(
    () => "opened",
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
  return { http: Object.fromEntries(byHttp), ssh };
}

const kinds = Object.keys(headersOf);
const each = (answer: unknown) => Object.fromEntries(kinds.map((kind) => [kind, answer]));
const invalid = {
  status: 401,
  body: { message: "The user name, password or token is not valid", url: "<url>/api/swagger" },
  git: 401,
};

describe("every credential of an account that is", () => {
  test.each([
    ["suspended", ({ id }: TestUser) => sql`update account set suspended = true where owner_id = ${id}`],
    ["not active", ({ id }: TestUser) => sql`update account set active = false where owner_id = ${id}`],
    ["deleted", ({ name }: TestUser) => admin.api.delete(`/admin/users/${name}?purge=true`)],
  ])("%s is answered like an invalid one", async (state, change) => {
    const account = await userWithKey(state.replace(" ", "-"));
    expect(await answers(account)).toEqual({ http: each({ status: 200, body: null, git: 200 }), ssh: "opened" });
    await change(account.user);
    expect(await answers(account)).toEqual({
      http: each(invalid),
      ssh: expect.stringMatching(/^sign-in-required: /),
    });
  });
});

test("an account that must change its password is refused everything, and told so, until it did", async () => {
  const account = await userWithKey("novice");
  await sql`update account set must_change_password = true where owner_id = ${account.user.id}`;
  const message = "You must change your password first: sign in on the website to do so, or ask an administrator";
  const refused = { status: 403, body: { message, url: "<url>/api/swagger" }, git: 403 };
  expect(await answers(account)).toEqual({ http: each(refused), ssh: `password-change-required: ${message}` });
  const git = await fetch(`${app.url}/novice/site.git/info/refs?service=git-receive-pack`, {
    headers: { authorization: basic("novice", testPassword) },
  });
  expect(await git.text()).toBe(`${message}\n`);
  const lfs = await fetch(`${app.url}/novice/site.git/info/lfs/locks`, {
    headers: { authorization: `token ${account.user.token}`, accept: "application/vnd.git-lfs+json" },
  });
  expect({ status: lfs.status, text: await lfs.text() }).toEqual({
    status: 403,
    text: expect.stringContaining("change your password"),
  });
  for (const [method, path, body] of [
    ["POST", "/users/novice/tokens", { name: "x", scopes: ["all"] }],
    ["POST", "/user/two_factor", undefined],
    ["GET", "/version", undefined],
  ] as const) {
    const answer = await app.withPassword("novice").request(method, path, body === undefined ? {} : { body });
    expect({ path, status: answer.status }).toEqual({ path, status: 403 });
  }
  // A wrong password is not told apart from one of anybody else.
  expect((await app.withPassword("novice", "wrong password").get("/user")).status).toBe(401);
  await sql`update account set must_change_password = false where owner_id = ${account.user.id}`;
  expect(await answers(account)).toEqual({ http: each({ status: 200, body: null, git: 200 }), ssh: "opened" });
});

test("site administrators who must change their password act as nobody else either", async () => {
  const boss = await app.admin("boss");
  await app.user("clerk");
  await sql`update account set must_change_password = true where owner_id = ${boss.id}`;
  expect((await boss.api.get("/user", { sudo: "clerk" })).status).toBe(403);
});
