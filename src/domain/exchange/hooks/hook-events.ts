import type { ScopeCategory } from "../../../auth/scopes.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { showValue } from "../../../lib/show-value.ts";
import { scopeOfHookEvent, type HookEventType } from "../../spine/events/hook-types.ts";

export const hookEventTypes = Object.keys(scopeOfHookEvent) as HookEventType[];
const known: ReadonlySet<string> = new Set(hookEventTypes);

const beginningWith = (prefix: string) => hookEventTypes.filter((type) => type.startsWith(prefix));

/** Names that stand for several: those of the family, which has `issues` mean all that happens to issues. */
const groups: Readonly<Record<string, readonly HookEventType[]>> = {
  issues: ["issues", ...beginningWith("issue_")],
  issues_only: ["issues"],
  pull_request: beginningWith("pull_request"),
  pull_request_only: ["pull_request"],
  pull_request_review: beginningWith("pull_request_review_").filter((type) => type !== "pull_request_review_request"),
};

/** Returns the events that `events` of a body names, in a fixed order; an empty list means pushes. Throws InvalidInput for an unknown name. */
export function readHookEvents(names: readonly string[]): HookEventType[] {
  const wanted = new Set<string>();
  for (const name of names.length === 0 ? ["push"] : names) {
    const meant = groups[name] ?? (known.has(name) ? [name] : null);
    if (meant === null) {
      throw new InvalidInput(
        `events: ${showValue(name)} is not an event; they are ${hookEventTypes.join(", ")}`,
        "events",
      );
    }
    meant.forEach((type) => wanted.add(type));
  }
  return hookEventTypes.filter((type) => wanted.has(type));
}

/** The scopes with which a token reads by itself what a hook would send of these events. */
export function scopesOfEvents(events: readonly string[]): ScopeCategory[] {
  return [
    ...new Set(events.flatMap((type) => (known.has(type) ? [scopeOfHookEvent[type as HookEventType]] : []))),
  ].sort();
}
