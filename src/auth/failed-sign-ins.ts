import { StithyError } from "../lib/errors.ts";

/** Too many wrong passwords or tokens came from one address. */
export class TooManyFailedSignIns extends StithyError {
  constructor(readonly retryAfterSeconds: number) {
    super("too-many-failed-sign-ins", "Too many failed sign-ins from this address", { retryAfterSeconds });
  }
}

const windowMs = 60_000;
const addressLimit = 20_000;

/**
 * Whose failures are counted together: an IPv4 address; of IPv6 the first 64 bits, because whoever has one address of
 * such a network has them all.
 */
export function networkOf(address: string): string {
  const [text = ""] = address.split("%");
  const dotted = /^::ffff:([\d.]+)$/i.exec(text);
  if (dotted?.[1] !== undefined || !text.includes(":")) {
    return dotted?.[1] ?? text;
  }
  const [head = "", tail] = text.split("::");
  const groups = head === "" ? [] : head.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(tail ?? "").split(":")];
  return `${all.slice(0, 4).map((group) => Number.parseInt(group || "0", 16).toString(16)).join(":")}::/64`;
}

/** Counts failed sign-ins per address over a minute. In memory and bounded: the oldest addresses are forgotten first. */
export class FailedSignIns {
  private readonly failures = new Map<string, { count: number; since: number }>();

  constructor(private readonly perMinute: number, private readonly now: () => number = Date.now) {}

  /** Throws TooManyFailedSignIns when the address has to wait. Called before any password work is done for it. */
  check(address: string): void {
    const network = networkOf(address);
    const entry = this.failures.get(network);
    if (entry === undefined) {
      return;
    }
    const age = this.now() - entry.since;
    if (age >= windowMs) {
      this.failures.delete(network);
    } else if (entry.count >= this.perMinute) {
      throw new TooManyFailedSignIns(Math.ceil((windowMs - age) / 1000));
    }
  }

  record(address: string): void {
    const network = networkOf(address);
    const entry = this.failures.get(network);
    if (entry !== undefined && this.now() - entry.since < windowMs) {
      entry.count++;
      return;
    }
    if (this.failures.size >= addressLimit) {
      this.failures.delete(this.failures.keys().next().value ?? "");
    }
    this.failures.delete(network);
    this.failures.set(network, { count: 1, since: this.now() });
  }
}
