import type { Reader } from "./client.ts";

/** Statements that are kept; whoever asks in every possible way fills no memory. */
const mostShapes = 200;

/**
 * Keeps prepared statements by their shape: what a statement is made of besides the values of its placeholders, as JSON. To write a
 * statement down takes Drizzle several times as long as to run it.
 */
export function preparedByShape<Db extends Reader, Shape, Prepared>(
  prepare: (db: Db, shape: Shape) => Prepared,
): (db: Db, shape: Shape) => Prepared {
  const kept = new WeakMap<Db, Map<string, Prepared>>();
  return (db, shape) => {
    const known = kept.get(db) ?? new Map<string, Prepared>();
    kept.set(db, known);
    const key = JSON.stringify(shape);
    const prepared = known.get(key) ?? prepare(db, shape);
    if (known.size >= mostShapes && !known.has(key)) {
      known.clear();
    }
    known.set(key, prepared);
    return prepared;
  };
}
