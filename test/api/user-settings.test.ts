import { describe, expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
const { sql } = app.forge.database;

interface Failure {
  message: string;
}
interface User {
  login: string;
  email: string;
  pronouns: string;
}
interface Found {
  ok: boolean;
  data: User[];
}

const nothing = {
  full_name: "",
  website: "",
  description: "",
  location: "",
  pronouns: "",
  language: "",
  theme: "",
  diff_view_style: "",
  enable_repo_unit_hints: true,
  hide_email: false,
  hide_pronouns: false,
  hide_activity: false,
};

describe("settings", () => {
  test("are changed one by one, and hold with the next request", async () => {
    expect((await alice.api.get("/user/settings")).body).toEqual(nothing);
    const first = {
      full_name: "Alice A",
      website: "https://alice.example",
      description: "Line 1\nLine 2",
      location: "Here",
      pronouns: "she/her",
      language: "de-DE",
    };
    expect((await alice.api.patch("/user/settings", first)).body).toEqual({ ...nothing, ...first });
    const second = {
      theme: "dark",
      diff_view_style: "split",
      enable_repo_unit_hints: false,
      hide_email: true,
      hide_pronouns: true,
      hide_activity: true,
    };
    expect((await alice.api.patch("/user/settings", second)).body).toEqual({ ...nothing, ...first, ...second });
    expect((await alice.api.get("/user/settings")).body).toEqual({ ...nothing, ...first, ...second });
    const seen = async (client = app.anonymous) => (await client.get<User>("/users/alice")).body;
    expect(await seen()).toMatchObject({ pronouns: "", email: "alice@noreply.127.0.0.1", full_name: "Alice A" });
    expect(await seen(bob.api)).toMatchObject({ pronouns: "she/her", email: "alice@noreply.127.0.0.1" });
    expect(await seen(alice.api)).toMatchObject({ email: "alice@example.com", language: "de-DE" });
    expect((await alice.api.patch("/user/settings", { website: "", pronouns: null })).body).toMatchObject({
      website: "",
      pronouns: "she/her",
    });
  });

  test.each([
    [{ website: "ftp://x" }, "website"],
    [{ website: "javascript:alert(1)//" }, "website"],
    [{ full_name: "x".repeat(101) }, "full_name"],
    [{ full_name: "a\nb" }, "full_name"],
    [{ location: "x".repeat(51) }, "location"],
    [{ description: "x".repeat(256) }, "description"],
    [{ pronouns: "\u2066x" }, "pronouns"],
    [{ language: "not a language" }, "language"],
    [{ diff_view_style: "sideways" }, "diff_view_style"],
    [{ hide_email: "yes" }, "hide_email"],
  ])("refuse %j and change nothing", async (body, field) => {
    const before = (await bob.api.get("/user/settings")).body;
    const answer = await bob.api.patch<Failure>("/user/settings", { theme: "changed", ...body });
    expect([answer.status, answer.body.message.includes(field)]).toEqual([422, true]);
    expect((await bob.api.get("/user/settings")).body).toEqual(before);
  });

  test("are one's own", async () => {
    expect((await app.anonymous.get("/user/settings")).status).toBe(401);
    expect((await (await app.scoped(bob, "read:user")).patch("/user/settings", { theme: "x" })).status).toBe(403);
    expect((await (await app.scoped(bob, "write:repository")).get("/user/settings")).status).toBe(403);
  });
});

describe("a search for users", () => {
  test("finds whom the caller may know of, and counts no others", async () => {
    for (const visibility of ["public", "limited", "private"]) {
      const { id } = await app.user(`seek-${visibility}`);
      await sql`update owner set visibility = ${visibility} where id = ${id}`;
    }
    await app.organization("seek-org", alice);
    const restricted = await app.user("kept-out");
    await sql`update account set restricted = true where owner_id = ${restricted.id}`;
    const hidden = app.withPassword("seek-private");
    const cases = [
      [app.anonymous, ["seek-public"]],
      [bob.api, ["seek-limited", "seek-public"]],
      [restricted.api, []],
      [hidden, ["seek-limited", "seek-private", "seek-public"]],
      [admin.api, ["seek-limited", "seek-private", "seek-public"]],
      [await app.scoped(admin, "public-only", "read:user"), ["seek-public"]],
    ] as const;
    for (const [client, names] of cases) {
      const { body, headers } = await client.get<Found>("/users/search?q=SEEK-");
      expect([body.ok, body.data.map(({ login }) => login), headers.get("x-total-count")]).toEqual([
        true,
        [...names],
        String(names.length),
      ]);
    }
  });

  test("looks at names, full names and whole addresses that the caller may see", async () => {
    await sql`update owner set full_name = 'Grace Hopper' where lower_name = 'seek-public'`;
    const names = async (query: string, client = bob.api) =>
      (await client.get<Found>(`/users/search?${query}`)).body.data.map(({ login }) => login);
    expect(await names("q=hopper")).toEqual(["seek-public"]);
    expect(await names("q=seek-public@example.com")).toEqual(["seek-public"]);
    expect(await names("q=seek-public@example")).toEqual([]);
    expect(await names("q=seek-public@example.com", app.anonymous)).toEqual([]);
    expect(await names("q=alice@example.com")).toEqual([]);
    expect(await names("q=alice@example.com", admin.api)).toEqual(["alice"]);
    expect(await names("q=%25")).toEqual([]);
    expect(await names(`uid=${bob.id}`)).toEqual(["bob"]);
    expect(await names("uid=999999")).toEqual([]);
    const active = async (client: typeof bob.api) =>
      (await client.get<{ data: { active: boolean }[] }>(`/users/search?uid=${alice.id}`)).body.data.map(
        (user) => user.active,
      );
    expect([await active(admin.api), await active(alice.api), await active(bob.api)]).toEqual([
      [true],
      [true],
      [false],
    ]);
    expect((await names("limit=2&page=2")).length).toBe(2);
    expect((await bob.api.get<Failure>("/users/search?uid=x")).body.message).toContain("uid");
  });
});
