import { statusStates, type StatusState } from "../../../db/schema/statuses.ts";

/**
 * The state of a commit from those of its contexts: the worst one, in the order error, failure, warning, pending,
 * success. A skipped context counts as a success. Without contexts it is pending.
 */
export function combineStates(states: Iterable<StatusState>): StatusState {
  const present = new Set(states);
  const worst = statusStates.find((state) => present.has(state)) ?? "pending";
  return worst === "skipped" ? "success" : worst;
}
