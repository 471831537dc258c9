import { StithyError } from "../../../lib/errors.ts";

/** The error codes of RFC 6749 and OpenID Connect that are answered here. */
export type OauthErrorCode =
  | "invalid_request"
  | "unauthorized_client"
  | "access_denied"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "login_required"
  | "consent_required";

/** An application asked for something that it does not get; `error` is the word of the protocol for it. */
export class OauthError extends StithyError {
  constructor(
    readonly error: OauthErrorCode,
    message: string,
  ) {
    super("invalid", "oauth-error", message, { error });
  }
}

/** An application cannot be registered like this; `field` names what is wrong. */
export class InvalidApplication extends StithyError {
  constructor(message: string, field: string) {
    super("invalid", "invalid-application", message, { field });
  }
}
