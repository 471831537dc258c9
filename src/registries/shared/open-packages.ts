import { authorize, isPublicOnly } from "../../auth/authorize.ts";
import type { OwnerRow, Subject } from "../../auth/subject.ts";
import { PasswordChangeRequired } from "../../auth/sign-in-errors.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { IndexAudience } from "../../db/schema/packages.ts";
import { guard, type Demand } from "../../domain/access/guard.ts";
import { doerOf, type Doer } from "../../domain/doer.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { RegistryRefusal } from "./refusals.ts";

/** A request whose sender may do what they ask for with an owner's packages. */
export interface OpenedPackages {
  readonly owner: OwnerRow;
  /** Who asks: what they see of packages that are linked to repositories. */
  readonly viewer: Viewer;
  readonly doer: Doer;
  /** Which files of indexes they get. */
  readonly audience: IndexAudience;
}

/**
 * Finds out who asks for whose packages, and whether they may. Throws what Identify and the guard throw, and
 * RegistryRefusal where the registries are switched off.
 */
export async function openPackages(
  forge: Forge,
  request: Request,
  ownerName: string,
  level: "read" | "write",
): Promise<OpenedPackages> {
  if (!forge.config.packages.enabled) {
    throw new RegistryRefusal(404, "The package registries are turned off on this server");
  }
  const demand: Demand = {
    may: { on: "owner", do: level === "read" ? "read-packages" : "write-packages" },
    scopes: { categories: ["package"], level },
    signedIn: false,
    changes: level === "write",
    challenges: true,
  };
  const named = { what: "user", name: ownerName };
  const identify = (target: Parameters<typeof identifyRequest>[2]): Promise<Subject> =>
    identifyRequest(forge, request, target, false);
  const target = { ownerName };
  const asked = await identify(target);
  if (asked.actor?.mustChangePassword === true) {
    throw new PasswordChangeRequired();
  }
  const { subject } = await guard(asked, demand, named);
  if (subject.owner === null) {
    throw new NotFound("user", ownerName);
  }
  if (demand.changes) {
    // Before anything is sent.
    forge.files.room.demand();
  }
  const { actor, credential } = subject;
  const manages = authorize(actor, credential, demand.scopes, { on: "owner", do: "manage" }, subject) === "allowed";
  return {
    audience: manages && !isPublicOnly(credential) ? "insiders" : "everyone",
    owner: subject.owner.owner,
    viewer: { actor, credential },
    doer: doerOf(subject, demand, named),
  };
}
