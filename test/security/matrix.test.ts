import { afterAll, describe, expect, test } from "bun:test";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import type { ApiClient } from "../support/client.ts";
import { TestApp } from "../support/test-app.ts";
import { misplaced } from "./expectations.ts";
import { MatrixCells, type Call } from "./matrix-cells.ts";
import { alwaysGivesAccess, listOperations, type Operation } from "./operations.ts";
import { expectInstance, expectOrganization, expectRepository, expectTeam, expectUser, type Outcome } from "./rules.ts";
import { makeScene, roles, visibilities, type Role, type Visibility } from "./scene.ts";

const app = await TestApp.start({
  auth: { failed_sign_ins_per_minute: 1_000_000, failed_sign_ins_per_account: 1_000_000 },
});
afterAll(() => app[Symbol.asyncDispose]());
const scene = await makeScene(app);
const { operations, unclassified, gone } = listOperations();
const cells = new MatrixCells();

/** Begins a list at another place for each operation, so that all of it is asked for somewhere. */
function* rotated<Item>(items: readonly Item[], operation: Operation): Generator<Item> {
  const first = operations.indexOf(operation);
  for (let at = 0; at < items.length; at++) {
    yield items[(first + at) % items.length] as Item;
  }
}

const one = () => "one";

const of = (...kinds: Operation["on"][]) => operations.filter((operation) => kinds.includes(operation.on));

function repositoryCalls(operation: Operation): (Call & { target: (typeof scene.repositories)[number] })[] {
  return scene.repositories.map((target) => ({
    operation,
    target,
    values: operation.path.includes("{repo}")
      ? { owner: `org-${target.organization}`, repo: target.name }
      : { id: String(target.id) },
    absentValues: operation.path.includes("{repo}")
      ? { owner: `org-${target.organization}`, repo: "absent" }
      : { id: "888888888" },
  }));
}

function organizationCall(operation: Operation, visibility: Visibility, role: Role): Call {
  const oneself: Record<string, string> = operation.kind.endsWith("oneself") ? { username: role } : {};
  return {
    operation,
    values: { org: `org-${visibility}`, owner: `org-${visibility}`, ...oneself },
    absentValues: { org: `gro-${visibility}`, owner: `gro-${visibility}`, ...oneself },
  };
}

/** The state of the whole database, without when credentials were last used. */
async function stateOfDatabase(): Promise<Record<string, string>> {
  const { sql } = app.forge.database;
  const tables = await sql<
    { name: string }[]
  >`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const state: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select count(*) || ' ' || md5(coalesce(string_agg(line, '|' order by line), '')) as digest from (select (to_jsonb(t) - 'last_used_at')::text as line from "${name}" t) lines`,
    );
    state[name] = String(row?.["digest"]);
  }
  return state;
}

test("every operation has a place in the expectations, and every expectation an operation", () => {
  expect({ unclassified, gone, misplaced }).toEqual({ unclassified: [], gone: [], misplaced: [] });
});

// The languages of what was pushed are counted by jobs.
await waitUntilIdle(app.forge, 60_000);
const before = await stateOfDatabase();

describe("every operation for every role", () => {
  test("on repositories", async () => {
    await cells.checkAll(function* () {
      for (const operation of of("repository")) {
        for (const call of repositoryCalls(operation)) {
          for (const role of roles) {
            yield [role, scene.client(role), call, expectRepository(operation.kind, role, call.target)];
          }
        }
      }
    });
  });

  test("on organizations", async () => {
    await cells.checkAll(function* () {
      for (const operation of of("organization")) {
        for (const visibility of visibilities) {
          for (const role of roles) {
            const call = organizationCall(operation, visibility, role);
            yield [role, scene.client(role), call, expectOrganization(operation.kind, role, visibility)];
          }
        }
      }
    });
  });

  test("on teams", async () => {
    await cells.checkAll(function* () {
      for (const operation of of("team")) {
        for (const visibility of visibilities) {
          const call = {
            operation,
            values: { id: String(scene.teams[visibility]) },
            absentValues: { id: "888888888" },
          };
          for (const role of roles) {
            yield [role, scene.client(role), call, expectTeam(operation.kind, role)];
          }
        }
      }
    });
  });

  test("on users", async () => {
    await cells.checkAll(function* () {
      for (const operation of of("user")) {
        for (const visibility of visibilities) {
          const self = scene.selves[visibility];
          const call = {
            operation,
            values: { username: self.name },
            absentValues: { username: self.name.replace("user", "resu") },
          };
          for (const role of ["self", "nobody", "stranger", "kept-small", "site-administrator"] as const) {
            const name = role === "self" ? self.name : role;
            const client =
              role === "nobody"
                ? app.anonymous
                : operation.kind === "tokens"
                  ? app.withPassword(name)
                  : role === "self"
                    ? self.api
                    : scene.client(role);
            yield [role, client, call, expectUser(operation.kind, role, visibility)];
          }
        }
      }
    });
  });

  test("on the server and on one's own account", async () => {
    await cells.checkAll(function* () {
      for (const operation of of("instance")) {
        for (const role of ["nobody", "stranger", "site-administrator"] as const) {
          yield [
            role,
            scene.client(role),
            { operation, values: {}, absentValues: null },
            expectInstance(operation.kind, role),
          ];
        }
      }
    });
  });
});

