import { parseScopes } from "../../auth/scopes.ts";
import type { Credential } from "../../auth/subject.ts";
import type { CredentialReference, JobDoer } from "../../queue/job-kind.ts";
import type { Permit } from "./permit.ts";
import type { Doer } from "./doer.ts";
import type { Forge } from "./forge.ts";

/**
 * The doer of a job that a unit of work enqueues: who caused the change causes what follows from it. Throws an Error for a
 * deploy key, an application and nobody, whose changes have no jobs.
 */
export function jobDoerOf(doer: Doer): JobDoer {
  switch (doer.kind) {
    case "server":
      return { kind: "server", reason: doer.reason };
    case "user":
      return { kind: "user", actorId: doer.actor.id, credential: referenceTo(doer.credential) };
    default:
      throw new Error(`There are no jobs for a doer of the kind "${doer.kind}"`);
  }
}

/** Returns the reference to a credential, as it is stored: the ids of rows. Throws an Error for a deploy key. */
export function referenceTo(credential: Credential): CredentialReference {
  switch (credential.kind) {
    case "token":
      return { kind: "token", tokenId: credential.tokenId };
    case "deploy-key":
      throw new Error("A deploy key stands for no user");
    default:
      return credential;
  }
}

/**
 * The doer of a job when it runs, with what they have to be permitted today: `forge.change` looks at it again, as it does
 * for a request. Null when the user is gone.
 */
export async function doerOfJob(forge: Forge, stored: JobDoer, permit: Permit): Promise<Doer | null> {
  if (stored.kind === "server") {
    return { kind: "server", reason: stored.reason, actor: null };
  }
  const { actor } = await forge.identity.findSubject({ userId: stored.actorId }, {});
  return actor === null ? null : { kind: "user", actor, credential: credentialOf(stored.credential), permit };
}

/** The scopes of a token are read anew when it is looked at; until then it has none. */
function credentialOf(reference: CredentialReference): Credential {
  return reference.kind === "token"
    ? { ...reference, scopes: parseScopes([], { isAdmin: false, restricted: true }) }
    : reference;
}
