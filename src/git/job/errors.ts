import { StithyError } from "../../lib/errors.ts";

/** Too many requests wait for the engine already; trying again later may work. */
export class EngineBusy extends StithyError {
  constructor(waiting: number) {
    super("busy", "engine-busy", `The git engine has ${waiting} requests waiting and takes no more`, { waiting });
  }
}

/** A request used up its time budget and was cancelled. */
export class EngineTimeout extends StithyError {
  constructor(operation: string, milliseconds: number) {
    super("busy", "engine-timeout", `The git operation "${operation}" did not finish within ${milliseconds} ms`, {
      operation,
      milliseconds,
    });
  }
}

/**
 * A request took more time of a worker's thread than any may (code "too-costly"): what is asked for is too much, whenever
 * it is asked for.
 */
export class TooCostly extends StithyError {
  constructor(operation: string, milliseconds: number) {
    super(
      "too-large",
      "too-costly",
      `The git operation "${operation}" takes more than the ${milliseconds / 1000} seconds of computing that one may take: ask for less of it at once`,
      { operation, milliseconds },
    );
  }
}

/** The worker that had the request ended; the worker is started again, the request is not. */
export class EngineWorkerLost extends StithyError {
  constructor(operation: string, reason: string) {
    super("fault", "engine-worker-lost", `The git worker ended during the operation "${operation}": ${reason}`, {
      operation,
      reason,
    });
  }
}

/** Thrown inside a worker by work that notices that nobody waits for it any more. */
export class EngineCancelled extends StithyError {
  constructor(operation: string) {
    super("cancelled", "engine-cancelled", `The git operation "${operation}" was cancelled`, { operation });
  }
}
