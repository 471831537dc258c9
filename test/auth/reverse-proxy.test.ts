import { describe, expect, test } from "bun:test";
import { TestApp } from "../support/test-app.ts";

/** The name that a reverse proxy sends is believed only where the settings say so, and only from a trusted address. */

const header = { "x-webauth-user": "alice" };

async function login(
  settings: { enabled: boolean; trusted: string[] },
  headers: Record<string, string>,
): Promise<{ status: number; login: string | undefined }> {
  await using app = await TestApp.start({
    server: { trusted_proxies: settings.trusted },
    auth: { enable_reverse_proxy_authentication_api: settings.enabled },
  });
  await app.user("alice");
  const { status, body } = await app.anonymous.get<{ login?: string }>("/user", headers);
  return { status, login: body.login };
}

describe("a name from a reverse proxy", () => {
  test("counts for nothing by default", async () => {
    expect(await login({ enabled: false, trusted: ["127.0.0.1"] }, header)).toEqual({ status: 401, login: undefined });
  });

  test("counts for nothing from an address that is not trusted", async () => {
    expect(await login({ enabled: true, trusted: ["192.0.2.1"] }, header)).toEqual({ status: 401, login: undefined });
  });

  test("signs in from a trusted address", async () => {
    expect(await login({ enabled: true, trusted: ["127.0.0.1"] }, header)).toEqual({ status: 200, login: "alice" });
  });

  test("signs in from an address of a trusted network, and not from one outside", async () => {
    expect(await login({ enabled: true, trusted: ["127.0.0.0/8"] }, header)).toEqual({ status: 200, login: "alice" });
    expect(await login({ enabled: true, trusted: ["10.0.0.0/8", "::1"] }, header)).toEqual({
      status: 401,
      login: undefined,
    });
  });

  test("counts for nothing in what a page of another site sends", async () => {
    for (const from of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      expect(
        await login({ enabled: true, trusted: ["127.0.0.1"] }, { ...header, ...from } as Record<string, string>),
      ).toEqual({ status: 401, login: undefined });
    }
    expect(
      await login({ enabled: true, trusted: ["127.0.0.1"] }, { ...header, "sec-fetch-site": "same-origin" }),
    ).toEqual({ status: 200, login: "alice" });
  });

  test("that no user has is refused", async () => {
    expect(await login({ enabled: true, trusted: ["127.0.0.1"] }, { "x-webauth-user": "nobody-here" })).toEqual({
      status: 401,
      login: undefined,
    });
  });
});

test("failed sign-ins behind a proxy count for the address that the proxy names, which nobody else can choose", async () => {
  await using app = await TestApp.start({
    server: { trusted_proxies: ["127.0.0.1"] },
    auth: { failed_sign_ins_per_minute: 2 },
  });
  await app.user("alice");
  const attempt = async (forwarded: string) =>
    (await app.withPassword("alice", "wrong password").get("/user", { "x-forwarded-for": forwarded })).status;
  // Whatever a client puts before the proxy's own entry is not believed.
  expect([
    await attempt("10.0.0.1, 198.51.100.7"),
    await attempt("10.0.0.2, 198.51.100.7"),
    await attempt("10.0.0.3, 198.51.100.7"),
  ]).toEqual([401, 401, 429]);
  expect(await attempt("198.51.100.8")).toBe(401);
});
