import { StithyError } from "../../../lib/errors.ts";
import { putSubscription } from "../issues/subscription-queries.ts";
import type { Work } from "../../spine/work.ts";
import { areThere } from "./queries.ts";
import type { Unsubscription } from "./unsubscribe-token.ts";

/** The link of a mail is forged or cut off. */
export class UnsubscribeLinkInvalid extends StithyError {
  constructor() {
    super(
      "invalid",
      "unsubscribe-link-invalid",
      "This link ends no subscription: it is not one of this server, or not whole",
    );
  }
}

/** Sees to it that a user hears nothing more of an issue. What is gone by now needs no more than that. */
export async function unsubscribe(work: Work, { userId, issueId }: Unsubscription): Promise<void> {
  if (await areThere(work.tx, issueId, userId)) {
    await putSubscription(work.tx, issueId, userId, false);
  }
}
