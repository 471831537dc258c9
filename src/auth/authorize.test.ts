import { describe, expect, test } from "bun:test";
import { authorize, type Action } from "./authorize.ts";
import type { Unit } from "../db/schema/owners.ts";
import { parseScopes } from "./scopes.ts";
import { repositoryAccess, sameInEveryUnit, type FoundModes } from "./unit-modes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess } from "./subject.ts";

const actor = (id: number, isAdmin = false) => ({ id, name: `user${id}`, kind: "user", isAdmin }) as Actor;
const owner = (fields: Partial<OwnerAccess["owner"]> = {}) =>
  ({ id: 9, name: "forge", kind: "organization", visibility: "public", ...fields }) as OwnerAccess["owner"];
const ownerAccess = (fields: Partial<OwnerAccess> = {}): OwnerAccess => ({
  owner: owner(),
  visible: true,
  membership: null,
  createsRepositories: false,
  packageMode: 0,
  blocked: false,
  team: null,
  ...fields,
});
const repository = (
  mode: number,
  fields: Partial<RepositoryAccess["repository"]> = {},
  of = owner(),
  found: Partial<FoundModes> = {},
): RepositoryAccess =>
  repositoryAccess(
    {
      hasCode: true,
      hasIssues: false,
      hasWiki: true,
      externalWikiUrl: null,
      private: false,
      ...fields,
    } as RepositoryAccess["repository"],
    of,
    {
      gitBytes: 0,
      lfsBytes: 0,
      stars: 0,
      watchers: 0,
      releases: 0,
      transfers: 0,
      forks: 0,
      openIssues: 0,
      openPulls: 0,
      language: "",
    },
    { ...sameInEveryUnit(mode), ...found },
  );
const none: Credential = { kind: "none" };
const password: Credential = { kind: "password", userId: 7, stamp: "" };
const token = (...scopes: string[]): Credential => ({ kind: "token", tokenId: 1, scopes: parseScopes(scopes) });
const needs = (level: "read" | "write") => ({ categories: ["repository"] as const, level });
type Verb = "read" | "participate" | "write" | "admin" | "owner";
const on = (mode: Verb, unit: Unit | "any" = "any"): Action => ({ on: "repository", do: mode, unit });

const decide = (who: Actor | null, credential: Credential, mode: Verb, access: RepositoryAccess | null, unit?: Unit) =>
  authorize(who, credential, needs(mode === "read" ? "read" : "write"), on(mode, unit), { repository: access });

const decideOwner = (
  who: Actor | null,
  credential: Credential,
  verb: "see" | "belong" | "manage" | "create-repository",
  access: OwnerAccess | null,
) =>
  authorize(
    who,
    credential,
    { categories: ["organization"], level: "read" },
    { on: "owner", do: verb },
    { owner: access },
  );

const decideInstance = (who: Actor | null, credential: Credential) =>
  authorize(who, credential, { categories: ["admin"], level: "write" }, { on: "instance", do: "administer" });

