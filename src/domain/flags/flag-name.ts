import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/** Most flags of one repository. */
const maxFlags = 100;
const flagName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Throws InvalidInput for what is no name of a flag. */
export function checkFlagName(name: string): void {
  if (!flagName.test(name)) {
    throw new InvalidInput(
      `A flag has at most 100 letters, digits, "-", "_" and ".", and begins with a letter or digit; "${clip(name, 80)}" does not fit`,
      "flag",
    );
  }
}

/** Throws InvalidInput for more flags than a repository can have. */
export function checkNumberOfFlags(flags: number): void {
  if (flags > maxFlags) {
    throw new InvalidInput(`A repository has at most ${maxFlags} flags, not ${flags}`, "flags");
  }
}
