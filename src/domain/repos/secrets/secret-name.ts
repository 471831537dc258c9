import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { showValue } from "../../../lib/show-value.ts";

/** A secret or a variable cannot have this name. */
class BadSecretName extends StithyError {
  constructor(name: string, reason: string) {
    super("malformed", "bad-secret-name", `The name ${showValue(name)} ${reason}`, { name });
  }
}

const longest = 255;
/** Names that programs give to what they define themselves. */
const reserved = /^(GITEA|FORGEJO|GITHUB|STITHY)_/;

/**
 * The name in capitals: names differ in more than case. They are names of environment variables: letters, digits and "_", and no
 * digit first. Throws BadSecretName.
 */
export function readSecretName(text: string): string {
  const name = text.toUpperCase();
  if (text.length > longest) {
    throw new BadSecretName(text, `has more than ${longest} characters`);
  }
  // Without /i: "ſ" and "ı" become ASCII letters in capitals.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) {
    throw new BadSecretName(text, 'must have letters a to z, digits and "_" only, and begin with no digit');
  }
  const [prefix] = reserved.exec(name) ?? (name === "CI" ? [name] : []);
  if (prefix !== undefined) {
    throw new BadSecretName(text, `is reserved: programs define ${prefix === "CI" ? "CI" : `${prefix}…`} themselves`);
  }
  return name;
}

/** The longest value of a secret or a variable, characters. */
export const longestSecret = 65_536;

/** Throws InvalidInput, which does not quote the value. */
export function checkSecretValue(value: string, field: "data" | "value"): void {
  if (value === "" || value.length > longestSecret) {
    throw new InvalidInput(`${field} must have 1 to ${longestSecret} characters, not ${value.length}`, field);
  }
}
