import type { LastAttempt } from "../../domain/exchange/hooks/history-queries.ts";

/** What an answer of a receiver means, in plain words. */
function statusWords(status: number): string {
  if (status === 401 || status === 403) {
    return "the receiver refused it: look at the secret and the header that it expects";
  }
  if (status === 404 || status === 410) {
    return "the receiver has nothing at this address: look whether it is right";
  }
  if (status === 429) {
    return "the receiver is asked too often";
  }
  if (status >= 300 && status < 400) {
    return "the receiver says that it is elsewhere: webhooks are sent to the address itself only";
  }
  if (status >= 500) {
    return "the receiver failed at its end";
  }
  return status >= 400 ? "the receiver could not read it" : "the receiver answered";
}

/** How a delivery stands: whether it arrived, and if not, why. */
export function deliveryWords({
  state,
  attempts,
  status,
  failure,
}: Omit<LastAttempt, "hookId" | "attemptedAt">): string {
  const reason = status !== null && status > 0 ? `${statusWords(status)} (${status})` : (failure ?? "it was not sent");
  switch (state) {
    case "delivered":
      return `Delivered: the receiver answered ${status ?? 0}`;
    case "waiting":
      return attempts === 0
        ? "Waits to be sent"
        : `Tried ${attempts === 1 ? "once" : `${attempts} times`}, and tried again soon: ${reason}`;
    case "dead":
      return attempts === 0
        ? `Not sent: ${reason}`
        : `Given up after ${attempts === 1 ? "one try" : `${attempts} tries`}: ${reason}`;
  }
}
