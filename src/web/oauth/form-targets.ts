import { readReplyTo } from "../../domain/identity/oauth/authorization-request.ts";
import { OauthError } from "../../domain/identity/oauth/errors.ts";
import { formTargetOf } from "../../domain/identity/oauth/redirect-uri.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Visit } from "../visit.ts";

export const authorizePath = "/login/oauth/authorize";

/**
 * Where the form of a step of signing in may end up besides this server: at the application that asked for it, when it
 * is registered there. Browsers hold a form's redirects to the policy of the page that it stands on.
 */
export async function formTargetsOf(forge: Forge, visit: Visit, goesOnTo: string | null): Promise<string[]> {
  const url = goesOnTo === null ? null : URL.parse(goesOnTo, "http://local.invalid");
  if (url === null || url.pathname !== visit.root + authorizePath) {
    return [];
  }
  try {
    const { redirectUri } = await readReplyTo(
      forge.database.db,
      url.searchParams,
      forge.config.oauth.default_applications,
    );
    return [formTargetOf(redirectUri)];
  } catch (error) {
    if (error instanceof OauthError) {
      return [];
    }
    throw error;
  }
}
