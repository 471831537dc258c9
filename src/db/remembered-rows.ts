interface Versioned<Row> {
  /** PostgreSQL's `xmin`. */
  version: string;
  row: Row;
}

/** The id of a row and its version, as a query that has just run says. */
export type RowVersion = readonly [id: number, version: string];

/**
 * Rows of a table remembered by their version, which every write to a row changes: a query names rows by id and version, and only those
 * are read that are not known. Not for transactions that write such rows. Bounded: the oldest goes first.
 */
export class RememberedRows<Row extends object> {
  private readonly rows = new Map<number, Versioned<Row>>();

  constructor(
    /** Reads the rows of these ids that there are, with versions that may be newer than those asked for. */
    private readonly load: (ids: readonly number[]) => Promise<readonly (Versioned<Row> & { id: number })[]>,
    private readonly limit: number,
  ) {}

  /** The rows of these versions or newer ones; those that were deleted in the meantime are left out. */
  async find(wanted: readonly RowVersion[]): Promise<Map<number, Row>> {
    const found = new Map<number, Row>();
    const missing: number[] = [];
    for (const [id, version] of wanted) {
      const known = this.rows.get(id);
      if (known?.version === version) {
        found.set(id, known.row);
      } else {
        missing.push(id);
      }
    }
    for (const { id, version, row } of missing.length === 0 ? [] : await this.load([...new Set(missing)])) {
      found.set(id, row);
      this.remember(id, { version, row: Object.freeze(row) });
    }
    return found;
  }

  private remember(id: number, versioned: Versioned<Row>): void {
    this.rows.delete(id);
    this.rows.set(id, versioned);
    if (this.rows.size > this.limit) {
      this.rows.delete(this.rows.keys().next().value ?? 0);
    }
  }
}
