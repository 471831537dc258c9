import type { Settings } from "../config/settings.ts";

/**
 * The challenge for git and LFS. Credential helpers read from the realm of the family that the server knows their client ids, and offer to
 * sign in with a browser; without these the realm is another, so that they ask for a password.
 */
export function basicChallenge({ enabled, default_applications: known }: Settings["oauth"]): string {
  return `Basic realm="${enabled && known.length > 0 ? "Gitea" : "Stithy"}", charset="UTF-8"`;
}
