import { TooManyFailedSignIns } from "../../auth/failed-sign-ins.ts";
import { describeError } from "../../db/pg-errors.ts";
import { OauthError } from "../../domain/identity/oauth/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { StithyError, type ErrorKind } from "../../lib/errors.ts";

/** An endpoint for programs: no cookie counts there. */
export type EndpointHandler = (request: Request) => Promise<Response>;

/** A JSON answer that nobody keeps, since it may hold tokens. */
export function answerJson(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(value, {
    status,
    headers: { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff", ...headers },
  });
}

interface OauthAnswer {
  status: number;
  /** RFC 6749, section 5.2, and RFC 6750, section 3.1 */
  error: string;
}

const invalidRequest: OauthAnswer = { status: 400, error: "invalid_request" };
const unavailable: OauthAnswer = { status: 503, error: "temporarily_unavailable" };
const invalidToken: OauthAnswer = { status: 401, error: "invalid_token" };

/** The OAuth error for each kind of error; null for a fault, which is logged. */
const answers: Readonly<Record<ErrorKind, OauthAnswer | null>> = {
  absent: invalidRequest,
  unauthenticated: invalidToken,
  forbidden: invalidRequest,
  invalid: invalidRequest,
  malformed: invalidRequest,
  conflict: invalidRequest,
  "too-large": { status: 413, error: "invalid_request" },
  "too-many": { status: 429, error: "invalid_token" },
  "too-slow": { status: 408, error: "invalid_request" },
  busy: unavailable,
  full: unavailable,
  cancelled: { status: 408, error: "invalid_request" },
  fault: null,
};

/** The codes whose answer differs from that of their kind. */
const exceptions: Readonly<Record<string, OauthAnswer>> = { "password-change-required": invalidToken };

function headersOf(status: number, error: StithyError): Record<string, string> {
  switch (status) {
    case 401:
      return { "www-authenticate": 'Bearer realm="Stithy", error="invalid_token"' };
    case 429:
      return { "retry-after": String(error instanceof TooManyFailedSignIns ? error.retryAfterSeconds : 5) };
    case 503:
      return { "retry-after": "1" };
    default:
      return {};
  }
}

function refusal(forge: Forge, request: Request, error: unknown): Response {
  if (error instanceof OauthError) {
    const status = error.error === "invalid_client" ? 401 : 400;
    const challenge: Record<string, string> = status === 401 ? { "www-authenticate": 'Basic realm="Stithy"' } : {};
    return answerJson({ error: error.error, error_description: error.message }, status, challenge);
  }
  const answer = error instanceof StithyError ? (exceptions[error.code] ?? answers[error.kind]) : null;
  if (answer !== null && error instanceof StithyError) {
    const { status, error: word } = answer;
    return answerJson({ error: word, error_description: error.message }, status, headersOf(status, error));
  }
  forge.log.error(
    { path: new URL(request.url).pathname, ...describeError(error) },
    "A request of an application failed",
  );
  return answerJson(
    { error: "server_error", error_description: "Something went wrong on the server; its log says what" },
    500,
  );
}

/** Lets pages of the origins that the settings allow read the answer; no cookie goes with their requests. */
function withCors(forge: Forge, request: Request, response: Response): Response {
  const origins = forge.config.api.cors_origins;
  const origin = request.headers.get("origin");
  response.headers.append("vary", "Origin");
  if (origin !== null && (origins.includes("*") || origins.includes(origin))) {
    response.headers.set("access-control-allow-origin", origins.includes("*") ? "*" : origin);
  }
  return response;
}

/** An endpoint with its errors as the protocol has them, and with what other origins need. */
export function endpointFor(forge: Forge, answer: EndpointHandler): EndpointHandler {
  return async (request) => {
    try {
      return withCors(forge, request, await answer(request));
    } catch (error) {
      return withCors(forge, request, refusal(forge, request, error));
    }
  };
}

/** The answer to what a browser asks before it sends a request for another origin's page. */
export function preflightFor(forge: Forge, methods: string): EndpointHandler {
  const headers = {
    allow: methods,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "Authorization, Content-Type",
    "access-control-max-age": "600",
  };
  return async (request) => withCors(forge, request, new Response(null, { status: 204, headers }));
}
