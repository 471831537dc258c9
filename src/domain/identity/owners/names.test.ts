import { describe, expect, test } from "bun:test";
import { checkEmail, checkOwnerName, checkRepositoryName } from "./names.ts";

describe("an owner's name", () => {
  test.each(["a", "Alice", "a-b.c_d", "0", "x".repeat(40)])("may be %s", (name) => {
    expect(() => checkOwnerName(name)).not.toThrow();
  });

  test.each([
    ["", "between 1 and 40"],
    ["x".repeat(41), "between 1 and 40"],
    ["-a", "letters, digits"],
    ["a.", "letters, digits"],
    ["a--b", "letters, digits"],
    ["a b", "letters, digits"],
    ["a/b", "letters, digits"],
    ["..", "letters, digits"],
    ["API", "reserved"],
    ["Ghost", "reserved"],
    ["avatars", "reserved"],
    ["name.git", "reserved"],
    ["name.KEYS", "reserved"],
    // Cyrillic, full width, Turkish, a joiner, a long s, a control character.
    ["pаypal", "U+0430"],
    ["ａlice", "U+FF41"],
    ["admın", "U+0131"],
    ["ali\u200dce", "U+200D"],
    ["uſer", "U+017F"],
    ["a\u0000b", "U+0000"],
    ["a\u007fb", "U+007F"],
    ["😀", "U+1F600"],
  ])("may not be %j: %s", (name, part) => {
    expect(() => checkOwnerName(name)).toThrow(part);
  });
});

test.each(["api", "a..b", ".github", "-x", "x".repeat(100)])("a repository may be called %s", (name) => {
  expect(() => checkRepositoryName(name)).not.toThrow();
});

test.each(["", ".", "..", "-", "a b", "a/b", "ä", "x.wiki", "x".repeat(101)])(
  "a repository may not be called %j",
  (name) => {
    expect(() => checkRepositoryName(name)).toThrow();
  },
);

test.each(["a@b.c", "a.b+c@x-y.example", "root@localhost", "o'neil@example.com", "x@xn--bcher-kva.example"])(
  "%s is an e-mail address",
  (email) => {
    expect(() => checkEmail(email)).not.toThrow();
  },
);

test.each([
  "",
  "a",
  "@b.c",
  "a@",
  "a@b@c",
  "a b@c.d",
  "a@b..c",
  "a@-b.c",
  "a@b.c-",
  "a@[1.2.3.4]",
  '"a"@b.c',
  "a,b@c.d",
  "<a@b.c>",
  "a@b.c\r\nBcc: x@y.z",
  "zoë@b.c",
  "a@bücher.de",
  "a\u0000@b.c",
  `${"x".repeat(251)}@b.c`,
])("%j is none", (email) => {
  expect(() => checkEmail(email, "emails")).toThrow("emails must be an e-mail address");
});
