import { AsyncLocalStorage } from "node:async_hooks";

/** The principal of what nobody asked for: work at start, health checks, regular tasks. */
const ofServer = "server";

interface Acting {
  principal: string;
  warning: string | null;
  calledAt: string | null;
  isUnfinished: boolean;
}

const acting = new AsyncLocalStorage<Acting>();

/**
 * Does the work of one request under a principal: an opaque name of the caller, by which queues take turns (see
 * FairShare). It goes with everything that the work calls or awaits. The body of an answer is read later, outside of
 * it: what begins work there takes `currentPrincipal()` along and acts as it. `calledAt` is the scheme and host by
 * which the client called, if responses may follow it.
 */
export function actAs<Result>(principal: string, work: () => Result, calledAt: string | null = null): Result {
  return acting.run({ principal, warning: null, calledAt, isUnfinished: false }, work);
}

/** Returns the scheme and host by which the client of this request called; null if responses do not follow it. */
export function currentCalledAt(): string | null {
  return acting.getStore()?.calledAt ?? null;
}

/** Says that the request that is being worked on turned out to be somebody else's: it is identified by now. */
export function becomePrincipal(principal: string): void {
  const own = acting.getStore();
  if (own !== undefined) {
    own.principal = principal;
  }
}

/**
 * Leaves a warning for the caller, in one line of ASCII. It replaces an earlier one. The surface that answers shows it.
 */
export function warnCaller(text: string): void {
  const own = acting.getStore();
  if (own !== undefined) {
    own.warning = text;
  }
}

/** The warning that was left, once; null if there is none. */
export function takeWarning(): string | null {
  const own = acting.getStore();
  const warning = own?.warning ?? null;
  if (own !== undefined) {
    own.warning = null;
  }
  return warning;
}

/** Notes that the answer lacks something that was late: the same request gets more of it the next time. */
export function noteUnfinished(): void {
  const own = acting.getStore();
  if (own !== undefined) {
    own.isUnfinished = true;
  }
}

/** Whether the answer lacks something that was late. */
export function isUnfinished(): boolean {
  return acting.getStore()?.isUnfinished ?? false;
}

/** Does work of the server's own, whichever request started it. */
export function actAsServer<Result>(work: () => Result): Result {
  return actAs(ofServer, work);
}

/** Returns the principal of the present work. */
export function currentPrincipal(): string {
  return acting.getStore()?.principal ?? ofServer;
}
