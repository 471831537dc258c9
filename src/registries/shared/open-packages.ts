import { isPublicOnly } from "../../auth/authorize.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import { PasswordChangeRequired } from "../../auth/sign-in-errors.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { IndexAudience } from "../../db/schema/packages.ts";
import { demandTo, guard, isAllowed } from "../../domain/spine/guard.ts";
import { permitOn } from "../../domain/spine/permit.ts";
import { doerOf, type Doer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { RegistryRefusal } from "./refusals.ts";

/** A request whose sender may do what they ask for with an owner's packages. */
export interface OpenedPackages {
  readonly owner: OwnerRow;
  /** The caller. It decides which packages linked to repositories are visible. */
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
  const may = { on: "owner", do: level === "read" ? "read-packages" : "write-packages" } as const;
  const permit = permitOn(demandTo(may, level, ["package"], { challenges: true }), { owner: ownerName });
  const asked = await identifyRequest(forge, request, permit.target, false);
  if (asked.actor?.mustChangePassword === true) {
    throw new PasswordChangeRequired();
  }
  const { subject } = await guard(asked, permit);
  if (subject.owner === null) {
    throw new NotFound("user", ownerName);
  }
  if (level === "write") {
    // Before anything is sent.
    forge.files.room.demand();
  }
  const { actor, credential } = subject;
  const manages = isAllowed(subject, demandTo({ on: "owner", do: "manage" }, level, ["package"]));
  return {
    audience: manages && !isPublicOnly(credential) ? "insiders" : "everyone",
    owner: subject.owner.owner,
    viewer: { actor, credential },
    doer: doerOf(subject, permit),
  };
}
