import { expect, test } from "bun:test";
import { AddressList } from "./address-list.ts";
import { InvalidInput } from "./errors.ts";

test.each([
  [["192.0.2.1"], "192.0.2.1", true],
  [["192.0.2.1"], "192.0.2.2", false],
  [["10.0.0.0/8"], "10.255.3.4", true],
  [["10.0.0.0/8"], "11.0.0.1", false],
  [["10.0.0.0/8"], "::ffff:10.1.2.3", true],
  [["0.0.0.0/0"], "203.0.113.9", true],
  [["0.0.0.0/0"], "2001:db8::1", false],
  [["2001:db8::/32"], "2001:db8:1::2", true],
  [["2001:db8::/32"], "2001:db9::2", false],
  [["::1"], "::1", true],
  [["10.0.0.0/8", "::1"], "::1", true],
  [[], "127.0.0.1", false],
  [["127.0.0.1"], "unknown", false],
  [["127.0.0.1"], "127.0.0.1, 10.0.0.1", false],
])("%j has %s: %p", (entries, address, expected) => {
  expect(new AddressList(entries).has(address)).toBe(expected);
});

test.each(["", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "::1/129", "10.0.0.0/8/8", "10.0.0/8", "10.0.0.0/x"])(
  "%p is no address or network",
  (entry) => {
    expect(() => new AddressList([entry])).toThrow(InvalidInput);
  },
);
