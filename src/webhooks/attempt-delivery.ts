import { describeError } from "../db/pg-errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import type { Attempt, WaitingDelivery } from "../domain/exchange/hooks/sending-queries.ts";
import { keptHeader, openHookSecret } from "../domain/exchange/hooks/hook-secrets.ts";
import type { HookRow } from "../domain/exchange/hooks/queries.ts";
import { messageOf, StithyError } from "../lib/errors.ts";
import { composeMessage } from "./compose-message.ts";
import { headersOf } from "./sign.ts";

/** Rests between the tries of a delivery; after the last one it is a dead letter. */
const restsMs = [10_000, 60_000, 600_000, 3_600_000];
/** The parts of an answer that are stored. */
const keptBytes = 16 * 1024;
const maxRedirects = 3;

/** The outcome of an attempt, and how long the hook rests after it; null: not at all. */
export interface Attempted {
  readonly attempt: Attempt;
  readonly restMs: number | null;
}

type Outcome = Pick<Attempt, "status" | "responseHeaders" | "responseBody" | "failure">;

/** Sends a delivery whose payload is made. It does not fail: what goes wrong is what came of it. */
export async function attemptDelivery(
  forge: Forge,
  hook: HookRow,
  { delivery, type, payload }: WaitingDelivery & { payload: string },
  signal: AbortSignal,
): Promise<Attempted> {
  const attemptedAt = new Date();
  const started = performance.now();
  const message = compose(forge, hook, { uuid: delivery.uuid, type, payload });
  const outcome = message === null ? unprepared : await send(forge, message, signal);
  const attempts = delivery.attempts + 1;
  const restMs = outcome.failure === null ? null : (restsMs[delivery.redelivery ? Infinity : attempts - 1] ?? null);
  return {
    attempt: {
      id: delivery.id,
      state: outcome.failure === null ? "delivered" : restMs === null ? "dead" : "waiting",
      attempts,
      attemptedAt,
      durationMs: Math.round(performance.now() - started),
      url: hook.url,
      requestHeaders: message === null ? null : shownHeaders(message),
      ...outcome,
    },
    restMs,
  };
}

interface Message {
  url: string;
  body: string;
  headers: Record<string, string>;
  authorization: Uint8Array | null;
}

const unprepared: Outcome = {
  status: 0,
  responseHeaders: null,
  responseBody: null,
  failure: "The server could not prepare the delivery; its log says why",
};

/** null where the server met a fault, such as a secret that its key does not open. */
function compose(
  forge: Forge,
  hook: HookRow,
  { uuid, type, payload }: { uuid: string; type: string; payload: string },
): Message | null {
  try {
    const { url, body, contentType } = composeMessage(hook, type, payload);
    const secret = openHookSecret(forge, hook, "secret");
    const headers = { "Content-Type": contentType, ...headersOf({ uuid, type, body, secret }) };
    return { url, body, headers, authorization: openHookSecret(forge, hook, "authorization") };
  } catch (error) {
    forge.log.error({ hook: hook.id, type, ...describeError(error) }, "A delivery to a webhook could not be prepared");
    return null;
  }
}

function shownHeaders({ headers, authorization }: Message): Record<string, string> {
  return authorization === null ? headers : { ...headers, Authorization: keptHeader };
}

async function send(forge: Forge, message: Message, signal: AbortSignal): Promise<Outcome> {
  const { url, body, headers, authorization } = message;
  try {
    const answer = await forge.outbound.send({
      method: "POST",
      url,
      headers: {
        ...headers,
        ...(authorization === null ? {} : { Authorization: new TextDecoder().decode(authorization) }),
      },
      body,
      redirects: maxRedirects,
      totalMs: forge.config.webhooks.timeout_seconds * 1000,
      maxBytes: Number.MAX_SAFE_INTEGER,
      signal,
    });
    const isTaken = answer.status >= 200 && answer.status < 300;
    return {
      status: answer.status,
      responseHeaders: Object.fromEntries([...answer.headers].map(([name, value]) => [name, storable(value)])),
      responseBody: storable(await readBeginning(answer.body)),
      failure: isTaken ? null : `The receiver answered ${answer.status}`,
    };
  } catch (error) {
    const failure = error instanceof StithyError ? error.message : `The delivery failed: ${messageOf(error)}`;
    return { status: 0, responseHeaders: null, responseBody: null, failure: storable(failure) };
  }
}

/** The beginning of a body. How long it takes to come does not matter any more: the status has said what came of it. */
async function readBeginning(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= keptBytes) {
        break;
      }
    }
  } catch {
    // It broke off, or took too long: what there is of it is kept.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptBytes));
}

/** Text that the database takes: without zero bytes and halves of surrogate pairs. */
function storable(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").toWellFormed();
}
