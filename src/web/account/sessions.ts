import { startSession } from "../../domain/identity/sessions/start-session.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { localPath } from "../local-path.ts";
import { stepPath } from "../pages.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { InvalidCredentials } from "../../auth/identify/identify.ts";
import type { Credential } from "../../auth/subject.ts";
import type { Doer } from "../../domain/spine/doer.ts";

/**
 * The doer of a step of signing in: who has shown this credential, whatever is missing yet. Throws InvalidCredentials when
 * the account may not be used any more.
 */
export async function stepDoer(forge: Forge, userId: number, credential: Credential): Promise<Doer> {
  const { actor } = await forge.identity.findSubject({ userId }, {});
  if (actor === null) {
    throw new InvalidCredentials();
  }
  return { kind: "user", actor, credential, permit: null };
}

/**
 * Starts a session of this browser in place of the one it has, and gives it the cookie. Returns where the visitor goes on:
 * to the step that is missing, which takes along where they wanted to go, or there.
 */
export async function enter(
  forge: Forge,
  visit: Visit,
  doer: Doer,
  userId: number,
  state: "second-factor" | "signed-in",
): Promise<Redirect> {
  const { session_lifetime_hours: lifetimeHours } = forge.config.auth;
  const userAgent = visit.request.headers.get("user-agent") ?? "";
  const token = await forge.change(doer, (work) =>
    startSession(work, {
      userId,
      state,
      lifetimeHours,
      replaces: visit.session?.row ?? null,
      address: remoteAddressOf(visit.request),
      userAgent,
    }),
  );
  visit.setBrowserToken(token, state === "signed-in" ? lifetimeHours * 3600 : null);
  const mustChange = doer.kind === "user" && doer.actor.mustChangePassword;
  const missing = state === "second-factor" ? state : mustChange ? "change-password" : null;
  return missing === null ? goOn(visit) : new Redirect(`${visit.root}${stepPath(missing)}${wantedQuery(visit)}`);
}

/** Where somebody wanted to go before they had to sign in; the front page when that is no path of this server. */
export function goOn(visit: Visit): Redirect {
  return new Redirect(wanted(visit) ?? `${visit.root}/`);
}

/** Returns the next step as the query of a link. */
export function wantedQuery(visit: Visit): string {
  const path = wanted(visit);
  return path === null ? "" : `?${new URLSearchParams({ redirect_to: path }).toString()}`;
}

export function wanted(visit: Visit): string | null {
  return localPath(visit.form.text("redirect_to") || (visit.query.get("redirect_to") ?? ""));
}
