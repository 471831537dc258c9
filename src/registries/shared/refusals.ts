import { TooManyFailedSignIns } from "../../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../../db/pg-errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { hasLeft } from "../../http/has-left.ts";
import { statusOf } from "../../http/status-of.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";

/** A request that a registry refuses for a reason of its own. */
export class RegistryRefusal extends StithyError {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super("forbidden", "registry-refusal", message, { status });
  }
}

const challenge = { "www-authenticate": 'Basic realm="Gitea Package API"' };

/** Package managers show the text of an answer, where they show anything. */
export function registryText(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}

/**
 * Maps errors to responses of the registries. Invalid input is 400. Clients send another credential only when asked for
 * one, so a caller without permission gets a challenge, too. Source: what the clients of the formats expect.
 */
export function registryErrorResponse(forge: Forge, request: Request, error: unknown): Response {
  if (error instanceof RegistryRefusal) {
    return registryText(error.status, error.message, error.headers);
  }
  const status = statusOf(error);
  if (status !== null) {
    switch (status) {
      case 401:
      case 403:
        return registryText(401, messageOf(error), challenge);
      case 422:
        return registryText(400, messageOf(error));
      case 429:
      case 503:
        return registryText(status, messageOf(error), {
          "retry-after": String(error instanceof TooManyFailedSignIns ? error.retryAfterSeconds : 5),
        });
      default:
        return registryText(status, messageOf(error));
    }
  }
  if (request.signal.aborted || hasLeft(request, error)) {
    // Nobody is there to read an answer, and that somebody left is no fault.
    return registryText(408, "The connection was closed");
  }
  const outage = findOutage(error);
  if (outage !== null) {
    return registryText(503, outage, { "retry-after": "2" });
  }
  forge.log.error(
    { method: request.method, path: new URL(request.url).pathname, ...describeError(error) },
    "A request to a package registry failed",
  );
  return registryText(500, "Something went wrong on the server; its log says what");
}
