import type { RepositoryAccess } from "../../../auth/subject.ts";
import { demandTo } from "../../spine/guard.ts";
import { permitOnFound } from "../../spine/permit.ts";
import type { UserDoer } from "../../spine/doer.ts";

/**
 * Returns the doer with a permit for a push to another repository. `forge.change` checks it, and the permit of the
 * original request again.
 */
export function permitToPush(doer: UserDoer, access: RepositoryAccess): UserDoer {
  const push = demandTo({ on: "repository", do: "write", unit: "code" }, "write", ["repository"], { signedIn: true });
  return alsoAskedFor({ ...doer, permit: permitOnFound(push, access) }, doer);
}

/** Returns the pusher with the permit of the original request added, so that both are checked again. */
export function alsoAskedFor(pusher: UserDoer, { permit: asked }: UserDoer): UserDoer {
  return pusher.permit === null || asked === null
    ? pusher
    : { ...pusher, permit: { ...pusher.permit, also: [...(pusher.permit.also ?? []), asked] } };
}
