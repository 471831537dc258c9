import type { EndpointSpec } from "../common/endpoint.ts";
import type { SecurityScheme } from "./types.ts";

/** How a caller can say who they are (src/http/identify-request.ts), under the names of the family's document. */
export const securitySchemes: Record<string, SecurityScheme> = {
  AuthorizationHeaderToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "An access token after the word token: `token sty_…`",
  },
  BearerToken: { type: "http", scheme: "bearer", description: "An access token as OAuth writes it" },
  BasicAuth: {
    type: "http",
    scheme: "basic",
    description: "A user's name and password; a token may stand in place of either",
  },
  SudoHeader: {
    type: "apiKey",
    in: "header",
    name: "Sudo",
    description: "Name of the user a site administrator acts as",
  },
  SudoParam: { type: "apiKey", in: "query", name: "sudo", description: "The same in the address" },
};

const credentials = ["AuthorizationHeaderToken", "BearerToken", "BasicAuth"];

/** Whether an operation is closed to callers without a credential, whatever it is about. */
export function needsSomebody({ signedIn, may }: EndpointSpec): boolean {
  return signedIn === true || may.on === "team" || !["see", "use", "read", "read-packages"].includes(may.do);
}

/** Any one of the credentials; none at all where anybody may call. */
export function securityFor(spec: EndpointSpec): Record<string, string[]>[] {
  return [...(needsSomebody(spec) ? [] : [{}]), ...credentials.map((name) => ({ [name]: [] }))];
}
