import { StithyError } from "../lib/errors.ts";

/** The password was right, and the account has a second factor of which nothing came with it. */
export class SecondFactorRequired extends StithyError {
  constructor() {
    super(
      "unauthenticated",
      "second-factor-required",
      "The account has two-factor authentication: send a code in the header X-Gitea-OTP or X-Forgejo-OTP, or use an access token",
    );
  }
}

/** A code of the second factor is wrong, old, or was used before. */
export class InvalidCode extends StithyError {
  constructor() {
    super("unauthenticated", "invalid-code", "The one-time code is not valid, or was used before");
  }
}

/** The account may do nothing but choose a new password. */
export class PasswordChangeRequired extends StithyError {
  constructor() {
    super(
      "forbidden",
      "password-change-required",
      "You must change your password first: sign in on the website to do so, or ask an administrator",
    );
  }
}