/** The expectation for the owner, or on a user that user, and how the operation is called; one call for each visibility. */
function ownCalls(operation: Operation): { call: Call; expected: Outcome; isPublic: boolean; role: Role | "self" }[] {
  switch (operation.on) {
    case "repository":
      return repositoryCalls(operation).map((call) => ({
        call,
        role: "owner",
        expected: expectRepository(operation.kind, "owner", call.target),
        isPublic: call.target.organization === "public" && call.target.name === "open",
      }));
    case "organization":
      return visibilities.map((visibility) => ({
        call: organizationCall(operation, visibility, "owner"),
        role: "owner",
        expected: expectOrganization(operation.kind, "owner", visibility),
        isPublic: visibility === "public",
      }));
    case "team":
      return visibilities.map((visibility) => ({
        call: { operation, values: { id: String(scene.teams[visibility]) }, absentValues: { id: "888888888" } },
        role: "owner",
        expected: expectTeam(operation.kind, "owner"),
        isPublic: visibility === "public",
      }));
    case "user":
      return [
        {
          call: { operation, values: { username: "owner" }, absentValues: { username: "renwo" } },
          role: "self",
          expected: expectUser(operation.kind, "self", "public"),
          isPublic: true,
        },
      ];
    case "instance":
      return [
        {
          call: { operation, values: {}, absentValues: null },
          role: "owner",
          expected: expectInstance(operation.kind, "owner"),
          isPublic: true,
        },
      ];
  }
}

/** A token for one repository (the public one) touches that alone, and looks at what is not a repository. */
function expectRestricted({ on, method, kind }: Operation, expected: Outcome, isPublic: boolean): Outcome {
  if (on === "repository") {
    return isPublic ? expected : "hidden";
  }
  const looks = method === "GET" && (kind === "self" || kind.startsWith("see-") || kind.startsWith("belong-to-"));
  return kind === "anyone" || looks ? expected : "forbidden";
}

