import { expect, test } from "bun:test";
import { principalOf } from "./principal.ts";
import type { Actor } from "./subject.ts";

test("a user is one principal, wherever from and with whatever credential", () => {
  const actor = { id: 7 } as Actor;
  expect(principalOf("192.0.2.1", { actor, credential: { kind: "password", userId: 7, stamp: "" } })).toBe("user 7");
  expect(principalOf("192.0.2.2", { actor, credential: { kind: "ssh-key", keyId: 3 } })).toBe("user 7");
});

test("a deploy key is a principal of its own", () => {
  const credential = { kind: "deploy-key", keyId: 3, deployKeyId: 9, readOnly: true } as const;
  expect(principalOf("192.0.2.1", { actor: null, credential })).toBe("key 3");
});

test("who is not signed in is the address, of IPv6 its network", () => {
  const nobody = { actor: null, credential: { kind: "none" } } as const;
  expect(principalOf("192.0.2.1", nobody)).toBe("address 192.0.2.1");
  expect(principalOf("2001:db8:1:2:3:4:5:6")).toBe(principalOf("2001:db8:1:2::9", nobody));
  expect(principalOf("2001:db8:1:2::9")).not.toBe(principalOf("2001:db8:1:3::9"));
});
