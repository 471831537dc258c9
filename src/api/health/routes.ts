import { Elysia } from "elysia";
import { checkHealth } from "../../domain/server/health.ts";
import type { Api } from "../common/api.ts";

/** `/api/healthz`, outside /api/v1: 200 when everything works, with what has to be looked after; else 503 with what does not. */
export function healthRoutes({ forge }: Api) {
  return new Elysia().get("/api/healthz", async () => {
    const health = await checkHealth(forge);
    return Response.json(health, {
      status: health.status === "fail" ? 503 : 200,
      headers: { "cache-control": "no-store" },
    });
  });
}