describe("a repository", () => {
  test("without access is as if it were not there", () => {
    expect(decide(null, none, "read", repository(0))).toBe("hidden");
    expect(decide(actor(1), password, "write", repository(0))).toBe("hidden");
    expect(decide(actor(1), password, "read", null)).toBe("hidden");
  });

  test("is read, written and administered as far as the mode goes", () => {
    expect(decide(null, none, "read", repository(1))).toBe("allowed");
    expect(decide(null, none, "write", repository(1))).toBe("sign-in-required");
    expect(decide(actor(1), password, "write", repository(1))).toBe("forbidden");
    expect(decide(actor(1), password, "write", repository(2))).toBe("allowed");
    expect(decide(actor(1), password, "admin", repository(2))).toBe("forbidden");
    expect(decide(actor(1), password, "admin", repository(3))).toBe("allowed");
    expect(decide(actor(1), password, "owner", repository(3))).toBe("forbidden");
    expect(decide(actor(1), password, "owner", repository(4))).toBe("allowed");
  });

  test("whose unit is off is hidden for that unit, even from its owner", () => {
    expect(decide(actor(1), password, "read", repository(4, { hasCode: false }), "code")).toBe("hidden");
    expect(decide(actor(1), password, "read", repository(4), "issues")).toBe("hidden");
    expect(decide(actor(1), password, "read", repository(4), "code")).toBe("allowed");
  });

  test("is open in the units that a team gives, and hidden in the others", () => {
    const wikiOnly = repository(0, {}, owner(), { teamUnits: { wiki: 2, code: 0, issues: 1 } });
    expect(decide(actor(1), password, "read", wikiOnly)).toBe("allowed");
    expect(decide(actor(1), password, "read", wikiOnly, "code")).toBe("hidden");
    expect(decide(actor(1), password, "write", wikiOnly, "code")).toBe("hidden");
    expect(decide(actor(1), password, "write", wikiOnly, "wiki")).toBe("allowed");
    expect(decide(actor(1), password, "read", wikiOnly, "issues")).toBe("hidden");
    expect(decide(actor(1), password, "admin", wikiOnly)).toBe("forbidden");
    const publicToo = repository(1, {}, owner(), { teamUnits: { wiki: 2, code: 0 } });
    expect(decide(actor(1), password, "read", publicToo, "code")).toBe("allowed");
    expect(decide(actor(1), password, "write", publicToo, "code")).toBe("forbidden");
  });

  test("has a wiki that readers with an account write where it is open to all, and nothing else of it", () => {
    const open = { globallyEditableWiki: true };
    const found = repository(1, open);
    expect(decide(actor(1), password, "write", found, "wiki")).toBe("allowed");
    expect(decide(null, none, "write", found, "wiki")).toBe("sign-in-required");
    expect(decide(actor(1), password, "write", found, "code")).toBe("forbidden");
    expect(decide(actor(1), password, "admin", found, "wiki")).toBe("forbidden");
    expect(decide(actor(1), password, "write", repository(1), "wiki")).toBe("forbidden");
    expect(decide(actor(1), password, "write", repository(1, open, owner(), { blocked: true }), "wiki")).toBe(
      "forbidden",
    );
    expect(decide(actor(1), password, "write", repository(0, open), "wiki")).toBe("hidden");
    const codeOnly = repository(0, open, owner(), { teamUnits: { code: 2, wiki: 0 } });
    expect(decide(actor(1), password, "write", codeOnly, "wiki")).toBe("hidden");
  });

  test("has no wiki of the server where it is turned off or elsewhere", () => {
    for (const fields of [{ hasWiki: false }, { externalWikiUrl: "https://wiki.example.org" }]) {
      const found = repository(4, { ...fields, globallyEditableWiki: true });
      expect(decide(actor(1), password, "read", found, "wiki")).toBe("hidden");
      expect(decide(actor(1), password, "write", found, "wiki")).toBe("hidden");
      expect(decide(actor(1), password, "read", found, "code")).toBe("allowed");
    }
  });

  test("is for everybody who reads it to take part in, but for those whom its owner keeps away", () => {
    expect(decide(actor(1), password, "participate", repository(1))).toBe("allowed");
    expect(decide(actor(1), password, "participate", repository(1, {}, owner(), { blocked: true }))).toBe("forbidden");
    expect(decide(null, none, "participate", repository(1))).toBe("sign-in-required");
    expect(decide(actor(1), password, "participate", repository(0))).toBe("hidden");
  });

  test("is closed to a token without the scope before anything is said of it", () => {
    expect(decide(actor(1), token("read:issue"), "read", repository(4))).toBe("scope-missing");
    expect(decide(actor(1), token("read:issue"), "read", null)).toBe("scope-missing");
    expect(decide(actor(1), token("read:repository"), "write", repository(4))).toBe("scope-missing");
    expect(decide(actor(1), token("write:repository"), "write", repository(4))).toBe("allowed");
  });

  test("is hidden from a public-only token unless it and its owner are public", () => {
    const limited = token("all", "public-only");
    expect(decide(actor(1), limited, "read", repository(4))).toBe("allowed");
    expect(decide(actor(1), limited, "read", repository(4, { private: true }))).toBe("hidden");
    expect(decide(actor(1), limited, "read", repository(4, {}, owner({ visibility: "limited" })))).toBe("hidden");
  });
});

describe("an owner", () => {
  test("is seen when visible and managed by itself, its owners and site administrators", () => {
    expect(decideOwner(null, none, "see", ownerAccess())).toBe("allowed");
    expect(decideOwner(null, none, "see", ownerAccess({ visible: false }))).toBe("hidden");
    expect(decideOwner(null, none, "manage", ownerAccess())).toBe("sign-in-required");
    expect(decideOwner(actor(1), password, "manage", ownerAccess({ membership: 3 }))).toBe("forbidden");
    expect(decideOwner(actor(1), password, "manage", ownerAccess({ membership: 4 }))).toBe("allowed");
    expect(decideOwner(actor(1, true), password, "manage", ownerAccess())).toBe("allowed");
    expect(decideOwner(actor(9), password, "manage", ownerAccess({ owner: owner({ kind: "user" }) }))).toBe("allowed");
    expect(
      decideOwner(actor(1), password, "manage", ownerAccess({ owner: owner({ kind: "user" }), membership: 4 })),
    ).toBe("forbidden");
  });

  test("takes repositories from members of teams that may create them", () => {
    expect(decideOwner(actor(1), password, "create-repository", ownerAccess({ membership: 2 }))).toBe("forbidden");
    expect(
      decideOwner(actor(1), password, "create-repository", ownerAccess({ membership: 2, createsRepositories: true })),
    ).toBe("allowed");
  });
});