describe("every operation with every kind of credential", () => {
  const { owner } = scene.users;

  test("that is not valid", async () => {
    const { sql } = app.forge.database;
    const gone = {
      suspended: await app.user("suspended"),
      inactive: await app.user("inactive"),
      protected: await app.user("protected"),
    };
    const expired = await app.token(owner, ["all"]);
    await sql`update access_token set expires_at = now() - interval '1 second' where id = (select max(id) from access_token)`;
    await sql`update account set suspended = true where owner_id = ${gone.suspended.id}`;
    await sql`update account set active = false where owner_id = ${gone.inactive.id}`;
    const clients = {
      "an unknown token": app.withToken("0".repeat(40)),
      "an expired token": app.withToken(expired),
      "a suspended user's token": gone.suspended.api,
      "a suspended user's password": app.withPassword("suspended"),
      "an inactive user's token": gone.inactive.api,
      "a wrong password": app.withPassword("owner", "wrong"),
      "an unknown user's password": app.withPassword("nobody-here"),
    };
    await cells.checkAll(function* () {
      for (const operation of operations) {
        for (const { call } of ownCalls(operation).slice(0, 1)) {
          for (const [who, client] of rotated(Object.entries(clients), operation)) {
            yield [who, client, call, "invalid-credential"];
          }
        }
      }
    }, one);
  }, 300_000);

  test("that is a password, or a token in its place", async () => {
    const asUser = new Headers({
      authorization: `Basic ${Buffer.from(`${owner.token}:x-oauth-basic`).toString("base64")}`,
    });
    const clients = {
      "a password": app.withPassword("owner"),
      "a token as the user": app.anonymous.with(Object.fromEntries(asUser)),
    };
    await cells.checkAll(function* () {
      for (const operation of operations) {
        for (const { call, expected } of ownCalls(operation)) {
          for (const [who, client] of rotated(Object.entries(clients), operation)) {
            if (operation.kind !== "tokens" || who === "a password") {
              yield [who, client, call, expected];
            }
          }
        }
      }
    }, one);
  });

  const isForStrangers = ({ kind }: Operation) =>
    kind === "anyone" ||
    kind === "see-owner" ||
    kind === "read-packages" ||
    (kind.startsWith("read") && !kind.endsWith("signed-in"));

  test("that is a header which only a trusted proxy may send", async () => {
    const forged = app.anonymous.with({ "x-webauth-user": "owner" });
    await cells.checkAll(function* () {
      for (const operation of operations) {
        for (const { call, isPublic, role } of ownCalls(operation)) {
          if (role === "owner" && isPublic && !isForStrangers(operation)) {
            yield ["a forged header", forged, call, "sign-in"];
          }
        }
      }
    });
  });

  test("that is the name which a trusted proxy sends", async () => {
    await using behind = await TestApp.start({
      server: { trusted_proxies: ["127.0.0.1"] },
      auth: { enable_reverse_proxy_authentication_api: true, failed_sign_ins_per_minute: 1_000_000 },
    });
    // The same names and ids as in the first one.
    expect((await makeScene(behind)).teams).toEqual(scene.teams);
    const client = behind.anonymous.with({ "x-webauth-user": "owner" });
    const unknown = behind.anonymous.with({ "x-webauth-user": "nobody-here" });
    await cells.checkAll(function* () {
      for (const operation of operations.filter(({ kind }) => kind !== "tokens")) {
        for (const { call, expected } of ownCalls(operation)) {
          yield ["a trusted proxy's user", client, call, expected];
        }
        for (const { call } of ownCalls(operation).slice(0, 1)) {
          yield ["a trusted proxy's unknown user", unknown, call, "invalid-credential"];
        }
      }
    });
  });

  test("that is a token for public things", async () => {
    const client = app.withToken(await app.token(owner, ["all", "public-only"]));
    await cells.checkAll(function* () {
      for (const operation of operations.filter(({ kind }) => kind !== "tokens")) {
        for (const { call, expected, isPublic } of ownCalls(operation)) {
          const ofPublic = expected === "allowed" && alwaysGivesAccess(operation) ? "forbidden" : expected;
          yield ["a public-only token", client, call, isPublic ? ofPublic : "hidden"];
        }
      }
    });
  });

  test("that is a token for one repository", async () => {
    const { sql } = app.forge.database;
    const client = app.withToken(await app.token(owner, ["all"]));
    await sql`update access_token set restricted = true where id = (select max(id) from access_token)`;
    await sql`insert into access_token_repository (token_id, repository_id)
      select max(access_token.id), ${scene.repositories[0]?.id ?? 0} from access_token`;
    await cells.checkAll(function* () {
      for (const operation of operations.filter(({ kind }) => kind !== "tokens")) {
        for (const { call, expected, isPublic } of ownCalls(operation)) {
          yield ["a token for one repository", client, call, expectRestricted(operation, expected, isPublic)];
        }
      }
    });
  });

  test("that is a password without the second factor that the account has", async () => {
    const { sql } = app.forge.database;
    const careful = await app.user("careful");
    await sql`insert into two_factor (user_id, sealed_secret, confirmed) values (${careful.id}, ${new Uint8Array(60)}, true)`;
    const client = app.withPassword("careful");
    await cells.checkAll(function* () {
      for (const operation of operations) {
        for (const { call } of ownCalls(operation).slice(0, 1)) {
          yield ["a password without its second factor", client, call, "invalid-credential"];
        }
      }
    });
  }, 300_000);

  test("that is a token of one scope, or of all that are needed", async () => {
    const admin = scene.users["site-administrator"];
    const categories = [
      "activitypub",
      "admin",
      "issue",
      "misc",
      "notification",
      "organization",
      "package",
      "repository",
      "user",
    ];
    const singles = new Map<string, ApiClient>();
    for (const scope of categories.flatMap((category) => [`read:${category}`, `write:${category}`])) {
      singles.set(scope, await app.scoped(admin, scope));
    }
    const several = new Map<string, ApiClient>();
    for (const { scopes } of operations.filter((operation) => operation.scopes.length > 1)) {
      several.set(scopes.join(), several.get(scopes.join()) ?? (await app.scoped(admin, ...scopes)));
    }
    const ofOwnCategory = (who: string, { scopes }: Operation) =>
      scopes.some((scope) => who.includes(scope.replace(/^\w+:/, ""))) ? who : "another category";
    const covers = (has: string, needed: string) => has === needed || has === needed.replace("read:", "write:");
    await cells.checkAll(function* () {
      for (const operation of operations.filter(({ kind }) => kind !== "tokens")) {
        const [own] = ownCalls(operation);
        if (own === undefined) {
          throw new Error(`There is no call of ${operation.method} ${operation.path}`);
        }
        for (const [scope, client] of rotated([...singles], operation)) {
          const enough = operation.scopes.every((needed) => covers(scope, needed));
          yield [`a token with ${scope}`, client, own.call, enough ? "allowed" : "scope-missing"];
        }
        const client = several.get(operation.scopes.join());
        if (client !== undefined) {
          yield [`a token with ${operation.scopes.join()}`, client, own.call, "allowed"];
        }
      }
    }, ofOwnCategory);
  }, 300_000);
});

test("nothing of all this changed anything", async () => {
  const after = await stateOfDatabase();
  // What these tests themselves made: tokens and users, and the totals of users.
  for (const name of [
    "access_token",
    "access_token_repository",
    "account",
    "owner",
    "email_address",
    "two_factor",
    "list_total",
  ]) {
    delete before[name];
    delete after[name];
  }
  expect(after).toEqual(before);
});

afterAll(() => {
  const total = [...cells.counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `The security matrix: ${operations.length} operations, ${total} answers (${[...cells.counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ")})`,
  );
});
