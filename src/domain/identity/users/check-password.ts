import { InvalidInput } from "../../../lib/errors.ts";

/** Throws InvalidInput when the password cannot be one. Sign-in cost grows with length, so there is an upper bound too. */
export function checkPassword(password: string, minimumLength: number): void {
  if ([...password].length < minimumLength) {
    throw new InvalidInput(`The password must have at least ${minimumLength} characters`, "password");
  }
  if (password.length > 1024) {
    throw new InvalidInput("The password must have at most 1024 characters", "password");
  }
}
