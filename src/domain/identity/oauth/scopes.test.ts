import { expect, test } from "bun:test";
import { areGranted, isWithin, readRequestedScopes } from "./scopes.ts";

test("who names no scope of the API gets everything, as clients of the family expect; who only signs in reads the account", () => {
  expect(readRequestedScopes("")).toEqual(["all"]);
  expect(readRequestedScopes("public-only")).toEqual(["all", "public-only"]);
  expect(readRequestedScopes("openid email  openid")).toEqual(["openid", "email", "read:user"]);
  expect(readRequestedScopes("openid write:repository,delete:issue")).toEqual([
    "openid",
    "write:repository",
    "write:issue",
  ]);
});

test("a category by itself means to write", () => {
  expect(readRequestedScopes("repository,user read:issue")).toEqual(["write:repository", "write:user", "read:issue"]);
});

test("what is no scope is refused", () => {
  expect(() => readRequestedScopes("openid write:everything")).toThrow('"write:everything" is not a scope');
});

test("what was agreed to is not more than that", () => {
  expect(areGranted(["openid", "read:user"], ["openid"])).toBe(true);
  expect(areGranted(["openid", "read:user"], ["openid", "email"])).toBe(false);
  expect(areGranted(["all", "public-only"], ["all"])).toBe(false);
  expect(areGranted(["all", "public-only"], ["all", "public-only"])).toBe(true);
});

test.each([
  [["all"], ["all"], true],
  [["read:user"], ["all"], true],
  [["write:user", "read:issue"], ["write:user", "write:issue"], true],
  [["all"], ["openid", "read:user"], false],
  [["write:user"], ["read:user"], false],
  [["openid", "email", "read:user"], ["openid", "read:user"], false],
  [["openid", "read:user"], ["openid", "read:user"], true],
  [["read:user"], ["read:user", "public-only"], false],
  [["read:user", "public-only"], ["all"], true],
])("%p within %p: %p", (scopes, granted, within) => {
  expect(isWithin(scopes, granted)).toBe(within);
});
