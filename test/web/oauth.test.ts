import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { account } from "../../src/db/schema/owners.ts";
import { deleteExpiredGranted } from "../../src/domain/identity/oauth/queries.ts";
import { TestApp, testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { WebVisitor, hiddenFields, type WebPage } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const owner = await app.user("owner");
const callback = "https://ci.example/authorize";

interface Application {
  id: number;
  client_id: string;
  client_secret: string;
}

async function register(confidential: boolean, redirectUris = [callback]): Promise<Application> {
  const body = {
    name: `App ${crypto.randomUUID().slice(0, 4)}`,
    redirect_uris: redirectUris,
    confidential_client: confidential,
  };
  return (await owner.api.post<Application>("/user/applications/oauth2", body)).body;
}

const drone = await register(true);
const native = await register(false, ["http://127.0.0.1/done", "com.example.app:/done"]);

let users = 0;
async function someone(): Promise<{ user: TestUser; browser: WebVisitor }> {
  const user = await app.user(`user-${++users}`);
  const browser = new WebVisitor(app.url);
  await browser.signIn(user.name, testPassword);
  return { user, browser };
}

function authorizeUrl(fields: Record<string, string>): string {
  return `/login/oauth/authorize?${new URLSearchParams({ client_id: drone.client_id, redirect_uri: callback, response_type: "code", state: "s t&e", ...fields }).toString()}`;
}

/** Answers the page of consent, or the redirect where none is asked for. */
async function decide(browser: WebVisitor, url: string, decision: "allow" | "deny"): Promise<URL> {
  const page = await browser.get(url);
  if (page.location !== "") {
    return new URL(page.location);
  }
  expect(page.status).toBe(200);
  const answer = await browser.post("/login/oauth/grant", {
    ...hiddenFields(page.text, "/login/oauth/grant"),
    decision,
  });
  return new URL(answer.location);
}

type Answer = Record<string, string | number | boolean> & {
  error?: string;
  access_token: string;
  refresh_token: string;
};

async function post(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Answer; headers: Headers }> {
  const response = await fetch(`${app.url}${path}`, { method: "POST", body: new URLSearchParams(fields), headers });
  return { status: response.status, body: (await response.json()) as Answer, headers: response.headers };
}

const secretOf = ({ client_id, client_secret }: Application) => ({ client_id, client_secret });
const exchange = (code: string, fields: Record<string, string> = {}) =>
  post("/login/oauth/access_token", {
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    ...secretOf(drone),
    ...fields,
  });
const refresh = (token: string, fields: Record<string, string> = {}) =>
  post("/login/oauth/access_token", {
    grant_type: "refresh_token",
    refresh_token: token,
    ...secretOf(drone),
    ...fields,
  });
const codeOf = (answer: URL) => answer.searchParams.get("code") ?? "";

function pkce(): { verifier: string; fields: { code_challenge: string; code_challenge_method: string } } {
  const verifier = randomBytes(32).toString("base64url");
  return {
    verifier,
    fields: {
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    },
  };
}

describe("nobody is redirected", () => {
  test("to an address that is not registered, and for an application that is not", async () => {
    const { browser } = await someone();
    const wrong = [
      { client_id: "unknown" },
      { redirect_uri: "https://evil.example/" },
      { redirect_uri: `${callback}/` },
      { redirect_uri: `${callback}?x=1` },
      { redirect_uri: "javascript:alert(1)" },
      { client_id: native.client_id, redirect_uri: "http://localhost/done" },
      { client_id: native.client_id, redirect_uri: "" },
    ];
    for (const fields of wrong as Record<string, string>[]) {
      const page = await browser.get(authorizeUrl(fields));
      expect([page.status, page.location]).toEqual([400, ""]);
    }
    const twice = await browser.get(`${authorizeUrl({})}&redirect_uri=https%3A%2F%2Fevil.example`);
    expect([twice.status, twice.location]).toEqual([400, ""]);
  });

  test("without their consent: a code is only given for a form of the page, sent by its own browser", async () => {
    const { browser } = await someone();
    const { browser: other } = await someone();
    const hidden = hiddenFields((await browser.get(authorizeUrl({}))).text, "/login/oauth/grant");
    const { _csrf, ...rest } = hidden;
    expect(_csrf).toBeString();
    expect((await browser.post("/login/oauth/grant", { ...rest, decision: "allow" })).status).toBe(403);
    expect((await other.post("/login/oauth/grant", { ...hidden, decision: "allow" })).status).toBe(403);
    expect(
      (await browser.post("/login/oauth/grant", { ...hidden, decision: "allow" }, { origin: "https://evil.example" }))
        .status,
    ).toBe(403);
    expect((await browser.get("/login/oauth/grant")).status).toBe(404);
    const evil = await browser.post("/login/oauth/grant", {
      ...hidden,
      request: (hidden["request"] ?? "").replace("ci.example", "evil.example"),
      decision: "allow",
    });
    expect([evil.status, evil.location]).toEqual([400, ""]);
  });
});

describe("an application is told", () => {
  test("what was wrong with its request, with the state as it came", async () => {
    const { browser } = await someone();
    const told = async (fields: Record<string, string>) => {
      const { searchParams } = new URL((await browser.get(authorizeUrl(fields))).location);
      expect([searchParams.get("state"), searchParams.get("iss"), searchParams.get("code")]).toEqual([
        "s t&e",
        app.url,
        null,
      ]);
      return searchParams.get("error");
    };
    expect(await told({ response_type: "token" })).toBe("unsupported_response_type");
    expect(await told({ scope: "openid write:everything" })).toBe("invalid_scope");
    expect(await told({ code_challenge: "x", code_challenge_method: "plain" })).toBe("invalid_request");
    expect(await told({ code_challenge: "x".repeat(43) })).toBe("invalid_request");
    expect(await told({ prompt: "none" })).toBe("consent_required");
    expect(await told({ client_id: native.client_id, redirect_uri: "http://127.0.0.1:4711/done" })).toBe(
      "invalid_request",
    );
    const refused = await decide(browser, authorizeUrl({}), "deny");
    expect([refused.origin, refused.searchParams.get("error"), refused.searchParams.get("state")]).toEqual([
      "https://ci.example",
      "access_denied",
      "s t&e",
    ]);
    expect(
      new URL((await new WebVisitor(app.url).get(authorizeUrl({ prompt: "none" }))).location).searchParams.get("error"),
    ).toBe("login_required");
  });
});

test("without a session it leads through signing in, whose page allows the way back to the application only", async () => {
  const user = await app.user("newcomer");
  const browser = new WebVisitor(app.url);
  const url = authorizeUrl({});
  const { location } = await browser.get(url);
  expect(location).toStartWith("/user/login?redirect_to=%2Flogin%2Foauth%2Fauthorize");
  expect((await browser.get(location)).headers.get("content-security-policy")).toContain(
    "form-action 'self' https://ci.example;",
  );
  const landed = await browser.submit(location, { user_name: user.name, password: testPassword });
  expect(landed.location).toBe(url);
  const consent = await browser.get(url);
  expect(consent.headers.get("content-security-policy")).toContain("form-action 'self' https://ci.example;");
  expect(consent.text).toContain("do everything that you may do");
  const evil = `/user/login?redirect_to=${encodeURIComponent(authorizeUrl({ redirect_uri: "https://evil.example/" }))}`;
  expect((await new WebVisitor(app.url).get(evil)).headers.get("content-security-policy")).toContain(
    "form-action 'self';",
  );
});

describe("tokens", () => {
  test("of a client of the family, which sends no scope, no PKCE, and its secret: may do what the user may; asked for once only", async () => {
    const { user, browser } = await someone();
    const answer = await decide(browser, authorizeUrl({}), "allow");
    expect([answer.searchParams.get("state"), answer.searchParams.get("iss")]).toEqual(["s t&e", app.url]);
    const tokens = await exchange(codeOf(answer));
    expect(tokens.status).toBe(200);
    expect(tokens.body).toEqual({
      access_token: expect.stringMatching(/^sty_/) as string,
      token_type: "bearer",
      expires_in: 3600,
      refresh_token: expect.any(String) as string,
      scope: "all",
    });
    expect(tokens.headers.get("cache-control")).toBe("no-store");
    const api = app.withToken(tokens.body.access_token);
    expect((await api.get<{ login: string }>("/user")).body.login).toBe(user.name);
    expect((await api.post("/user/repos", { name: "made-by-ci" })).status).toBe(201);
    // It is no token of the user's list, and makes no other tokens.
    expect((await user.api.get<unknown[]>(`/users/${user.name}/tokens`)).body).toHaveLength(1);
    expect((await api.post(`/users/${user.name}/tokens`, { name: "x", scopes: ["all"] })).status).toBe(403);
    expect((await browser.get(authorizeUrl({}))).location).toStartWith("https://ci.example/authorize?code=");
    expect((await browser.get(authorizeUrl({ prompt: "consent" }))).status).toBe(200);
  });

  test("do what was asked for, and no more", async () => {
    const { browser } = await someone();
    const { body } = await exchange(
      codeOf(await decide(browser, authorizeUrl({ scope: "openid email read:repository" }), "allow")),
    );
    expect(body["scope"]).toBe("openid email read:repository");
    const api = app.withToken(body.access_token);
    expect((await api.get("/user")).status).toBe(403);
    expect((await api.get("/repos/search")).status).toBe(200);
    expect((await browser.get(authorizeUrl({ scope: "openid read:repository" }))).location).toStartWith(callback);
    expect((await browser.get(authorizeUrl({ scope: "openid write:repository" }))).status).toBe(200);
  });

  test("are not given for a code that is wrong, old, another application's, or sent elsewhere", async () => {
    const { browser } = await someone();
    const code = async () => codeOf(await decide(browser, authorizeUrl({}), "allow"));
    const other = await register(true);
    expect((await exchange("unknown")).body.error).toBe("invalid_grant");
    expect((await exchange(await code(), { redirect_uri: `${callback}/` })).body.error).toBe("invalid_grant");
    expect((await exchange(await code(), { code_verifier: "v".repeat(43) })).body.error).toBe("invalid_grant");
    expect((await exchange(await code(), secretOf(other))).body.error).toBe("invalid_grant");
    const wrongSecret = await exchange(await code(), { client_secret: other.client_secret });
    expect([wrongSecret.status, wrongSecret.body.error, wrongSecret.headers.get("www-authenticate")]).toEqual([
      401,
      "invalid_client",
      'Basic realm="Stithy"',
    ]);
    expect((await exchange(await code(), { client_secret: "" })).body.error).toBe("invalid_client");
    expect((await exchange(await code(), { grant_type: "password" })).body.error).toBe("unsupported_grant_type");
    const old = await code();
    await app.forge.database.sql`update oauth_code set expires_at = now() - interval '1 second' where used_at is null`;
    expect((await exchange(old)).body.error).toBe("invalid_grant");
  });

  test("are given without the address where the application left it to its registration, and not where it did not", async () => {
    const { browser } = await someone();
    const bare = `/login/oauth/authorize?${new URLSearchParams({ client_id: drone.client_id, response_type: "code" }).toString()}`;
    const redeem = async (url: string) => {
      const code = codeOf(await decide(browser, url, "allow"));
      return (await post("/login/oauth/access_token", { grant_type: "authorization_code", code, ...secretOf(drone) }))
        .status;
    };
    expect([await redeem(bare), await redeem(authorizeUrl({}))]).toEqual([200, 400]);
  });

  test("are removed when they have expired, and what is left of them refuses", async () => {
    const { user, browser } = await someone();
    const { body } = await exchange(codeOf(await decide(browser, authorizeUrl({}), "allow")));
    const { db, sql } = app.forge.database;
    await sql`update access_token set expires_at = now() where user_id = ${user.id} and name like 'oauth %'`;
    expect((await app.withToken(body.access_token).get("/user")).status).toBe(401);
    await db.transaction(deleteExpiredGranted);
    expect(await sql`select name from access_token where user_id = ${user.id} and name like 'oauth %'`).toHaveLength(0);
    const next = (await refresh(body.refresh_token)).body;
    expect((await app.withToken(next.access_token).get("/user")).status).toBe(200);
    await sql`update oauth_refresh_token set expires_at = now() where used_at is null`;
    expect((await refresh(next.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("end, all of them, when a code comes twice", async () => {
    const { browser } = await someone();
    const code = codeOf(await decide(browser, authorizeUrl({}), "allow"));
    const { body } = await exchange(code);
    expect((await exchange(code)).body.error).toBe("invalid_grant");
    expect((await app.withToken(body.access_token).get("/user")).status).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await browser.get(authorizeUrl({}))).status).toBe(200);
  });

  test("of one code asked for twice at once are given once at most", async () => {
    const { browser } = await someone();
    const code = codeOf(await decide(browser, authorizeUrl({}), "allow"));
    const answers = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test("are refreshed, each refresh token once; a second use ends all of them", async () => {
    const { browser } = await someone();
    const first = (
      await exchange(codeOf(await decide(browser, authorizeUrl({ scope: "read:user read:repository" }), "allow")))
    ).body;
    expect((await refresh(first.refresh_token, { scope: "read:user write:admin" })).body.error).toBe("invalid_scope");
    const second = (await refresh(first.refresh_token, { scope: "read:user" })).body;
    expect(second["scope"]).toBe("read:user");
    const third = (await refresh(second.refresh_token)).body;
    expect((await app.withToken(third.access_token).get("/user")).status).toBe(200);
    expect((await refresh(first.refresh_token)).body.error).toBe("invalid_grant");
    expect((await app.withToken(third.access_token).get("/user")).status).toBe(401);
    expect((await refresh(third.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("end with the user's consent, with the application, and with the user's right to sign in", async () => {
    const tokensFor = async (browser: WebVisitor, from: Application) => {
      const code = codeOf(await decide(browser, authorizeUrl({ client_id: from.client_id }), "allow"));
      return (await exchange(code, secretOf(from))).body;
    };
    const works = async (token: string) => (await app.withToken(token).get("/user")).status === 200;
    const { user, browser } = await someone();
    const [gone, temporary] = [await register(true), await register(true)];

    const revoked = await tokensFor(browser, drone);
    const applications = "/user/settings/applications";
    expect((await browser.get(applications)).text).toContain("do everything that you may do");
    const stranger = (await someone()).browser;
    const { id = "" } = hiddenFields((await browser.get(applications)).text, `${applications}/revoke`);
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await stranger.get(applications)).text)?.[1] ?? "";
    await stranger.post(`${applications}/revoke`, { _csrf: csrf, id });
    expect(await works(revoked.access_token)).toBe(true);
    await browser.submit(applications, {}, `${applications}/revoke`);
    expect([await works(revoked.access_token), (await refresh(revoked.refresh_token)).body.error]).toEqual([
      false,
      "invalid_grant",
    ]);

    const orphan = await tokensFor(browser, gone);
    await owner.api.delete(`/user/applications/oauth2/${gone.id}`);
    expect(await works(orphan.access_token)).toBe(false);
    expect((await user.api.get<unknown[]>(`/users/${user.name}/tokens`)).body).toHaveLength(1);

    const last = await tokensFor(browser, temporary);
    await app.forge.database.db.update(account).set({ suspended: true }).where(eq(account.ownerId, user.id));
    expect(await works(last.access_token)).toBe(false);
  });
});

describe("an application without a secret", () => {
  const native4711 = { client_id: native.client_id, redirect_uri: "http://127.0.0.1:4711/done" };
  const redeem = (code: string, fields: Record<string, string>) =>
    post("/login/oauth/access_token", { grant_type: "authorization_code", code, ...native4711, ...fields });

  test("proves itself by PKCE, on any port of its loopback address; people are asked each time", async () => {
    const { browser } = await someone();
    const { verifier, fields } = pkce();
    const url = authorizeUrl({ ...native4711, ...fields });
    const answer = await decide(browser, url, "allow");
    expect(answer.origin).toBe("http://127.0.0.1:4711");
    expect((await redeem(codeOf(answer), { code_verifier: pkce().verifier })).body.error).toBe("invalid_grant");
    expect((await redeem(codeOf(await decide(browser, url, "allow")), {})).body.error).toBe("invalid_grant");
    const { body } = await redeem(codeOf(await decide(browser, url, "allow")), { code_verifier: verifier });
    expect(body.access_token).toStartWith("sty_");
    const page = await browser.get(url);
    expect([page.status, page.location]).toEqual([200, ""]);
    const again = await post("/login/oauth/access_token", {
      grant_type: "refresh_token",
      refresh_token: body.refresh_token,
      client_id: native.client_id,
    });
    expect(again.body.access_token).toStartWith("sty_");
    const app4 = await browser.get(
      authorizeUrl({ ...fields, client_id: native.client_id, redirect_uri: "com.example.app:/done" }),
    );
    expect(app4.headers.get("content-security-policy")).toContain("form-action 'self' com.example.app:;");
  });
});

describe("who somebody is", () => {
  test("is told as far as the scopes go, to valid tokens only", async () => {
    const { user, browser } = await someone();
    await app.organization(`org-${user.name}`, user);
    const info = async (token: string) => {
      const response = await fetch(`${app.url}/login/oauth/userinfo`, {
        headers: token === "" ? {} : { authorization: `Bearer ${token}` },
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const tokenFor = async (scope: string) =>
      (await exchange(codeOf(await decide(browser, authorizeUrl({ scope }), "allow")))).body.access_token;
    expect((await info("")).status).toBe(401);
    expect((await info("sty_wrong")).status).toBe(401);
    expect((await info(await app.token(user, ["read:repository"]))).status).toBe(403);
    expect(await info(await tokenFor("openid"))).toEqual({ status: 200, body: { sub: String(user.id) } });
    const all = await info(await tokenFor("openid profile email groups"));
    expect(all.body).toMatchObject({
      sub: String(user.id),
      preferred_username: user.name,
      email: `${user.name}@example.com`,
      groups: [`org-${user.name}`, `org-${user.name}:Owners`],
    });
    expect((await info(await tokenFor(""))).body).toMatchObject({ preferred_username: user.name });
  });

  test("has the organizations that the token may know of, and no others", async () => {
    const { user } = await someone();
    await app.organization(`open-${user.name}`, user);
    await app.organization(`shut-${user.name}`, user, { visibility: "private" });
    const groups = async (...scopes: string[]) => {
      const response = await fetch(`${app.url}/login/oauth/userinfo`, {
        headers: { authorization: `Bearer ${await app.token(user, scopes)}` },
      });
      return ((await response.json()) as { groups?: string[] }).groups;
    };
    expect(await groups("read:user")).toBeUndefined();
    expect(await groups("all", "public-only")).toEqual([`open-${user.name}`, `open-${user.name}:Owners`]);
    expect(await groups("read:user", "read:organization")).toHaveLength(4);
  });

  test("is not told to whom is refused for what is not the server's fault", async () => {
    const { user } = await someone();
    const basic = `Basic ${Buffer.from(`${user.name}:${testPassword}`).toString("base64")}`;
    const info = async (headers: Record<string, string>) =>
      (await fetch(`${app.url}/login/oauth/userinfo`, { headers })).status;
    expect(await info({ authorization: `token ${user.token}`, sudo: "somebody" })).toBe(400);
    await app.forge.database
      .sql`insert into two_factor (user_id, sealed_secret, confirmed) values (${user.id}, ${Buffer.alloc(48)}, true)`;
    expect(await info({ authorization: basic })).toBe(401);
  });

  test("of its own tokens an application learns whether they are valid, of others nothing", async () => {
    const { user, browser } = await someone();
    const { body } = await exchange(codeOf(await decide(browser, authorizeUrl({ scope: "openid" }), "allow")));
    const other = await register(true);
    const ask = (token: string, by: Application) =>
      post(
        "/login/oauth/introspect",
        { token },
        { authorization: `Basic ${Buffer.from(`${by.client_id}:${by.client_secret}`).toString("base64")}` },
      );
    expect((await ask(body.access_token, drone)).body).toMatchObject({
      active: true,
      username: user.name,
      client_id: drone.client_id,
      scope: "openid read:user",
    });
    expect((await ask(body.access_token, other)).body as unknown).toEqual({ active: false });
    expect((await ask(user.token, drone)).body as unknown).toEqual({ active: false });
    expect(
      (await post("/login/oauth/introspect", { token: body.access_token, client_id: native.client_id })).status,
    ).toBe(401);
  });

  test("pages of other origins read what is for programs, and never with a cookie; pages for people they do not", async () => {
    const { browser } = await someone();
    const origin = { origin: "https://spa.example" };
    const preflight = await fetch(`${app.url}/login/oauth/access_token`, { method: "OPTIONS", headers: origin });
    expect([
      preflight.status,
      preflight.headers.get("access-control-allow-origin"),
      preflight.headers.get("access-control-allow-credentials"),
    ]).toEqual([204, "*", null]);
    const consent: WebPage = await browser.request("GET", authorizeUrl({}), { headers: origin });
    expect(consent.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test("JSON bodies and Basic work too; both secrets at once, parameters twice and what is no JSON do not", async () => {
  const { browser } = await someone();
  const code = async () => codeOf(await decide(browser, authorizeUrl({}), "allow"));
  const send = (body: string, headers: Record<string, string>) =>
    fetch(`${app.url}/login/oauth/access_token`, { method: "POST", body, headers });
  const json = { "content-type": "application/json" };
  const fields = { grant_type: "authorization_code", redirect_uri: callback };
  expect((await send(JSON.stringify({ ...fields, ...secretOf(drone), code: await code() }), json)).status).toBe(200);
  const basic = {
    authorization: `Basic ${Buffer.from(`${drone.client_id}:${drone.client_secret}`).toString("base64")}`,
  };
  expect((await send(JSON.stringify({ ...fields, code: await code() }), { ...json, ...basic })).status).toBe(200);
  expect(
    (await send(JSON.stringify({ ...fields, ...secretOf(drone), code: await code() }), { ...json, ...basic })).status,
  ).toBe(400);
  expect((await send("{", json)).status).toBe(400);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  expect((await send("grant_type=refresh_token&grant_type=authorization_code", form)).status).toBe(400);
  expect((await send("x".repeat(100_000), form)).status).toBe(413);
});

test("turned off, nothing of it is there", async () => {
  await using off = await TestApp.start({ oauth: { enabled: false } });
  for (const path of ["/login/oauth/authorize", "/login/oauth/keys", "/.well-known/openid-configuration"]) {
    expect((await new WebVisitor(off.url).get(path)).status).toBe(404);
  }
});
