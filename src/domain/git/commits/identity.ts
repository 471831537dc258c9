import type { Actor } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Addresses } from "../../spine/addresses.ts";

/** An author or committer of a commit. */
export interface Identity {
  name: string;
  email: string;
}

/** A user as the author of what they do here. */
export function identityOf(
  addresses: Addresses,
  actor: Pick<Actor, "name" | "lowerName" | "fullName" | "email" | "keepEmailPrivate">,
): Identity {
  const hidden = actor.keepEmailPrivate || actor.email === "";
  return {
    name: actor.fullName || actor.name,
    email: hidden ? `${actor.lowerName}@noreply.${addresses.hostname}` : actor.email,
  };
}

/** An identity that a caller gives for a commit, with what is missing taken from `fallback`. Throws InvalidInput. */
export function completeIdentity(given: Partial<Identity>, fallback: Identity, field: string): Identity {
  const identity = { name: given.name?.trim() || fallback.name, email: given.email?.trim() || fallback.email };
  // oxlint-disable-next-line no-control-regex -- a commit's header line ends at any of these
  if (/[\x00-\x1f<>]/.test(identity.name) || identity.name.length > 100) {
    throw new InvalidInput(
      `${field}.name must have at most 100 characters, and no "<", ">" or control characters`,
      `${field}.name`,
    );
  }
  // oxlint-disable-next-line no-control-regex -- as above
  if (/[\x00-\x20<>]/.test(identity.email) || identity.email.length > 254) {
    throw new InvalidInput(
      `${field}.email must be an e-mail address, not "${identity.email.slice(0, 60)}"`,
      `${field}.email`,
    );
  }
  return identity;
}
