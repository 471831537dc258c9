import { Elysia } from "elysia";
import { waitUntilIdle } from "../../domain/server/wait-until-idle.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { errorResponse } from "../common/errors.ts";

const defaultSeconds = 10;
const mostSeconds = 60;

/**
 * `POST /api/internal/idle`, on ephemeral servers alone: answers 200 when no job waits or runs and the outbox is taken,
 * so that a test suite sees the effects of its requests; else 503 after `timeout_seconds`, with what is left. Anybody
 * may ask: a test suite is the only one there.
 */
export function internalRoutes({ forge }: Api) {
  const routes = new Elysia();
  if (!forge.config.ephemeral) {
    return routes;
  }
  return routes.post("/api/internal/idle", async ({ request }) => {
    try {
      const { idle, jobs, outbox, hooks, dead } = await waitUntilIdle(forge, readTimeout(request) * 1000);
      const body = idle
        ? { idle, dead }
        : {
            message: `Not idle yet: ${jobs.length} jobs wait or run${outbox ? ", and the outbox is not taken" : ""}${hooks ? ", and webhooks are to be told" : ""}`,
            idle,
            dead,
            outbox,
            hooks,
            jobs: jobs.map(({ id, kind, state, attempts, lastError }) => ({
              id,
              kind,
              state,
              attempts,
              last_error: lastError,
            })),
          };
      return Response.json(body, { status: idle ? 200 : 503, headers: { "cache-control": "no-store" } });
    } catch (error) {
      return errorResponse(forge, request, error);
    }
  });
}

function readTimeout(request: Request): number {
  const text = new URL(request.url).searchParams.get("timeout_seconds") ?? String(defaultSeconds);
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > mostSeconds) {
    throw new InvalidInput(`timeout_seconds must be a number from 0 to ${mostSeconds}`, "timeout_seconds");
  }
  return seconds;
}
