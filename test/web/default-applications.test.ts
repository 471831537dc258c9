import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { mustGit, Scratch } from "../support/git.ts";
import { TestApp, testPassword, useTestApp, type SettingsPatch } from "../support/test-app.ts";
import { hiddenFields, WebVisitor } from "../support/web-visitor.ts";

/** The programs that know a client id by heart: they sign in as they do at every server of the family. */

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "site", { private: true, auto_init: true });

const programs = {
  // What each sends: the ids, the addresses and the scopes are in their sources.
  "git-credential-oauth": {
    id: "a4792ccc-144e-407e-86c9-5e7d8d9c3269",
    redirectUri: "http://127.0.0.1:40123",
    scope: "",
  },
  "git-credential-manager": {
    id: "e90ee53c-94e2-48ac-9358-a874fb9e0662",
    redirectUri: "http://127.0.0.1:51789/",
    scope: "",
  },
  tea: {
    id: "d57cb8c4-630c-4168-8324-ec79935e18d4",
    redirectUri: "http://127.0.0.1:33333",
    scope: "admin user issue misc notification organization package repository",
  },
};
type Program = (typeof programs)[keyof typeof programs];

const verifier = randomBytes(48).toString("base64url");
const challenge = {
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
};

function authorizeUrl({ id, redirectUri, scope }: Program, fields: Record<string, string> = challenge): string {
  const query = { client_id: id, redirect_uri: redirectUri, response_type: "code", state: "abc", scope, ...fields };
  return `/login/oauth/authorize?${new URLSearchParams(query).toString()}`;
}

async function visitor(at: TestApp = app): Promise<WebVisitor> {
  const browser = new WebVisitor(at.url);
  await browser.signIn("alice", testPassword);
  return browser;
}

/** Asks for tokens as Go's OAuth library does first: with the client id in the header, and an empty secret. */
const askTokens = async (program: Program, fields: Record<string, string>, at: TestApp = app) => {
  const response = await fetch(`${at.url}/login/oauth/access_token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${program.id}:`).toString("base64")}` },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

async function signIn(program: Program): Promise<Record<string, string>> {
  const browser = await visitor();
  const page = await browser.get(authorizeUrl(program));
  expect(page.status).toBe(200);
  const fields = { ...hiddenFields(page.text, "/login/oauth/grant"), decision: "allow" };
  const answered = new URL((await browser.post("/login/oauth/grant", fields)).location);
  expect([answered.origin, answered.searchParams.get("state")]).toEqual([new URL(program.redirectUri).origin, "abc"]);
  const { status, body } = await askTokens(program, {
    grant_type: "authorization_code",
    code: answered.searchParams.get("code")!,
    redirect_uri: program.redirectUri,
    code_verifier: verifier,
  });
  expect([status, body["token_type"]]).toEqual([200, "bearer"]);
  return body;
}

const realmsOf = async (at: TestApp) => {
  const git = await fetch(`${at.url}/alice/site.git/info/refs?service=git-upload-pack`);
  const lfs = await fetch(`${at.url}/alice/site.git/info/lfs/locks`, {
    headers: { accept: "application/vnd.git-lfs+json" },
  });
  return [git, lfs].map((answer) => [answer.status, answer.headers.get("www-authenticate")]);
};

test("only with PKCE, only at a loopback address, and never without asking", async () => {
  const browser = await visitor();
  for (const program of Object.values(programs)) {
    const without = await browser.get(authorizeUrl(program, {}));
    expect(new URL(without.location).searchParams.get("error")).toBe("invalid_request");
    for (const redirectUri of [
      "http://evil.example",
      "http://127.0.0.1.evil.example",
      "https://127.0.0.1:1",
      "http://127.0.0.1:1/x",
    ]) {
      const elsewhere = await browser.get(authorizeUrl({ ...program, redirectUri }));
      expect([elsewhere.status, elsewhere.location]).toEqual([400, ""]);
    }
    const guessed = await fetch(`${app.url}/login/oauth/access_token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: "x",
        client_id: program.id,
        client_secret: "x",
      }),
    });
    expect([guessed.status, await guessed.json()]).toMatchObject([401, { error: "invalid_client" }]);
    await signIn(program);
    // Anybody can say that they are this program, so the user is asked again.
    expect((await browser.get(authorizeUrl(program))).status).toBe(200);
  }
});

test("nobody owns them: no list has them, and no user changes them", async () => {
  const rows = await app.forge.database.sql<{ id: number; name: string }[]>`
    select id, name from oauth_application where user_id is null order by id`;
  expect(rows.map(({ name }) => name)).toEqual(["git-credential-oauth", "Git Credential Manager", "tea"]);
  expect((await alice.api.get("/user/applications/oauth2")).body).toEqual([]);
  const path = `/user/applications/oauth2/${rows[0]?.id}`;
  expect((await alice.api.get(path)).status).toBe(404);
  expect((await alice.api.patch(path, { name: "mine", redirect_uris: ["https://evil.example"] })).status).toBe(404);
  expect((await alice.api.delete(path)).status).toBe(404);
});

describe.each(Object.entries(programs))("%s", (_name, program) => {
  test("gets tokens, which git and the API take, and new ones for a refresh token", async () => {
    const tokens = await signIn(program);
    const refreshed = await askTokens(program, {
      grant_type: "refresh_token",
      refresh_token: tokens["refresh_token"]!,
    });
    expect(refreshed.status).toBe(200);
    const token = refreshed.body["access_token"]!;
    using scratch = new Scratch();
    // By name and password, and as git 2.46 and newer say it.
    await mustGit(scratch.path, [
      "clone",
      "-q",
      `${app.url.replace("://", `://oauth2:${token}@`)}/alice/site.git`,
      "by-name",
    ]);
    const header = `http.extraHeader=Authorization: Bearer ${token}`;
    await mustGit(scratch.path, ["-c", header, "clone", "-q", `${app.url}/alice/site.git`, "by-header"]);
    expect((await app.withToken(token).get<{ login: string }>("/user")).body.login).toBe("alice");
  });
});

describe("the realm", () => {
  test("says to credential helpers that their ids are known here", async () => {
    const known = [401, 'Basic realm="Gitea", charset="UTF-8"'];
    expect(await realmsOf(app)).toEqual([known, known]);
  });

  test.each<SettingsPatch["oauth"] & {}>([{ enabled: false }, { default_applications: [] }])(
    "is another with %o, and they are unknown",
    async (oauth) => {
      await using other = await TestApp.start({ oauth });
      await other.user("alice");
      const unknown = [401, 'Basic realm="Stithy", charset="UTF-8"'];
      expect(await realmsOf(other)).toEqual([unknown, unknown]);
      const browser = await visitor(other);
      for (const program of Object.values(programs)) {
        expect((await browser.get(authorizeUrl(program))).status).toBe("enabled" in oauth ? 404 : 400);
        const refused = await fetch(`${other.url}/login/oauth/access_token`, {
          method: "POST",
          body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id: program.id }),
        });
        expect(refused.status).toBe("enabled" in oauth ? 404 : 401);
      }
    },
  );
});
