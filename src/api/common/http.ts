import type { AnyElysia } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { pathOf } from "../../http/path-of.ts";
import { StithyError } from "../../lib/errors.ts";
import { errorResponse } from "./errors.ts";

const methodOrder = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const exposedHeaders = "X-Total-Count, Link, ETag, X-Request-Id, X-Merge-Refused";
const allowedHeaders = "Authorization, Content-Type, If-None-Match, Sudo, X-Gitea-OTP, X-Forgejo-OTP";

class MethodNotAllowed extends StithyError {
  constructor(method: string, path: string) {
    super("invalid", "method-not-allowed", `${method} is not possible on ${path}`, { method, path });
  }
}

/** Adds HEAD for every GET route: the server sends the headers without the body. */
export function answerHead<App extends AnyElysia>(app: App): App {
  for (const { path, handler } of app.routes.filter((route) => route.method === "GET")) {
    app.head(path, handler as () => Response, { parse: "none" });
  }
  return app;
}

/** Returns a declared path as a pattern: `:name` matches one segment, a final `*` the rest. One trailing slash is optional. */
function patternOf(path: string): RegExp {
  const segments = path
    .split("/")
    .map((segment) => (segment === "*" ? ".+" : segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment)));
  return new RegExp(`^${segments.join("/")}/?$`);
}

/** Answers requests without a route: OPTIONS and 405 if the path has other methods, else 404. */
export function unroutedAnswer(forge: Forge, app: AnyElysia): (request: Request) => Response {
  const declared = app.routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (request) => {
    const path = pathOf(request.url);
    const found = new Set(declared.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (found.size === 0) {
      return errorResponse(forge, request, new NotFound("address", path));
    }
    const allow = [...methodOrder.filter((method) => found.has(method)), "OPTIONS"].join(", ");
    if (request.method === "OPTIONS") {
      const headers = {
        allow,
        "access-control-allow-methods": allow,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": "600",
      };
      return new Response(null, { status: 204, headers });
    }
    const refusal = errorResponse(forge, request, new MethodNotAllowed(request.method, path));
    refusal.headers.set("allow", allow);
    return refusal;
  };
}

/** Adds CORS headers to a response if the settings allow the origin of the request. */
export function prepareCors(forge: Forge): (request: Request, response: Response) => Response {
  const origins = new Set(forge.config.api.cors_origins);
  return (request, response) => {
    const origin = request.headers.get("origin");
    if (!origins.has("*")) {
      // Also on answers to others: a cache may hold them.
      response.headers.append("vary", "origin");
    }
    if (origin !== null && (origins.has("*") || origins.has(origin))) {
      response.headers.set("access-control-allow-origin", origins.has("*") ? "*" : origin);
      response.headers.set("access-control-expose-headers", exposedHeaders);
    }
    return response;
  };
}
