import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { runGit } from "../support/git.ts";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";
import { codeOf, enrolTwoFactor, clearUsedCodes, wrongCodeOf } from "../support/totp.ts";

/** The second factor (RFC 6238): enrolment, what it changes for passwords, and that no code works twice. */

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000, failed_sign_ins_per_account: 1000 } });
const admin = await app.admin();
const alice = await app.user("alice");
await app.repository(alice, "site", { private: true });
const enrolled = await enrolTwoFactor(app, "alice");

interface Failure {
  message: string;
}
interface State {
  enabled: boolean;
  enabled_at: string | null;
  recovery_codes_left: number;
}

const withCode = (code: string, header = "x-gitea-otp") => app.withPassword("alice").with({ [header]: code });
const freshCode = async () => {
  await clearUsedCodes(app);
  return codeOf(enrolled.secret);
};

describe("with a second factor, the password", () => {
  test("alone is 401, and the answer says what is missing", async () => {
    const { status, headers, body } = await app.withPassword("alice").get<Failure>("/user");
    expect(status).toBe(401);
    expect(body.message).toContain("X-Gitea-OTP");
    expect(headers.get("x-gitea-otp")).toBe("required");
    expect(headers.get("www-authenticate")).toContain("Bearer");
  });

  test.each(["X-Gitea-OTP", "x-forgejo-otp"])("signs in with a code in %s", async (header) => {
    const { status, body } = await withCode(await freshCode(), header).get<{ login: string }>("/user");
    expect({ status, login: body.login }).toEqual({ status: 200, login: "alice" });
  });

  test("does not with a wrong, empty or malformed code", async () => {
    for (const code of [wrongCodeOf(enrolled.secret), "12345", "abcdef", "0".repeat(5000), enrolled.secret]) {
      const { status, body } = await withCode(code).get<Failure>("/user");
      expect({ status, message: body.message }).toEqual({
        status: 401,
        message: "The one-time code is not valid, or was used before",
      });
    }
  });

  test("a wrong one with a right code is told like any wrong one, and uses no code up", async () => {
    const code = await freshCode();
    const { status, body } = await app
      .withPassword("alice", "wrong password")
      .with({ "x-gitea-otp": code })
      .get<Failure>("/user");
    expect({ status, message: body.message }).toEqual({
      status: 401,
      message: "The user name, password or token is not valid",
    });
    expect((await withCode(code).get("/user")).status).toBe(200);
  });

  test("manages tokens only with a code; tokens work without one", async () => {
    expect(
      (await app.withPassword("alice").post("/users/alice/tokens", { name: "refused", scopes: ["all"] })).status,
    ).toBe(401);
    const { status, body } = await withCode(await freshCode()).post<{ sha1: string }>("/users/alice/tokens", {
      name: "made",
      scopes: ["read:user"],
    });
    expect(status).toBe(201);
    expect((await app.withToken(body.sha1).get("/user")).status).toBe(200);
    expect((await app.withPassword("alice", body.sha1).get("/user")).status).toBe(200);
  });
});

describe("a code works once", () => {
  test("and an older one not at all after a newer one", async () => {
    await clearUsedCodes(app);
    const [earlier, now] = [codeOf(enrolled.secret), codeOf(enrolled.secret, 1)];
    expect((await withCode(now).get("/user")).status).toBe(200);
    expect((await withCode(now).get("/user")).status).toBe(401);
    expect((await withCode(earlier).get("/user")).status).toBe(401);
  });

  test("when it comes nine times at the same moment", async () => {
    await app.user("racer");
    const { secret } = await enrolTwoFactor(app, "racer");
    const client = app.withPassword("racer").with({ "x-gitea-otp": codeOf(secret) });
    const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await client.get("/user")).status));
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(8).fill(401)]);
  });

  test("also where one request is identified twice, behind a redirect", async () => {
    await using other = await TestApp.start();
    const bob = await other.user("bob");
    await other.repository(bob, "old");
    await bob.api.patch("/repos/bob/old", { name: "new" });
    const { secret } = await enrolTwoFactor(other, "bob");
    const { status, headers } = await other
      .withPassword("bob")
      .with({ "x-gitea-otp": codeOf(secret) })
      .get("/repos/bob/old");
    expect({ status, location: headers.get("location") }).toEqual({
      status: 307,
      location: `${other.url}/api/v1/repos/bob/new`,
    });
  });
});

