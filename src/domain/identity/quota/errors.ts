import { StithyError } from "../../../lib/errors.ts";
import type { Bringer, QuotaSubject } from "./subjects.ts";

/** An owner or a repository would use more than it may. Nothing of the change stays. */
export class QuotaExceeded extends StithyError {
  constructor(message: string, data: Readonly<Record<string, unknown>>) {
    super("too-large", "quota-exceeded", message, data);
  }

  /** `over`: how many bytes more than allowed `used` is. */
  static ofOwner(owner: string, by: Bringer, subject: QuotaSubject, used: number, over: number): QuotaExceeded {
    return new QuotaExceeded(
      by === "owner"
        ? `The quota of "${owner}" is exceeded: ${subject} would be ${used} bytes, ${over} more than allowed`
        : `What others bring to "${owner}" is too much: ${subject} would be ${used} bytes of theirs, ${over} more than allowed; the owner can delete or merge some of it`,
      { owner, subject, used, over },
    );
  }
}
