import { rememberLength } from "../../lib/json/write-json.ts";

interface Made<Value> {
  base: string;
  variant: number;
  value: Value;
}

/**
 * What was made of rows that never change: those that are remembered by their version (RememberedRows, RowVersions) are
 * frozen, and a row that was written is another object. A page of issues shows the same few users, labels and milestones
 * over and over.
 */
export class PresentedRows<Row extends object, Value extends object> {
  readonly #made = new WeakMap<Row, Made<Value>>();

  /** `base` and `variant` stand for all that `make` looks at besides the row. */
  present(row: Row, base: string, variant: number, make: () => Value): Value {
    const known = this.#made.get(row);
    if (known !== undefined && known.variant === variant && known.base === base) {
      return known.value;
    }
    const value = make();
    if (Object.isFrozen(row)) {
      Object.freeze(value);
      rememberLength(value);
      this.#made.set(row, { base, variant, value });
    }
    return value;
  }
}
