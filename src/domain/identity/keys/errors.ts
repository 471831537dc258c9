import { InvalidInput } from "../../../lib/errors.ts";

/** The key opens something already that excludes this use. Whose it is is not told. */
export function keyTaken(fingerprint: string, reason: string): InvalidInput {
  return new InvalidInput(`The key ${fingerprint} ${reason}`, "key");
}

export function keyTitleTaken(title: string, whose: "user" | "repository"): InvalidInput {
  return new InvalidInput(`The ${whose} has a key with the title "${title}" already`, "title");
}

export function tooManyKeys(whose: "user" | "repository", most: number): InvalidInput {
  return new InvalidInput(`The ${whose} has ${most} keys already, which is the most that one can have`, "key");
}
