import { expect, test } from "bun:test";
import { checkRedirectUri, isRegistered, formTargetOf } from "./redirect-uri.ts";

const registered = [
  "https://ci.example/authorize",
  "http://127.0.0.1/callback",
  "http://127.0.0.1:8000/fixed?a=b",
  "com.example.app:/done",
];

test("an address is the registered one to the letter", () => {
  expect(isRegistered(registered, "https://ci.example/authorize")).toBe(true);
  expect(isRegistered(registered, "com.example.app:/done")).toBe(true);
  const others = [
    "https://ci.example/authorize/",
    "https://ci.example/authorize?x=1",
    "https://ci.example/authorize#f",
    "https://CI.example/authorize",
    "http://ci.example/authorize",
    "https://ci.example:444/authorize",
    "https://ci.example.evil.example/authorize",
    "https://user@ci.example/authorize",
    "https://ci.example/a/../authorize",
    "com.example.app:/done2",
    "",
  ];
  for (const other of others) {
    expect(isRegistered(registered, other)).toBe(false);
  }
});

test("only the port of a loopback address is free", () => {
  expect(isRegistered(registered, "http://127.0.0.1:51234/callback")).toBe(true);
  expect(isRegistered(registered, "http://127.0.0.1:9/fixed?a=b")).toBe(true);
  for (const other of [
    "http://127.0.0.1:51234/other",
    "http://127.0.0.1:1/callback?x",
    "http://localhost:51234/callback",
    "http://[::1]:1/callback",
    "https://127.0.0.1:1/callback",
    "http://127.0.0.1.evil.example:1/callback",
    "http://a:b@127.0.0.1:1/callback",
    "http://127.0.0.1:1/callback#x",
  ]) {
    expect(isRegistered(registered, other)).toBe(false);
  }
});

test("what browsers would run, or cannot be answered at, is not registered", () => {
  for (const uri of [
    "https://ci.example/cb",
    "http://localhost/cb",
    "com.example.app:/cb",
    "https://ci.example/cb?x=y",
  ]) {
    checkRedirectUri(uri);
  }
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "/relative",
    "https://ci.example/#x",
    "https://a:b@ci.example/",
    "https://ci.example/ä",
    "",
    `https://ci.example/${"a".repeat(3000)}`,
  ]) {
    expect(() => checkRedirectUri(uri)).toThrow("is not an absolute address");
  }
});

test("a policy names the origin, or the scheme of an app", () => {
  expect(formTargetOf("https://ci.example:444/cb?x")).toBe("https://ci.example:444");
  expect(formTargetOf("com.example.app:/done")).toBe("com.example.app:");
});
