import { isRestricted } from "../../../auth/authorize.ts";
import type { ScopeCategory } from "../../../auth/scopes.ts";
import { unseal } from "../../../lib/sealed-box.ts";
import { mayOpen } from "../../spine/demand-to-open.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { scopesOfEvents } from "./hook-events.ts";
import type { HookRow } from "./queries.ts";

/** The API shows this in place of a header that the caller may not know. Sent back, it changes nothing. */
export const keptHeader = "********";

/** Names the hook and the column that a sealed value belongs to. */
export function hookSealContext(sealId: string, what: string): string {
  return `hook ${what} ${sealId}`;
}

/** A sealed column of a hook; null if it has none, or the key of the server is another one. */
export function openHookSecret(
  { keys }: Pick<Forge, "keys">,
  hook: HookRow,
  what: "secret" | "authorization",
): Uint8Array | null {
  const box = hook[what];
  return box === null ? null : unseal(keys.seal, box, hookSealContext(hook.sealId, what));
}

/**
 * The Authorization header of a hook that the doer may read; empty if it has none. Those who may change the hook see it, since tools that compare
 * what they sent would set it again and again; but not one that came with a copy or a transfer, which somebody else wrote. `category`: the scopes in which the hook's place is.
 */
export function showAuthorization(
  forge: Pick<Forge, "keys">,
  doer: Doer,
  category: ScopeCategory,
  hook: HookRow,
): string {
  if (hook.authorization === null) {
    return "";
  }
  // A token for single repositories may list the hooks of its user, and change only those of these repositories.
  const isElsewhere = hook.repositoryId === null && doer.kind === "user" && isRestricted(doer.credential);
  const mayRead =
    hook.authorizationShown &&
    !isElsewhere &&
    mayOpen(doer, { categories: [category], level: "write" }) &&
    mayOpen(doer, { categories: scopesOfEvents(hook.events), level: "read" });
  const header = mayRead ? openHookSecret(forge, hook, "authorization") : null;
  return header === null ? keptHeader : new TextDecoder().decode(header);
}
