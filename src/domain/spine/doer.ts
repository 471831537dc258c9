import type { Actor, Credential, Subject } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { targetIn, type Permit } from "./permit.ts";
import { SignInRequired } from "./errors.ts";
import type { ApplicationRow } from "../identity/oauth/queries.ts";

type DeployKeyCredential = Credential & { kind: "deploy-key" };

/** A user. `permit` null: only the account and the credential are looked at, which is what the steps of signing in need. */
export interface UserDoer {
  readonly kind: "user";
  readonly actor: Actor;
  readonly credential: Credential;
  readonly permit: Permit | null;
}

/**
 * The one who makes a change. Every unit of work has a doer, and checks again in its transaction what a user, deploy
 * key or application may do (`look-again.ts`).
 */
export type Doer =
  | UserDoer
  | { readonly kind: "deploy-key"; readonly credential: DeployKeyCredential; readonly permit: Permit }
  /** An authenticated OAuth client. */
  | { readonly kind: "application"; readonly application: ApplicationRow }
  /** The server itself: a command, a seed, housekeeping. `actor`: in whose name, where the reason has one. */
  | { readonly kind: "server"; readonly reason: string; readonly actor: Actor | null }
  /** Nobody is signed in. This doer may change nothing. */
  | { readonly kind: "nobody" };

/** Returns the server as the doer. `reason` names the command or task. */
export function serverDoer(reason: string, actor: Actor | null = null): Doer {
  return { kind: "server", reason, actor };
}

/** Returns the doer of a request that `guard` allowed. */
export function doerOf(subject: Subject, asked: Pick<Permit, "demand" | "named" | "also">): Doer {
  const { actor, credential } = subject;
  const permit = { ...asked, target: targetIn(subject) };
  if (actor !== null) {
    return { kind: "user", actor, credential, permit };
  }
  return credential.kind === "deploy-key" ? { kind: "deploy-key", credential, permit } : { kind: "nobody" };
}

/** Returns the user who acts, or for whom the server acts. Throws SignInRequired for any other doer. */
export function actorOf(doer: Doer): Actor {
  const actor = doer.kind === "user" || doer.kind === "server" ? doer.actor : null;
  if (actor === null) {
    throw new SignInRequired();
  }
  return actor;
}

/** Returns the user who acts, with what they came with: it limits what they see. Throws SignInRequired for any other doer. */
export function viewerOfDoer(doer: Doer): Viewer {
  return { actor: actorOf(doer), credential: doer.kind === "user" ? doer.credential : { kind: "none" } };
}

const seedReason = "seed";

/** Returns the server as it fills itself from a seed. */
export function seedDoer(actor: Actor | null = null): Doer {
  return serverDoer(seedReason, actor);
}

/** Whether it is a seed that makes the change: nobody is told of it after the commit. */
export function isSeed(doer: Doer): boolean {
  return doer.kind === "server" && doer.reason === seedReason;
}
