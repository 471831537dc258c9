import { TooManyFailedSignIns } from "../../auth/failed-sign-ins.ts";
import { describeError } from "../../db/pg-errors.ts";
import { OauthError } from "../../domain/oauth/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";

/** An endpoint for programs: no cookie counts there. */
export type EndpointHandler = (request: Request) => Promise<Response>;

/** A JSON answer that nobody keeps, since it may hold tokens. */
export function answerJson(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers: { "cache-control": "no-store", pragma: "no-cache", "x-content-type-options": "nosniff", ...headers } });
}

const refusedCredentials: ReadonlySet<string> = new Set(["invalid-credentials", "password-change-required", "second-factor-required", "invalid-code"]);

function refusal(forge: Forge, request: Request, error: unknown): Response {
  if (error instanceof OauthError) {
    const status = error.error === "invalid_client" ? 401 : 400;
    const challenge: Record<string, string> = status === 401 ? { "www-authenticate": 'Basic realm="Stithy"' } : {};
    return answerJson({ error: error.error, error_description: error.message }, status, challenge);
  }
  if (error instanceof TooManyFailedSignIns) {
    return answerJson({ error: "invalid_token", error_description: error.message }, 429, { "retry-after": String(error.retryAfterSeconds) });
  }
  if (error instanceof StithyError && (error.code === "malformed-body" || error.code === "body-too-large" || error.code === "invalid-input")) {
    return answerJson({ error: "invalid_request", error_description: messageOf(error) }, error.code === "body-too-large" ? 413 : 400);
  }
  if (error instanceof StithyError && (error.code === "sudo-forbidden" || error.code === "sudo-unknown" || error.code === "malformed-address")) {
    return answerJson({ error: "invalid_request", error_description: messageOf(error) }, 400);
  }
  if (error instanceof StithyError && error.code === "sign-in-busy") {
    return answerJson({ error: "temporarily_unavailable", error_description: messageOf(error) }, 503, { "retry-after": "1" });
  }
  if (error instanceof StithyError && refusedCredentials.has(error.code)) {
    return answerJson({ error: "invalid_token", error_description: messageOf(error) }, 401, { "www-authenticate": 'Bearer realm="Stithy", error="invalid_token"' });
  }
  forge.log.error({ path: new URL(request.url).pathname, ...describeError(error) }, "A request of an application failed");
  return answerJson({ error: "server_error", error_description: "Something went wrong on the server; its log says what" }, 500);
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
  const headers = { allow: methods, "access-control-allow-methods": methods, "access-control-allow-headers": "Authorization, Content-Type", "access-control-max-age": "600" };
  return async (request) => withCors(forge, request, new Response(null, { status: 204, headers }));
}
