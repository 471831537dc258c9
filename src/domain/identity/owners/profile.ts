import { InvalidInput } from "../../../lib/errors.ts";
import { parseWebAddress } from "../../../lib/web-address.ts";

/** The profile of an owner. */
export interface Profile {
  fullName?: string;
  description?: string;
  website?: string;
  location?: string;
  pronouns?: string;
}

const longest = { fullName: 100, description: 255, website: 255, location: 50, pronouns: 50 } as const;
const fields = {
  fullName: "full_name",
  description: "description",
  website: "website",
  location: "location",
  pronouns: "pronouns",
} as const;

/** Control characters, and those that turn the direction of the text around them, could make one name look like another. */
const misleading = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Throws InvalidInput naming the field when one of them cannot be shown as it is. Only a description has several lines. */
export function checkProfile(profile: Profile): void {
  for (const key of Object.keys(longest) as (keyof Profile)[]) {
    const value = profile[key] ?? "";
    const field = fields[key];
    if ([...value].length > longest[key]) {
      throw new InvalidInput(`${field} must have at most ${longest[key]} characters`, field);
    }
    if (misleading.test(key === "description" ? value.replaceAll(/[\t\r\n]/g, "") : value)) {
      throw new InvalidInput(
        `${field} must not have control characters or characters that turn the direction of text`,
        field,
      );
    }
  }
  const { website = "" } = profile;
  if (website !== "" && parseWebAddress(website) === null) {
    throw new InvalidInput(`website must be an http or https address, not "${website}"`, "website");
  }
}
