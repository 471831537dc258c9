import { InvalidInput } from "../../../lib/errors.ts";

/** The title without spaces around it. Throws InvalidInput when a key cannot have it. */
export function readKeyTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === "" || trimmed.length > 255) {
    throw new InvalidInput("The title of a key must have between 1 and 255 characters", "title");
  }
  if (/\p{Cc}/u.test(trimmed)) {
    throw new InvalidInput("The title of a key must be a single line of text", "title");
  }
  return trimmed;
}
