import { describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { session } from "../../src/db/schema/credentials.ts";
import { account } from "../../src/db/schema/owners.ts";
import { setPassword } from "../../src/domain/identity/users/set-password.ts";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");

const visitor = (headers: Record<string, string> = {}) => new WebVisitor(app.url, headers);

async function signedIn(name = "alice"): Promise<WebVisitor> {
  const browser = visitor();
  expect((await browser.signIn(name, testPassword)).status).toBe(303);
  return browser;
}

async function isSignedIn(browser: WebVisitor): Promise<boolean> {
  return (await browser.get("/")).text.includes("Sign out");
}

test("after a wrong password the name stands there, and the password is typed next", async () => {
  const focused = (text: string) => /<input [^>]*id="(\w+)"[^>]* autofocus>/.exec(text)?.[1];
  const browser = visitor();
  expect(focused((await browser.get("/user/login")).text)).toBe("user_name");
  const { status, text } = await browser.submit("/user/login", { user_name: "alice", password: "wrong" });
  expect([status, focused(text)]).toEqual([401, "password"]);
  expect(text).toContain('value="alice"');
});

describe("a form is refused", () => {
  const fields = { user_name: "alice", password: testPassword };

  test("without a token, with another browser's, and without the cookie it was made for", async () => {
    const browser = visitor();
    const page = await browser.get("/user/login");
    expect((await browser.post("/user/login", fields)).status).toBe(403);
    const other = visitor();
    const foreign = hiddenFields((await other.get("/user/login")).text, "/user/login");
    expect((await browser.post("/user/login", { ...fields, ...foreign })).status).toBe(403);
    expect((await visitor().post("/user/login", { ...fields, ...hiddenFields(page.text, "/user/login") })).status).toBe(
      403,
    );
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("when a page of another site sent it", async () => {
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ] as Record<string, string>[]) {
      const browser = visitor();
      const hidden = hiddenFields((await browser.get("/user/login")).text, "/user/login");
      expect((await browser.post("/user/login", { ...hidden, ...fields }, headers)).status).toBe(403);
    }
    const browser = visitor({ origin: app.url, "sec-fetch-site": "same-origin" });
    expect((await browser.signIn("alice", testPassword)).status).toBe(303);
  });

  test("when it is no form, or too large", async () => {
    const browser = await signedIn();
    expect(
      (await browser.request("POST", "/user/logout", { body: "{}", headers: { "content-type": "application/json" } }))
        .status,
    ).toBe(422);
    expect((await browser.post("/user/logout", { text: "x".repeat(100_000) })).status).toBe(413);
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("signing in", () => {
  test("with a wrong password and with an unknown name gives the same answer", async () => {
    const [wrong, unknown] = await Promise.all([
      visitor().signIn("alice", "not it"),
      visitor().signIn("nobody", "not it"),
    ]);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const plain = (text: string) => text.replace(/value="[^"]*"/g, "");
    expect(plain(wrong.text)).toBe(plain(unknown.text));
    expect(wrong.text).toContain("The user name or password is wrong.");
  });

  test("sets a cookie that scripts cannot read, new at each sign-in; signing out ends it", async () => {
    const browser = visitor();
    const before = (await browser.get("/user/login")).headers.get("set-cookie");
    const answer = await browser.signIn("ALICE", testPassword);
    const after = answer.headers.get("set-cookie") ?? "";
    expect(after).toMatch(/^stithy_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    expect(after).not.toBe(before);
    expect(await isSignedIn(browser)).toBe(true);

    const { cookie } = browser;
    const stored = await app.forge.database.db.select().from(session).where(eq(session.userId, alice.id));
    expect(JSON.stringify(stored)).not.toContain(cookie.split("=")[1] ?? "");
    expect((await browser.submit("/", {}, "/user/logout")).location).toBe("/");
    expect(browser.cookie).toBe("");
    browser.cookie = cookie;
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("leads to where somebody wanted to go, on this server only", async () => {
    const browser = visitor();
    const sent = await browser.get("/user/settings/change_password?a=b");
    expect(sent.status).toBe(303);
    const landed = async (redirect_to: string) =>
      (await visitor().submit("/user/login", { user_name: "alice", password: testPassword, redirect_to })).location;
    expect(await landed("/alice?page=2")).toBe("/alice?page=2");
    for (const elsewhere of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      expect(await landed(elsewhere)).toBe("/");
    }
  });

  test("too often wrong has to wait, and the right password with it", async () => {
    await using strict = await TestApp.start({ auth: { failed_sign_ins_per_minute: 2 } });
    await strict.user("bob");
    const browser = new WebVisitor(strict.url);
    expect([(await browser.signIn("bob", "a")).status, (await browser.signIn("bob", "b")).status]).toEqual([401, 401]);
    const refused = await browser.signIn("bob", testPassword);
    expect(refused.status).toBe(429);
    expect(
      await strict
        .withPassword("bob")
        .get("/user")
        .then(({ status }) => status),
    ).toBe(429);
  });
});

describe("a session", () => {
  test("says nothing to the API and to git, and an Authorization header says nothing to pages", async () => {
    const browser = await signedIn();
    expect((await browser.get("/api/v1/user")).status).toBe(401);
    await app.repository(alice, "closed", { private: true });
    expect((await browser.get("/alice/closed.git/info/refs?service=git-upload-pack")).status).toBe(401);
    expect((await visitor({ authorization: `token ${alice.token}` }).get("/alice/closed")).status).toBe(404);
    expect((await browser.get("/alice/closed")).status).toBe(200);
  });

  test("ends when it was not used for too long, when it is too old, and with its user's suspension", async () => {
    const { db } = app.forge.database;
    const bob = await app.user("bob");
    const age = async (change: Partial<Record<"lastUsedAt" | "expiresAt", ReturnType<typeof sql>>>) => {
      const browser = await signedIn("bob");
      expect(await isSignedIn(browser)).toBe(true);
      await db
        .update(session)
        .set(change as never)
        .where(eq(session.userId, bob.id));
      return isSignedIn(browser);
    };
    expect(await age({ lastUsedAt: sql`now() - interval '169 hours'` })).toBe(false);
    expect(await age({ expiresAt: sql`now() - interval '1 second'` })).toBe(false);
    const browser = await signedIn("bob");
    await db.update(account).set({ suspended: true }).where(eq(account.ownerId, bob.id));
    expect(await isSignedIn(browser)).toBe(false);
    expect((await visitor().signIn("bob", testPassword)).status).toBe(401);
  });

  test("ends when its browser signs in as somebody else", async () => {
    await app.user("fred");
    const browser = await signedIn();
    const { cookie } = browser;
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await browser.get("/")).text)?.[1] ?? "";
    await browser.post("/user/login", { _csrf: csrf, user_name: "fred", password: testPassword });
    expect((await browser.get("/")).text).toContain("fred, your account</span>");
    browser.cookie = cookie;
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("pages of somebody who signed in are kept by nobody; every page forbids foreign scripts, frames and content", async () => {
    const browser = await signedIn();
    expect((await browser.get("/")).headers.get("cache-control")).toBe("no-store");
    const { headers } = await visitor().get("/");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; media-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "same-origin"]);
    expect((await visitor().get("/")).text.match(/<script/g)).toHaveLength(1);
  });
});

describe("a password", () => {
  test("is changed with the one before, which ends all other sessions", async () => {
    await app.user("carol");
    const [browser, other] = [await signedIn("carol"), await signedIn("carol")];
    const path = "/user/settings/change_password";
    const change = (password: string, next: string, repeated = next) =>
      browser.submit(path, { password, new_password: next, repeated });
    expect((await change("wrong", "a brand new one")).text).toContain("The current password is wrong.");
    expect((await change(testPassword, "short")).status).toBe(422);
    expect((await change(testPassword, "a brand new one", "another new one")).text).toContain(
      "The two new passwords are not the same.",
    );
    expect((await change(testPassword, testPassword)).status).toBe(422);
    expect(await isSignedIn(other)).toBe(true);

    const { cookie } = browser;
    expect((await change(testPassword, "a brand new one")).status).toBe(303);
    expect(browser.cookie).not.toBe(cookie);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await visitor().signIn("carol", "a brand new one")).status).toBe(303);
  });

  test("that an administrator wants changed opens nothing else before it is", async () => {
    await app.user("dora");
    await app.forge.change(serverDoer("test"), (work) =>
      setPassword(work, { username: "dora", password: testPassword, mustChangePassword: true }, 8),
    );
    const wanted = "redirect_to=%2Falice%2Fsite%3Fa%3Db";
    const browser = visitor();
    const fields = { user_name: "dora", password: testPassword };
    const entered = await browser.submit("/user/login?redirect_to=/alice/site?a=b", fields);
    expect([entered.status, entered.location]).toEqual([303, `/user/settings/change_password?${wanted}`]);
    expect(await isSignedIn(browser)).toBe(false);
    // The page to sign in on leads on, too.
    const again = await browser.get(`/user/login?${wanted}`);
    expect([again.status, again.location]).toEqual([303, entered.location]);
    const page = await browser.get(entered.location);
    expect(page.text).toContain("Somebody else set your password. Choose one of your own before you continue.");
    const changed = await browser.submit(entered.location, {
      password: testPassword,
      new_password: "mine alone now",
      repeated: "mine alone now",
    });
    expect([changed.status, changed.location]).toEqual([303, "/alice/site?a=b"]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("that an administrator wants changed can be left alone: the page signs out", async () => {
    await app.user("erin");
    await app.forge.change(serverDoer("test"), (work) =>
      setPassword(work, { username: "erin", password: testPassword, mustChangePassword: true }, 8),
    );
    const browser = await signedIn("erin");
    const left = await browser.submit("/user/settings/change_password", {}, "/user/logout");
    expect([left.status, left.location]).toEqual([303, "/"]);
    expect((await browser.get("/user/login")).status).toBe(200);
  });
});

describe("a name from a reverse proxy", () => {
  const named = { "x-webauth-user": "alice" };
  const start = (trusted: string) =>
    TestApp.start({ server: { trusted_proxies: [trusted] }, auth: { enable_reverse_proxy_authentication: true } });

  test("counts for nothing by default, and from an address that is not trusted", async () => {
    expect((await visitor(named).get("/")).text).not.toContain("Sign out");
    await using closed = await start("192.0.2.1");
    await closed.user("alice");
    expect((await new WebVisitor(closed.url, named).get("/")).text).not.toContain("Sign out");
  });

  test("signs in from a trusted address; a page of another site uses it for nothing", async () => {
    await using proxied = await start("127.0.0.1");
    await proxied.user("alice");
    const page = await new WebVisitor(proxied.url, named).get("/user/settings/tokens");
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect((await new WebVisitor(proxied.url, { "x-webauth-user": "nobody" }).get("/")).status).toBe(401);
    const browser = new WebVisitor(proxied.url, named);
    const fields = {
      ...hiddenFields((await browser.get("/user/settings/tokens")).text, "/user/settings/tokens"),
      name: "x",
      all: "1",
      lifetime: "never",
    };
    expect((await browser.post("/user/settings/tokens", fields, { origin: "https://evil.example" })).status).toBe(403);
    expect((await new WebVisitor(proxied.url, named).post("/user/settings/tokens", fields)).status).toBe(403);
    expect((await browser.post("/user/settings/tokens", fields)).text).toContain("This is the new token");
  });
});

describe("behind a proxy with https", () => {
  test("the cookie goes over https alone, with a name that only this host can set; links lead through the path of the server", async () => {
    await using proxied = await TestApp.start({ server: { base_url: "https://forge.example/git" } });
    await proxied.user("alice");
    const browser = new WebVisitor(proxied.url, { origin: "https://forge.example" });
    const page = await browser.get("/user/login?redirect_to=/git/alice");
    expect(page.headers.get("set-cookie")).toMatch(
      /^__Host-stithy=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(page.text).toContain('href="/git/assets/');
    const fields = { ...hiddenFields(page.text, "/git/user/login"), user_name: "alice", password: testPassword };
    const answer = await browser.post("/user/login", fields);
    expect([answer.status, answer.location]).toEqual([303, "/git/alice"]);
    expect(answer.headers.get("set-cookie")).toStartWith("__Host-stithy=");
    browser.cookie = browser.cookie.replace("__Host-stithy", "stithy_session");
    expect((await browser.get("/")).text).not.toContain("Sign out");
  });
});
