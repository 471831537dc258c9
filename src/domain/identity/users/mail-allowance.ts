import { FailureWindow } from "../../../auth/failure-window.ts";
import { StithyError } from "../../../lib/errors.ts";

const windowMs = 60 * 60_000;

/** A user has had too many mails sent to addresses that may be anybody's. */
export class TooManyMails extends StithyError {
  constructor(readonly retryAfterSeconds: number) {
    super("too-many", "too-many-mails", "Too many mails were asked for; try again later", { retryAfterSeconds });
  }
}

/** How many mails to unverified addresses one user can cause in an hour, so that nobody fills strangers' mailboxes through the server. */
export class MailAllowance {
  private readonly asked: FailureWindow;

  constructor(maxPerHour: number) {
    this.asked = new FailureWindow(maxPerHour, windowMs, Date.now);
  }

  /** Throws TooManyMails. */
  take(userId: number, mails: number): void {
    for (let number = 0; number < mails; number++) {
      const seconds = this.asked.secondsToWait(String(userId));
      if (seconds > 0) {
        throw new TooManyMails(seconds);
      }
      this.asked.record(String(userId));
    }
  }
}
