import { InvalidInput } from "../../../lib/errors.ts";

const longest = 255;
const teamName = /^[A-Za-z0-9._-]+$/;

/** Throws InvalidInput when a team cannot have this name. */
export function checkTeamName(name: string): void {
  if (name.length < 1 || name.length > longest || !teamName.test(name) || name === "." || name === "..") {
    throw new InvalidInput(
      `name must have up to ${longest} letters, digits, ".", "-" and "_", not "${name.slice(0, 60)}"`,
      "name",
    );
  }
}

/** Throws InvalidInput when it is too long. */
export function checkTeamDescription(description: string): void {
  if (description.length > longest) {
    throw new InvalidInput(`description must have at most ${longest} characters`, "description");
  }
}
