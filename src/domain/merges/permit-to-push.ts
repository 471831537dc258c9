import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../doer.ts";

/**
 * The same doer, for a change of the code of another repository: `forge.change` decides whether they may make it, and again about what they asked
 * for in the first place.
 */
export function permitToPush(doer: UserDoer, { owner, repository }: RepositoryAccess): UserDoer {
  const pusher: UserDoer = {
    ...doer,
    permit: {
      demand: {
        may: { on: "repository", do: "write", unit: "code" },
        scopes: { categories: ["repository"], level: "write" },
        signedIn: true,
        changes: true,
      },
      named: { what: "repository", name: `${owner.name}/${repository.name}` },
      target: { repositoryId: repository.id },
    },
  };
  return alsoAskedFor(pusher, doer);
}

/** Whoever pushes, with what they asked for in the first place, which is decided again as well. */
export function alsoAskedFor(pusher: UserDoer, { permit: asked }: UserDoer): UserDoer {
  return pusher.permit === null || asked === null
    ? pusher
    : { ...pusher, permit: { ...pusher.permit, also: [...(pusher.permit.also ?? []), asked] } };
}