test("a recovery code stands in for a code, once, in any writing; new ones replace the old", async () => {
  await using other = await TestApp.start();
  await other.user("carol");
  const { recoveryCodes } = await enrolTwoFactor(other, "carol");
  const client = (code: string) => other.withPassword("carol").with({ "x-gitea-otp": code });
  const [first = "", second = "", third = ""] = recoveryCodes;
  expect(recoveryCodes).toHaveLength(10);
  expect(new Set(recoveryCodes).size).toBe(10);
  const raced = await Promise.all([1, 2, 3].map(async () => (await client(first).get("/user")).status));
  expect(raced.toSorted()).toEqual([200, 401, 401]);
  expect((await client(second.toUpperCase().replaceAll("-", " ")).get<State>("/user/two_factor")).body).toMatchObject({
    enabled: true,
    recovery_codes_left: 8,
  });
  const renewed = (await client(third).post<{ recovery_codes: string[] }>("/user/two_factor/recovery_codes")).body
    .recovery_codes;
  expect((await client(recoveryCodes[3] ?? "").get("/user")).status).toBe(401);
  expect((await client(renewed[0] ?? "").get("/user")).status).toBe(200);
  const stored = await other.forge.database.sql<{ hash: Uint8Array }[]>`select hash from recovery_code`;
  expect(
    stored.some(({ hash }) =>
      Buffer.from(hash)
        .toString("latin1")
        .includes(renewed[1] ?? ""),
    ),
  ).toBe(false);
});

test("ten wrong codes make the account wait, also for the right one, while tokens go on working", async () => {
  await using other = await TestApp.start({ auth: { failed_sign_ins_per_minute: 1000 } });
  const dave = await other.user("dave");
  const { secret } = await enrolTwoFactor(other, "dave");
  const client = (code: string) => other.withPassword("dave").with({ "x-gitea-otp": code });
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await client(wrongCodeOf(secret)).get("/user")).status),
  );
  expect(new Set(statuses)).toEqual(new Set([401]));
  const { status, headers } = await client(codeOf(secret)).get("/user");
  expect(status).toBe(429);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(600);
  expect((await dave.api.get("/user")).status).toBe(200);
});

test("wrong codes count against the address they come from", async () => {
  await using other = await TestApp.start({ auth: { failed_sign_ins_per_minute: 3 } });
  await other.user("erin");
  const { secret } = await enrolTwoFactor(other, "erin");
  const client = other.withPassword("erin").with({ "x-gitea-otp": wrongCodeOf(secret) });
  expect([
    (await client.get("/user")).status,
    (await client.get("/user")).status,
    (await client.get("/user")).status,
    (await client.get("/user")).status,
  ]).toEqual([401, 401, 401, 429]);
});

