import { isIP } from "node:net";
import { AddressList } from "../lib/address-list.ts";

/**
 * Networks that are not the public internet (IANA's registries of special-purpose addresses, RFC 6890): this host, private
 * and shared networks, link-local ones with the metadata services of clouds, documentation, multicast and what is reserved.
 */
const special4 = new AddressList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
]);

/** The only part of IPv6 that is given out to the public internet. */
const public6 = new AddressList(["2000::/3"]);
/**
 * Special parts of that network: protocol assignments with Teredo, documentation, 6to4. Tunnels contain an IPv4 address
 * that nobody checked.
 */
const special6 = new AddressList(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

/** Decides which addresses the server may call: public ones, and those of the networks that the operator allows. */
export class AddressPolicy {
  readonly #allowed: AddressList;

  /** Throws InvalidInput for an entry that is no address and no network. */
  constructor(allowedNetworks: readonly string[]) {
    this.#allowed = new AddressList(allowedNetworks);
  }

  /** Whether the server may call an IP address in any notation of RFC 4291; false for what is none. */
  permits(address: string): boolean {
    const unscoped = address.split("%")[0] ?? "";
    const plain = embeddedIPv4(unscoped) ?? unscoped;
    if (isIP(plain) === 0) {
      return false;
    }
    return this.#allowed.has(plain) || (isIP(plain) === 4 ? !special4.has(plain) : isPublic6(plain));
  }
}

function isPublic6(address: string): boolean {
  return public6.has(address) && !special6.has(address);
}

/** The IPv4 address that an IPv4-mapped one (`::ffff:0:0/96`) or one of NAT64 (`64:ff9b::/96`, RFC 6052) stands for; else null. */
function embeddedIPv4(address: string): string | null {
  const groups = isIP(address) === 6 ? groupsOf(address) : [];
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":");
  if (prefix !== "0:0:0:0:0:ffff" && prefix !== "64:ff9b:0:0:0:0") {
    return null;
  }
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const before = parseGroups(head);
  const after = parseGroups(tail ?? "");
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): number[] {
  return text === ""
    ? []
    : text.split(":").flatMap((group) => {
        const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
        return group.includes(".") ? [a * 256 + b, c * 256 + d] : [Number.parseInt(group, 16)];
      });
}
