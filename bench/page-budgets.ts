import { figure } from "./support/table.ts";

/** What no page may exceed: bytes on the wire, requests, milliseconds; and the least number of pages a second. */
export const limits = {
  html: 30_000,
  style: 12_000,
  script: 15_000,
  cold: 4,
  warm: 1,
  shift: 0,
  firstByteMs: 15,
  perSecond: 1500,
  /** Bytes of a row of a diff, and how long a browser takes for 3,000 of them. */
  row: 25,
  layoutMs: 50,
  conversationMs: 25,
  filesMs: 60,
  listMs: 12,
} as const;

/** Collects what exceeds its limit. */
export class Budgets {
  readonly missed: string[] = [];

  within(what: string, value: number, most: number): number {
    if (value > most) this.missed.push(`${what}: ${figure(value)}, at most ${most}`);
    return value;
  }

  atLeast(what: string, value: number, least: number): number {
    if (value < least) this.missed.push(`${what}: ${figure(value)}, at least ${least}`);
    return value;
  }

  summary(): string {
    return this.missed.length === 0
      ? "\nAll budgets are kept"
      : `\nMissed budgets:\n${this.missed.map((one) => `- ${one}`).join("\n")}`;
  }
}
