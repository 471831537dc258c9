import { setTimeout as pause } from "node:timers/promises";
import { serverDoer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import {
  storePayloads,
  unmadeEvents,
  untilNextMaking,
  type HookEventRow,
  type MadePayload,
} from "../domain/exchange/hooks/making-queries.ts";
import {
  dueHooks,
  lockHookRow,
  settleHook,
  storeAttempts,
  untilNextDue,
  waitingDeliveries,
  type Attempt,
  type DueHook,
} from "../domain/exchange/hooks/sending-queries.ts";
import { hasHooks } from "../domain/exchange/hooks/taking-queries.ts";
import { pauseHook } from "../domain/exchange/hooks/pause-hook.ts";
import { takeAllOutbox } from "../domain/server/outbox/take-outbox.ts";
import { describeError } from "../db/pg-errors.ts";
import { preparePayloads } from "./payloads/make-payload.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { HookPlaces } from "./hook-places.ts";
import { Pump } from "./pump.ts";

/** Payloads that are made at once, and stored together. */
const madeAtOnce = 4;
/** Owners whose events come meanwhile have a turn after so many. */
const eventsAtOnce = 8;
/** Rests between the tries to make a payload, during which its hooks wait; after the last one its deliveries are dead letters. */
const makingRestsMs = [1000, 5000, 30_000, 120_000, 600_000];
/** Deliveries of a hook whose outcomes are stored together, if that takes no longer than this. */
const deliveriesAtOnce = 50;
const batchMs = 1000;
/** Batches of a hook before others have a turn. */
const batchesInARow = 5;
/** Due hooks that are looked at, to find some that may go on. */
const lookedAt = 500;
/** How long a hook rests whose deliveries met a fault of this server. */
const faultRestMs = 1000;
/** The longest that a timer waits before it looks again. */
const longestRestMs = 60 * 60 * 1000;

const doer = serverDoer("webhooks");

/**
 * Tells webhooks what happened, in three steps, each of which goes on with what the one before left in the database: take events from the
 * outbox, make their payloads, send the deliveries. One delivery of a hook is under way at a time, in the order of the
 * events; hooks do not wait for each other. Nothing is asked for while nothing happens: the outbox's bell wakes the first step, and a
 * timer those deliveries that are to be tried again.
 *
 * A server that is killed sends again what it had not written down: each delivery comes at least once, with the same id.
 */
export class HookDeliverer implements AsyncDisposable {
  readonly #take: Pump;
  readonly #make: Pump;
  readonly #send: Pump;
  readonly #makePayload: (event: HookEventRow) => Promise<string | null>;
  readonly #places: HookPlaces;
  readonly #running = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #makeTimer: ReturnType<typeof setTimeout> | null = null;
  #isFirst = true;

  constructor(private readonly forge: Forge) {
    const log = forge.log.child({ part: "webhooks" });
    this.#places = new HookPlaces(forge.config.webhooks.concurrent);
    this.#makePayload = preparePayloads(forge);
    this.#take = new Pump("Taking events for webhooks", log, (signal) => this.#takeEvents(signal));
    this.#make = new Pump("Making the payloads of webhooks", log, (signal) => this.#makePayloads(signal));
    this.#send = new Pump("Sending to webhooks", log, () => this.#startDue());
    forge.bell.listener = () => this.#take.ask();
    this.#take.ask();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.forge.bell.listener = null;
    await Promise.all([
      this.#take[Symbol.asyncDispose](),
      this.#make[Symbol.asyncDispose](),
      this.#send[Symbol.asyncDispose](),
    ]);
    clearTimeout(this.#timer ?? undefined);
    clearTimeout(this.#makeTimer ?? undefined);
    await Promise.all(this.#running);
  }

  async #takeEvents(signal: AbortSignal): Promise<void> {
    // The first time, for a place in the outbox; then what was told before the first hook is for nobody, and nothing waits to be sent.
    if (!this.#isFirst && !(await hasHooks(this.forge.database.db))) {
      return;
    }
    await takeAllOutbox(this.forge, signal, () => this.#make.ask());
    this.#isFirst = false;
    this.#make.ask();
  }

  async #makePayloads(signal: AbortSignal): Promise<void> {
    const { db } = this.forge.database;
    clearTimeout(this.#makeTimer ?? undefined);
    for (let events = await this.#unmade(); events.length > 0 && !signal.aborted; events = await this.#unmade()) {
      for (let at = 0; at < events.length && !signal.aborted; at += madeAtOnce) {
        const some = events.slice(at, at + madeAtOnce);
        const made = await Promise.all(some.map((event) => this.#makeOne(event)));
        // What the end of the server broke off has not failed.
        if (!signal.aborted) {
          await this.forge.change(doer, ({ tx }) => storePayloads(tx, made));
        }
        this.#send.ask();
      }
    }
    const restMs = await untilNextMaking(db);
    if (restMs !== null && !signal.aborted) {
      this.#makeTimer = setTimeout(() => this.#make.ask(), Math.min(Math.max(restMs, 0) + 1, longestRestMs));
    }
    this.#send.ask();
  }

  #unmade(): Promise<HookEventRow[]> {
    return unmadeEvents(this.forge.database.db, eventsAtOnce);
  }

  /** Makes a payload. A fault, as when the database ends a connection, is no reason to tell nobody: it is made again later. */
  async #makeOne(event: HookEventRow): Promise<MadePayload> {
    const { id } = event;
    try {
      const payload = await this.#makePayload(event);
      if (payload === null) {
        const fields = { event: id, type: event.type, kind: event.source?.kind };
        this.forge.log.info(fields, "An event for webhooks is removed: nothing is left of what it is about");
        return { id, outcome: "nothing" };
      }
      return { id, outcome: "made", payload };
    } catch (error) {
      const restMs = makingRestsMs[event.failures] ?? null;
      const fields = { event: id, type: event.type, kind: event.source?.kind, ...describeError(error) };
      if (restMs === null) {
        this.forge.log.error(fields, "The payload of an event for webhooks could not be made: nobody is told of it");
      } else {
        this.forge.log.warn(fields, "The payload of an event for webhooks could not be made, and is made again later");
      }
      return { id, outcome: "failed", restMs };
    }
  }

  /** Starts as many due deliveries as there is room for, and sets the timer for the next ones. */
  async #startDue(): Promise<void> {
    const { db } = this.forge.database;
    clearTimeout(this.#timer ?? undefined);
    if (this.#places.isFull) {
      return;
    }
    const due = await dueHooks(db, this.#places.busy, lookedAt);
    const left = this.#places.inTurn(due).filter((hook) => !this.#startIfRoom(hook));
    if (left.length > 0) {
      // Whoever is done asks again.
      return;
    }
    const restMs = await untilNextDue(db, this.#places.busy);
    if (restMs !== null) {
      this.#timer = setTimeout(() => this.#send.ask(), Math.min(Math.max(restMs, 0) + 1, longestRestMs));
    }
  }

  #startIfRoom(hook: DueHook): boolean {
    const place = this.#places.tryTake(hook);
    if (place === null) {
      return false;
    }
    const done = this.#deliver(hook.id).finally(() => {
      place[Symbol.dispose]();
      this.#running.delete(done);
      this.#send.ask();
    });
    this.#running.add(done);
    return true;
  }

  async #deliver(hookId: number): Promise<void> {
    try {
      for (let batch = 0; batch < batchesInARow && (await this.#deliverSome(hookId)); batch++);
    } catch (error) {
      if (!this.#send.signal.aborted) {
        this.forge.log.warn(
          { hook: hookId, ...describeError(error) },
          "Deliveries to a webhook could not be written down",
        );
        // It keeps its place meanwhile, so that the hook is not told the same again and again.
        await pause(faultRestMs, undefined, { signal: this.#send.signal }).catch(() => {});
      }
    }
  }

  /** Sends what waits for a hook, up to the first failure. Returns whether to go on at once. */
  async #deliverSome(hookId: number): Promise<boolean> {
    const { signal } = this.#send;
    const found = await waitingDeliveries(this.forge.database.db, hookId, deliveriesAtOnce);
    if (found === null) {
      return false;
    }
    const { hook, waiting } = found;
    const attempts: Attempt[] = [];
    let failingSince = hook.failingSince;
    let restMs: number | null = null;
    let isUnmade = false;
    for (const end = performance.now() + batchMs; waiting.length > 0 && performance.now() < end && restMs === null;) {
      const next = waiting.shift();
      if (next?.payload == null) {
        isUnmade = true;
        break;
      }
      const done = await attemptDelivery(this.forge, hook, { ...next, payload: next.payload }, signal);
      if (signal.aborted) {
        // An attempt that the end of the server broke off is none.
        break;
      }
      attempts.push(done.attempt);
      restMs = done.restMs;
      failingSince = done.attempt.failure === null ? null : (failingSince ?? new Date());
    }
    const isPaused = await this.#writeDown(hookId, attempts, failingSince, restMs);
    return attempts.length > 0 && restMs === null && !isUnmade && !isPaused && !signal.aborted;
  }

  /** Writes down what came of the attempts; returns whether the hook is not to be told anything more. */
  #writeDown(
    hookId: number,
    attempts: readonly Attempt[],
    failingSince: Date | null,
    restMs: number | null,
  ): Promise<boolean> {
    return this.forge.change(doer, async (work) => {
      const row = await lockHookRow(work.tx, hookId);
      if (row === null) {
        return true;
      }
      await storeAttempts(work.tx, attempts);
      const pauseMs = this.forge.config.webhooks.pause_after_hours * 3_600_000;
      if (row.active && failingSince !== null && Date.now() - failingSince.getTime() >= pauseMs) {
        await pauseHook(work, row);
        return true;
      }
      await settleHook(work.tx, hookId, { failingSince, restMs });
      return !row.active;
    });
  }
}
