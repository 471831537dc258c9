import { networkOf } from "./failed-sign-ins.ts";
import type { Subject } from "./subject.ts";

/**
 * Returns the name under which a caller waits in queues and has a share of the server (see `lib/fair-share.ts`): the
 * user, else the deploy key, else the address, of IPv6 the first 64 bits.
 */
export function principalOf(address: string, subject?: Pick<Subject, "actor" | "credential">): string {
  if (subject?.actor != null) {
    return `user ${subject.actor.id}`;
  }
  return subject?.credential.kind === "deploy-key"
    ? `key ${subject.credential.keyId}`
    : `address ${networkOf(address)}`;
}
