import { StithyError } from "../lib/errors.ts";

/** Too many wrong passwords or tokens came from one address. */
export class TooManyFailedSignIns extends StithyError {
  constructor(readonly retryAfterSeconds: number) {
    super("too-many-failed-sign-ins", "Too many failed sign-ins from this address", { retryAfterSeconds });
  }
}

const windowMs = 60_000;
const addressLimit = 20_000;

/** Counts failed sign-ins per address over a minute. In memory and bounded: the oldest addresses are forgotten first. */
export class FailedSignIns {
  private readonly failures = new Map<string, { count: number; since: number }>();

  constructor(private readonly perMinute: number, private readonly now: () => number = Date.now) {}

  /** Throws TooManyFailedSignIns when the address has to wait. Called before any password work is done for it. */
  check(address: string): void {
    const entry = this.failures.get(address);
    if (entry === undefined) {
      return;
    }
    const age = this.now() - entry.since;
    if (age >= windowMs) {
      this.failures.delete(address);
    } else if (entry.count >= this.perMinute) {
      throw new TooManyFailedSignIns(Math.ceil((windowMs - age) / 1000));
    }
  }

  record(address: string): void {
    const entry = this.failures.get(address);
    if (entry !== undefined && this.now() - entry.since < windowMs) {
      entry.count++;
      return;
    }
    if (this.failures.size >= addressLimit) {
      this.failures.delete(this.failures.keys().next().value ?? "");
    }
    this.failures.delete(address);
    this.failures.set(address, { count: 1, since: this.now() });
  }
}