describe("an organization", () => {
  const see = (access: OwnerAccess) =>
    authorize(
      null,
      none,
      { categories: ["organization"], level: "read" },
      { on: "organization", do: "see" },
      { owner: access },
    );

  test("is never a user", () => {
    expect(see(ownerAccess())).toBe("allowed");
    expect(see(ownerAccess({ owner: owner({ kind: "user" }) }))).toBe("hidden");
  });

  test("is belonged to by members of any team, and by site administrators", () => {
    expect(decideOwner(actor(1), password, "belong", ownerAccess())).toBe("forbidden");
    expect(decideOwner(actor(1), password, "belong", ownerAccess({ membership: 0 }))).toBe("allowed");
    expect(decideOwner(actor(1, true), password, "belong", ownerAccess())).toBe("allowed");
    expect(decideOwner(null, none, "belong", ownerAccess())).toBe("sign-in-required");
  });
});

describe("a team", () => {
  const decideTeam = (
    who: Actor | null,
    verb: "see" | "manage",
    fields: Partial<OwnerAccess>,
    credential: Credential = password,
  ) =>
    authorize(
      who,
      credential,
      { categories: ["organization"], level: "read" },
      { on: "team", do: verb },
      { owner: ownerAccess({ team: { id: 1, isMember: false }, ...fields }) },
    );

  test("is seen by its members, managed by the owners, forbidden to other members and hidden from the rest", () => {
    expect(decideTeam(actor(1), "see", { membership: 1, team: { id: 1, isMember: true } })).toBe("allowed");
    expect(decideTeam(actor(1), "manage", { membership: 1, team: { id: 1, isMember: true } })).toBe("forbidden");
    expect(decideTeam(actor(1), "see", { membership: 1 })).toBe("forbidden");
    expect(decideTeam(actor(1), "see", {})).toBe("hidden");
    expect(decideTeam(actor(1), "see", { membership: 4 })).toBe("allowed");
    expect(decideTeam(actor(1), "manage", { membership: 4 })).toBe("allowed");
    expect(decideTeam(actor(1, true), "manage", {})).toBe("allowed");
    expect(decideTeam(actor(1, true), "manage", { team: null })).toBe("hidden");
    expect(decideTeam(null, "see", {}, none)).toBe("sign-in-required");
    expect(
      decideTeam(
        actor(1),
        "see",
        { membership: 4, owner: owner({ visibility: "private" }) },
        token("all", "public-only"),
      ),
    ).toBe("hidden");
  });
});

test("the instance is administered by site administrators only", () => {
  expect(decideInstance(null, none)).toBe("sign-in-required");
  expect(decideInstance(actor(1), password)).toBe("forbidden");
  expect(decideInstance(actor(1, true), password)).toBe("allowed");
  expect(decideInstance(actor(1, true), token("write:repository"))).toBe("scope-missing");
});

describe("a token for single repositories", () => {
  const restricted: Credential = { kind: "token", tokenId: 1, scopes: parseScopes(["all"], { restricted: true }) };
  const decideBoth = (action: Action, resource: Parameters<typeof authorize>[4] = {}) =>
    (["read", "write"] as const).map((level) =>
      authorize(actor(1, true), restricted, { categories: ["user"], level }, action, resource),
    );

  test("does with its repositories what its user may", () => {
    for (const verb of ["read", "participate", "write", "admin", "owner"] as const) {
      expect(decide(actor(1), restricted, verb, repository(4))).toBe("allowed");
    }
    expect(decide(actor(1), restricted, "write", repository(1))).toBe("forbidden");
    expect(decide(actor(1), restricted, "read", null)).toBe("hidden");
  });

  test("reads about accounts and organizations, and changes and manages neither", () => {
    const organization = {
      owner: ownerAccess({ membership: 4, createsRepositories: true, team: { id: 1, isMember: true } }),
    };
    expect(decideBoth({ on: "account", do: "act-as-self" })).toEqual(["allowed", "token-restricted"]);
    for (const on of ["owner", "organization"] as const) {
      expect(decideBoth({ on, do: "see" }, organization)).toEqual(["allowed", "token-restricted"]);
      expect(decideBoth({ on, do: "belong" }, organization)).toEqual(["allowed", "token-restricted"]);
      expect(decideBoth({ on, do: "manage" }, organization)).toEqual(["token-restricted", "token-restricted"]);
    }
    expect(decideBoth({ on: "owner", do: "create-repository" }, organization)[1]).toBe("token-restricted");
    expect(decideBoth({ on: "team", do: "see" }, organization)).toEqual(["allowed", "token-restricted"]);
    expect(decideBoth({ on: "team", do: "manage" }, organization)).toEqual(["token-restricted", "token-restricted"]);
  });

  test("administers nothing, and uses what anybody may", () => {
    expect(decideBoth({ on: "instance", do: "administer" })).toEqual(["token-restricted", "token-restricted"]);
    expect(decideBoth({ on: "instance", do: "use" })).toEqual(["allowed", "allowed"]);
  });
});
