import { InvalidInput } from "../../lib/errors.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import type { RepositoryPatch } from "./edit-repository.ts";

export const trackerStyles = ["numeric", "alphanumeric", "regexp"] as const;

export const longestWebsite = 1024;

/** An issue tracker elsewhere. `format` has {user}, {repo} and {index}; empty: references do not lead there. */
export interface OutsideTracker {
  readonly url: string;
  readonly format: string;
  readonly style: string;
  readonly pattern: string;
}

function checkUrl(url: string, field: string): void {
  if (parseWebAddress(url) === null) {
    throw new InvalidInput(`${field} must be an http or https address, not "${url.slice(0, 80)}"`, field);
  }
}

/**
 * An address with a scheme must be http or https, because a link to any other would run it. A bare host is accepted, as
 * clients of the family send it. Throws InvalidInput.
 */
export function checkWebsite(website: string): void {
  if (website.length > longestWebsite) {
    throw new InvalidInput(`website must have at most ${longestWebsite} characters`, "website");
  }
  if (URL.canParse(website) && parseWebAddress(website) === null) {
    throw new InvalidInput(`website must be an http or https address, not "${website.slice(0, 80)}"`, "website");
  }
}

/** The columns of a repository whose issues are elsewhere. Throws InvalidInput naming the field. */
export function outsideTracker({ url, format, style, pattern }: OutsideTracker): RepositoryPatch {
  checkUrl(url, "external_tracker_url");
  if (format !== "") {
    checkUrl(format.replace(/\{(user|repo|index)\}/g, "x"), "external_tracker_format");
  }
  if (style !== "" && !trackerStyles.some((one) => one === style)) {
    throw new InvalidInput(
      `external_tracker_style must be numeric, alphanumeric or regexp, not "${style.slice(0, 40)}"`,
      "external_tracker_style",
    );
  }
  return {
    externalTrackerUrl: url,
    externalTrackerFormat: format,
    externalTrackerStyle: style,
    externalTrackerPattern: pattern,
  };
}

/** The columns of a repository whose issues are here. */
export const ownTracker = {
  externalTrackerUrl: null,
  externalTrackerFormat: null,
  externalTrackerStyle: null,
  externalTrackerPattern: null,
} as const satisfies RepositoryPatch;

/** The column of a repository whose wiki is elsewhere. Throws InvalidInput. */
export function outsideWiki(url: string): RepositoryPatch {
  checkUrl(url, "external_wiki_url");
  return { externalWikiUrl: url };
}
