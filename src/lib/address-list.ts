import { BlockList, isIP } from "node:net";
import { InvalidInput } from "./errors.ts";

/** IP addresses and networks, as `192.0.2.1` and `2001:db8::/32`. */
export class AddressList {
  readonly #list = new BlockList();

  /** Throws InvalidInput for what is neither. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = "", prefix, ...rest] = entry.split("/");
      const version = isIP(address);
      const bits = version === 4 ? 32 : 128;
      if (
        version === 0 ||
        rest.length > 0 ||
        (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
      ) {
        throw new InvalidInput(`"${entry}" is neither an IP address nor a network such as 10.0.0.0/8`);
      }
      this.#list.addSubnet(address, prefix === undefined ? bits : Number(prefix), version === 4 ? "ipv4" : "ipv6");
    }
  }

  /** Whether the address is one of them; an IPv4 address may be written as an IPv6 one. */
  has(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const version = isIP(plain);
    return version !== 0 && this.#list.check(plain, version === 4 ? "ipv4" : "ipv6");
  }
}
