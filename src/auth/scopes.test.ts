import { expect, test } from "bun:test";
import { InvalidScope, hasScope, normalizeScopes, parseScopes } from "./scopes.ts";

test("write includes read, read does not include write, and nothing includes another category", () => {
  const scopes = parseScopes(["write:repository", "read:user", "read:repository"]);
  expect(hasScope(scopes, "repository", "read")).toBe(true);
  expect(hasScope(scopes, "repository", "write")).toBe(true);
  expect(hasScope(scopes, "user", "read")).toBe(true);
  expect(hasScope(scopes, "user", "write")).toBe(false);
  expect(hasScope(scopes, "issue", "read")).toBe(false);
  expect(scopes.publicOnly).toBe(false);
});

test("all is every category, public-only is none, and what is no scope gives nothing", () => {
  expect(hasScope(parseScopes(["all"]), "admin", "write")).toBe(true);
  const none = parseScopes([
    "public-only",
    "write",
    "repository",
    "write:nothing",
    "write:repository:x",
    "owner:repository",
    "",
  ]);
  expect([...none.levels]).toEqual([]);
  expect(none.publicOnly).toBe(true);
});

test("asked-for scopes are checked by name; delete is written as write", () => {
  expect(normalizeScopes(["delete:issue", "write:issue", "read:user", "public-only"], false)).toEqual([
    "write:issue",
    "read:user",
    "public-only",
  ]);
  expect(() => normalizeScopes(["write:everything"], true)).toThrow('"write:everything" is not a scope');
  expect(() => normalizeScopes(["read:admin"], false)).toThrow("only for site administrators");
  expect(normalizeScopes(["read:admin"], true)).toEqual(["read:admin"]);
});

test("the category of site administrators counts for them alone, also in tokens that were made when the user was one", () => {
  expect(hasScope(parseScopes(["all"], { isAdmin: false }), "admin", "read")).toBe(false);
  expect(hasScope(parseScopes(["write:admin", "read:user"], { isAdmin: false }), "admin", "read")).toBe(false);
  expect(hasScope(parseScopes(["write:admin", "read:user"], { isAdmin: false }), "user", "read")).toBe(true);
});

test("a token needs a scope", () => {
  expect(() => normalizeScopes([], true)).toThrow(InvalidScope);
});
