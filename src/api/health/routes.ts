import { Elysia } from "elysia";
import { checkHealth } from "../../domain/health.ts";
import type { Api } from "../common/api.ts";

/** `/api/healthz`, outside /api/v1: 200 only when everything is well, else 503 with what is not. */
export function healthRoutes({ forge }: Api) {
  return new Elysia().get("/api/healthz", async () => {
    const health = await checkHealth(forge);
    return Response.json(health, { status: health.status === "pass" ? 200 : 503, headers: { "cache-control": "no-store" } });
  });
}