describe("git over HTTP, with a second factor", () => {
  const url = (secret: string) => `${app.url.replace("://", `://alice:${encodeURIComponent(secret)}@`)}/alice/site.git`;

  test("refuses the password, and says that a token is needed", async () => {
    const headers = {
      authorization: `Basic ${Buffer.from(`alice:${testPassword}`).toString("base64")}`,
      "x-gitea-otp": await freshCode(),
    };
    const response = await fetch(`${app.url}/alice/site.git/info/refs?service=git-upload-pack`, { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("use an access token");
    const lfs = await fetch(`${app.url}/alice/site.git/info/lfs/locks`, {
      headers: { ...headers, accept: "application/vnd.git-lfs+json" },
    });
    expect(lfs.status).toBe(401);
    expect(await lfs.text()).toContain("use an access token");
  });

  test("takes a token as the password", async () => {
    const lsRemote = (secret: string) => runGit(tmpdir(), ["ls-remote", url(secret)]);
    expect((await lsRemote(testPassword)).code).not.toBe(0);
    expect((await lsRemote(alice.token)).code).toBe(0);
  });
});

describe("enrolment", () => {
  test("needs the password, and changes nothing until a code confirms it", async () => {
    const frank = await app.user("frank");
    const client = app.withPassword("frank");
    for (const call of [
      frank.api.post("/user/two_factor"),
      frank.api.put("/user/two_factor", { code: "123456" }),
      frank.api.delete("/user/two_factor"),
      frank.api.post("/user/two_factor/recovery_codes"),
    ]) {
      expect((await call).status).toBe(403);
    }
    expect((await app.anonymous.get("/user/two_factor")).status).toBe(401);
    expect((await client.put("/user/two_factor", { code: "123456" })).status).toBe(404);
    expect((await client.post("/user/two_factor/recovery_codes")).status).toBe(404);
    expect((await client.delete("/user/two_factor")).status).toBe(404);

    const { status, body } = await client.post<{ secret: string; url: string }>("/user/two_factor");
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(body.url).toStartWith(
      `otpauth://totp/${encodeURIComponent(new URL(app.url).host)}:frank?secret=${body.secret}&`,
    );
    const wrong = await client.put<Failure>("/user/two_factor", { code: wrongCodeOf(body.secret) });
    expect(wrong.status).toBe(422);
    expect(wrong.body.message).toContain("code");
    expect((await client.get<State>("/user/two_factor")).body).toEqual({
      enabled: false,
      enabled_at: null,
      recovery_codes_left: 0,
    });

    const again = (await client.post<{ secret: string }>("/user/two_factor")).body.secret;
    expect(again).not.toBe(body.secret);
    expect((await client.put("/user/two_factor", { code: codeOf(body.secret) })).status).toBe(422);
    const code = codeOf(again);
    expect((await client.put("/user/two_factor", { code })).status).toBe(200);
    expect((await frank.api.get<State>("/user/two_factor")).body).toMatchObject({
      enabled: true,
      recovery_codes_left: 10,
    });
    // The code that confirmed is used up.
    expect((await client.with({ "x-gitea-otp": code }).get("/user")).status).toBe(401);
    expect((await client.post("/user/two_factor")).status).toBe(401);
  });

  test("does not replace a second factor that is on, and ends with its code", async () => {
    expect((await withCode(await freshCode()).post("/user/two_factor")).status).toBe(409);
    expect((await withCode(await freshCode()).put("/user/two_factor", { code: "123456" })).status).toBe(409);
    const grace = await app.user("grace");
    const { secret } = await enrolTwoFactor(app, "grace");
    expect((await app.withPassword("grace").delete("/user/two_factor")).status).toBe(401);
    expect(
      (
        await app
          .withPassword("grace")
          .with({ "x-gitea-otp": codeOf(secret) })
          .delete("/user/two_factor")
      ).status,
    ).toBe(204);
    expect((await app.withPassword("grace").get("/user")).status).toBe(200);
    expect((await grace.api.get<State>("/user/two_factor")).body).toEqual({
      enabled: false,
      enabled_at: null,
      recovery_codes_left: 0,
    });
    expect(await app.forge.database.sql`select 1 from recovery_code where user_id = ${grace.id}`).toHaveLength(0);
  });

  test("is undone for others by site administrators alone", async () => {
    const heidi = await app.user("heidi");
    await enrolTwoFactor(app, "heidi");
    const path = "/admin/users/heidi/two_factor";
    expect((await app.anonymous.delete(path)).status).toBe(401);
    expect((await heidi.api.delete(path)).status).toBe(403);
    expect((await (await app.scoped(admin, "write:user")).delete(path)).status).toBe(403);
    expect((await app.withPassword("heidi").get("/user")).status).toBe(401);
    expect((await admin.api.delete("/admin/users/nobody/two_factor")).status).toBe(404);
    expect((await admin.api.delete(path)).status).toBe(204);
    expect((await admin.api.delete(path)).status).toBe(404);
    expect((await app.withPassword("heidi").get("/user")).status).toBe(200);
  });
});

test("the secret is sealed, and a row copied to somebody else opens nothing", async () => {
  const { sql } = app.forge.database;
  const ivan = await app.user("ivan");
  const [row] = await sql<
    { sealed_secret: Uint8Array }[]
  >`select sealed_secret from two_factor where user_id = ${alice.id}`;
  expect(Buffer.from(row?.sealed_secret ?? []).includes(enrolled.secret)).toBe(false);
  await sql`insert into two_factor (user_id, sealed_secret, confirmed) select ${ivan.id}, sealed_secret, true from two_factor where user_id = ${alice.id}`;
  const stolen = app.withPassword("ivan").with({ "x-gitea-otp": codeOf(enrolled.secret) });
  expect((await stolen.get("/user")).status).toBe(401);
});
