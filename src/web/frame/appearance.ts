import { isZone } from "../parts/time.ts";
import { findCookie } from "../../http/cookie.ts";

/** How a reader wants to see the pages. */
export interface Appearance {
  readonly theme: "auto" | "light" | "dark";
  readonly contrast: "auto" | "more";
  /** Whether single keys do something. */
  readonly keys: "on" | "off";
}

export const themes = ["auto", "light", "dark"] as const;
export const contrasts = ["auto", "more"] as const;

/**
 * Reads what a user's settings call their theme, such as `dark` or `light-contrast`. Clients of the family store names like
 * `gitea-dark` there: their last word counts. Everything else leaves it to the system.
 */
export function appearanceOf(theme: string): Appearance {
  const words = theme.toLowerCase().split("-");
  return {
    theme: words.includes("dark") ? "dark" : words.includes("light") ? "light" : "auto",
    contrast: words.includes("contrast") ? "more" : "auto",
    keys: words.includes("nokeys") ? "off" : "on",
  };
}

/** What `appearanceOf` reads. */
export function themeName({ theme, contrast, keys }: Appearance): string {
  return `${theme}${contrast === "more" ? "-contrast" : ""}${keys === "off" ? "-nokeys" : ""}`;
}

/** The script of the pages writes the reader's time zone here; without script, times are in UTC. */
const zoneCookie = "zone";

export function zoneOf(request: Request): string {
  const zone = decodeURIComponentSafely(findCookie(request, zoneCookie) ?? "");
  return zone !== "" && zone.length < 64 && isZone(zone) ? zone : "UTC";
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
