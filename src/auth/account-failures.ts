import { networkOf, TooManyFailedSignIns } from "./failed-sign-ins.ts";
import { FailureWindow } from "./failure-window.ts";

const windowMs = 15 * 60_000;
const codesPerWindow = 10;
const familiarLimit = 50_000;

/**
 * Counts failures on one account from all addresses over a quarter of an hour, so that guessing from many addresses
 * does not help. An attacker must not lock the owner out: a network from which the account signed in before may still
 * try passwords, within the limit of its address. Tokens and sessions are not affected. The limit for codes of the
 * second factor has no exception, because only a caller who knows the password gets that far.
 */
export class AccountFailures {
  private readonly passwords: FailureWindow;
  private readonly codes: FailureWindow;
  /** Pairs `account network`, least recently used first. */
  private readonly familiar = new Set<string>();

  constructor(passwordsPerWindow: number, now: () => number = Date.now) {
    this.passwords = new FailureWindow(passwordsPerWindow, windowMs, now);
    this.codes = new FailureWindow(codesPerWindow, windowMs, now);
  }

  /** `account` is whatever stands for it; nobody's name counts like anybody's. Throws TooManyFailedSignIns. */
  checkPassword(account: string, address: string): void {
    const seconds = this.secondsToWait(account, address);
    if (seconds > 0) {
      throw new TooManyFailedSignIns("to this account", seconds);
    }
  }

  /** Whether checkPassword would throw TooManyFailedSignIns. */
  mustWait(account: string, address: string): boolean {
    return this.secondsToWait(account, address) > 0;
  }

  private secondsToWait(account: string, address: string): number {
    return this.familiar.has(`${account} ${networkOf(address)}`) ? 0 : this.passwords.secondsToWait(account);
  }

  /** Counts a wrong password once per `digest`: a program that keeps sending an old password counts once. */
  recordWrongPassword(account: string, digest: string): void {
    this.passwords.record(account, digest);
  }

  /** Records a complete sign-in to the account from this address. */
  recordSignIn(account: string, address: string): void {
    const key = `${account} ${networkOf(address)}`;
    this.familiar.delete(key);
    if (this.familiar.size >= familiarLimit) {
      this.familiar.delete(this.familiar.values().next().value ?? "");
    }
    this.familiar.add(key);
  }

  /** Counts a code before it is checked, so that parallel attempts gain nothing. Throws TooManyFailedSignIns. */
  beginCode(account: string): void {
    const seconds = this.codes.secondsToWait(account);
    if (seconds > 0) {
      throw new TooManyFailedSignIns("to this account", seconds);
    }
    this.codes.record(account);
  }

  /** Uncounts the last code, because it was right. */
  endRightCode(account: string): void {
    this.codes.takeBack(account);
  }
}
