import { expect, test } from "bun:test";
import { userOfPrincipal } from "./negotiate.ts";

test.each([
  ["alice@EXAMPLE.ORG", "alice"],
  ["a.lice-1@EXAMPLE.ORG", "a.lice-1"],
  ["alice@OTHER.ORG", null],
  ["alice@example.org", null],
  ["alice@SUB.EXAMPLE.ORG", null],
  ["alice@X@EXAMPLE.ORG", null],
  ["alice\\@X@EXAMPLE.ORG", null],
  ["alice/admin@EXAMPLE.ORG", null],
  ["HTTP/forge.example.org@EXAMPLE.ORG", null],
  ["@EXAMPLE.ORG", null],
  ["alice", null],
  ["EXAMPLE.ORG", null],
  ["", null],
])("%s is the user %p of EXAMPLE.ORG", (principal, user) => {
  expect(userOfPrincipal(principal, "EXAMPLE.ORG")).toBe(user);
});
