import { networkOf } from "./failed-sign-ins.ts";
import type { Subject } from "./subject.ts";

/**
 * Under which name somebody waits in queues and has a share of what there is (see `lib/fair-share.ts`): a user, else the
 * SSH key that deploys, else the address, of IPv6 the first 64 bits.
 */
export function principalOf(address: string, subject?: Pick<Subject, "actor" | "credential">): string {
  if (subject?.actor != null) {
    return `user ${subject.actor.id}`;
  }
  return subject?.credential.kind === "deploy-key"
    ? `key ${subject.credential.keyId}`
    : `address ${networkOf(address)}`;
}
