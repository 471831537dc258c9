import { StithyError } from "../lib/errors.ts";
import { FailureWindow } from "./failure-window.ts";

/** Too many wrong passwords or codes came from one address, or for one account. */
export class TooManyFailedSignIns extends StithyError {
  constructor(
    where: "from this address" | "to this account",
    readonly retryAfterSeconds: number,
  ) {
    super("too-many", "too-many-failed-sign-ins", `Too many failed sign-ins ${where}`, { retryAfterSeconds });
  }
}

/**
 * Returns the network whose failures are counted together: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because a client with one address of such a network can use all of them.
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
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}

/**
 * Counts wrong passwords and codes per address over a minute. Tokens are not counted and not delayed: they cannot be
 * guessed, and a program with an old token would lock out others at its address.
 */
export class FailedSignIns {
  private readonly failures: FailureWindow;

  constructor(perMinute: number, now: () => number = Date.now) {
    this.failures = new FailureWindow(perMinute, 60_000, now);
  }

  /** Throws TooManyFailedSignIns if the address has to wait. Callers check this before they hash a password. */
  check(address: string): void {
    const seconds = this.failures.secondsToWait(networkOf(address));
    if (seconds > 0) {
      throw new TooManyFailedSignIns("from this address", seconds);
    }
  }

  /** Whether `check` would throw. */
  mustWait(address: string): boolean {
    return this.failures.secondsToWait(networkOf(address)) > 0;
  }

  record(address: string): void {
    this.failures.record(networkOf(address));
  }
}
