import { describe, expect, test } from "bun:test";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** How often wrong passwords may be tried on one account, from however many addresses. */

const settings = {
  server: { trusted_proxies: ["127.0.0.1"] },
  auth: { failed_sign_ins_per_minute: 1000, failed_sign_ins_per_account: 5 },
};
const app = await useTestApp(settings);

let addresses = 0;
const newAddress = () => `198.51.${++addresses >> 8}.${addresses & 255}`;
const attempt = async (name: string, password: string | undefined, address: string, on: TestApp = app) =>
  (await on.withPassword(name, password).get("/user", { "x-forwarded-for": address })).status;
async function guess(name: string, times: number, on: TestApp = app): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < times; number++) {
    statuses.push(await attempt(name, `guess ${number}`, newAddress(), on));
  }
  return statuses;
}

describe("an account whose password is guessed from many addresses", () => {
  test("makes new addresses wait, but not those that signed in before, and no token", async () => {
    const alice = await app.user("alice");
    const bob = await app.user("bob");
    const [home, office] = [newAddress(), newAddress()];
    expect(await attempt("alice", undefined, home)).toBe(200);
    expect(await attempt("alice", undefined, office)).toBe(200);
    expect(await guess("alice", 6)).toEqual([401, 401, 401, 401, 401, 429]);

    const refused = await app
      .withPassword("alice")
      .get<{ message: string }>("/user", { "x-forwarded-for": newAddress() });
    expect({ status: refused.status, message: refused.body.message }).toEqual({
      status: 429,
      message: "Too many failed sign-ins to this account",
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(800);
    expect(await attempt("alice@example.com", undefined, newAddress())).toBe(429);

    expect(await attempt("alice", undefined, home)).toBe(200);
    expect(await attempt("Alice@Example.com", undefined, office)).toBe(200);
    // Whoever sits there may mistype, too.
    expect(await attempt("alice", "mistyped", home)).toBe(401);
    expect((await alice.api.get("/user", { "x-forwarded-for": newAddress() })).status).toBe(200);
    expect(await attempt("alice", alice.token, newAddress())).toBe(200);
    expect(await attempt("bob", undefined, newAddress())).toBe(200);
    expect((await bob.api.get("/user")).status).toBe(200);
  });

  test("is told apart from nobody's by nothing", async () => {
    await app.user("carol");
    expect(await guess("nobody", 7)).toEqual(await guess("carol", 7));
  });

  test("is guessed at no more often when all guesses come at once", async () => {
    await using other = await TestApp.start(settings);
    await other.user("dave");
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, number) => attempt("dave", `guess ${number}`, newAddress(), other)),
    );
    // Two passwords are checked at a time, and the second may have begun before the first was found wrong.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(6);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(24);
  });
});

test("wrong tokens count against the address, not against an account", async () => {
  await app.user("erin");
  for (let number = 0; number < 8; number++) {
    expect(await attempt("erin", `sty_${String(number).padStart(40, "0")}`, newAddress())).toBe(401);
  }
  expect(await attempt("erin", undefined, newAddress())).toBe(200);
});

describe("what does not count against an account", () => {
  test("is the same wrong password again and again, as of a program with an old one", async () => {
    await app.user("frank");
    for (let number = 0; number < 8; number++) {
      expect(await attempt("frank", "the old password", newAddress())).toBe(401);
    }
    expect(await attempt("frank", undefined, newAddress())).toBe(200);
  });

  test("is where a browser is signed in, also when the server knows it from before it was started", async () => {
    const { id } = await app.user("grace");
    const [home, elsewhere] = [newAddress(), newAddress()];
    await app.forge.database.sql`insert into session (hash, user_id, state, expires_at, address) values
      ('\\x01', ${id}, 'signed-in', now() + interval '1 hour', ${home}), ('\\x02', ${id}, 'second-factor', now() + interval '1 hour', ${elsewhere})`;
    await guess("grace", 6);
    expect(await attempt("grace", undefined, elsewhere)).toBe(429);
    expect(await attempt("grace", undefined, home)).toBe(200);
  });
});
