import type { RepositoryAccess } from "../../auth/subject.ts";
import { demandTo } from "../access/guard.ts";
import { permitOnFound } from "../access/permit.ts";
import type { UserDoer } from "../doer.ts";

/**
 * The same doer, for a change of the code of another repository: `forge.change` decides whether they may make it, and again about what they asked
 * for in the first place.
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
