import type { AnyElysia } from "elysia";
import type { Forge } from "../../domain/forge.ts";
import { pathOf } from "../../http/path-of.ts";
import { RouteTable } from "../../http/route-table.ts";
import { StithyError } from "../../lib/errors.ts";
import { NotFound } from "../../domain/errors.ts";
import { errorResponse } from "./errors.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const exposedHeaders = "X-Total-Count, Link, ETag, X-Request-Id, X-Merge-Refused";
const allowedHeaders = "Authorization, Content-Type, If-None-Match, Sudo, X-Gitea-OTP, X-Forgejo-OTP";

class MethodNotAllowed extends StithyError {
  constructor(method: string, path: string) {
    super("method-not-allowed", `${method} is not possible on ${path}`, { method, path });
  }
}

/** Answers one request under /api. */
export type ApiHandler = (request: Request) => Promise<Response>;

/**
 * What HTTP asks of every route and Elysia leaves out, once: HEAD, OPTIONS, CORS, 405 with Allow, one final slash,
 * and a body for addresses that lead nowhere.
 */
export function apiHandler(forge: Forge, app: AnyElysia): ApiHandler {
  const table = new RouteTable(app.routes);
  const origins = new Set(forge.config.api.cors_origins);

  function methodsOf(path: string): string[] {
    const found: string[] = methods.filter((method) => table.find(method, path) !== null);
    return found.includes("GET") ? ["GET", "HEAD", ...found.slice(1), "OPTIONS"] : found.length > 0 ? [...found, "OPTIONS"] : [];
  }

  function withCors(request: Request, response: Response): Response {
    const origin = request.headers.get("origin");
    if (origin !== null && (origins.has("*") || origins.has(origin))) {
      response.headers.set("access-control-allow-origin", origins.has("*") ? "*" : origin);
      response.headers.set("access-control-expose-headers", exposedHeaders);
      response.headers.append("vary", "origin");
    }
    return response;
  }

  async function route(request: Request, path: string): Promise<Response> {
    const isHead = request.method === "HEAD";
    const found = table.find(isHead ? "GET" : request.method, path);
    if (found !== null) {
      const response = await found.handler({ request, params: found.params });
      return isHead ? new Response(null, { status: response.status, headers: response.headers }) : response;
    }
    const allowed = methodsOf(path);
    if (allowed.length === 0) {
      return errorResponse(forge, request, new NotFound("address", path));
    }
    const headers = { allow: allowed.join(", ") };
    if (request.method !== "OPTIONS") {
      const refusal = errorResponse(forge, request, new MethodNotAllowed(request.method, path));
      refusal.headers.set("allow", headers.allow);
      return refusal;
    }
    return new Response(null, {
      status: 204,
      headers: { ...headers, "access-control-allow-methods": headers.allow, "access-control-allow-headers": allowedHeaders, "access-control-max-age": "600" },
    });
  }

  return async (request) => {
    const path = pathOf(request.url);
    return withCors(request, await route(request, path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path));
  };
}
