import { describe, expect, test } from "bun:test";
import { AddressPolicy } from "./address-policy.ts";

const standard = new AddressPolicy([]);

describe("by default", () => {
  for (const address of [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "",
    "localhost",
    "1.2.3",
  ]) {
    test(`${JSON.stringify(address)} is refused`, () => {
      expect(standard.permits(address)).toBe(false);
    });
  }
  for (const address of [
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
  ]) {
    test(`${address} is allowed`, () => {
      expect(standard.permits(address)).toBe(true);
    });
  }
});

test("the networks of the setting are allowed in any notation, and no others", () => {
  const policy = new AddressPolicy(["10.0.0.0/8", "fd00::/8", "::1"]);
  expect(
    ["10.9.9.9", "::ffff:10.9.9.9", "::ffff:a09:909", "fd00::7", "0:0:0:0:0:0:0:1"].map((one) => policy.permits(one)),
  ).toEqual([true, true, true, true, true]);
  expect(["127.0.0.1", "192.168.0.1", "fc00::7"].map((one) => policy.permits(one))).toEqual([false, false, false]);
});

test("an entry that is no network is refused with its text", () => {
  expect(() => new AddressPolicy(["10.0.0.0/33"])).toThrow('"10.0.0.0/33" is neither an IP address nor a network');
});
