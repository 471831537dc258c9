import type { Transaction } from "./client.ts";

/** A row with its id and its version: PostgreSQL's `xmin`, which every write to the row changes. */
export interface VersionedRow<Row> {
  id: number;
  version: string;
  row: Row;
}

/** The id of a row and its version, as a query that has just run says. */
export type RowVersion = readonly [id: number, version: string];

/**
 * Rows of a table, remembered by their version. A query names rows by id and version, and only those are read that are not
 * remembered; so a remembered row is never a stale one. Rows are frozen. Bounded: the oldest goes first.
 */
export class RememberedRows<Row extends object> {
  private readonly rows = new Map<number, VersionedRow<Row>>();

  constructor(
    /** Reads the rows of these ids, as far as they exist, with versions that may be newer than those asked for. */
    private readonly load: (ids: readonly number[], tx?: Transaction) => Promise<readonly VersionedRow<Row>[]>,
    private readonly limit: number,
  ) {}

  /** Returns the rows of these versions or newer ones, by id, without those that were deleted in the meantime. */
  async findAll(wanted: readonly RowVersion[]): Promise<Map<number, Row>> {
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
    for (const { id, row } of missing.length === 0 ? [] : await this.read([...new Set(missing)])) {
      found.set(id, row);
    }
    return found;
  }

  /** Returns the row of this version or a newer one; null if it was deleted in the meantime. A transaction reads on its own connection. */
  find(id: number, version: string, tx?: Transaction): Row | Promise<Row | null> {
    const known = this.rows.get(id);
    return known?.version === version
      ? known.row
      : this.read([id], tx).then(([read]) => (read === undefined ? null : read.row));
  }

  private async read(ids: readonly number[], tx?: Transaction): Promise<readonly VersionedRow<Row>[]> {
    const loaded = await this.load(ids, tx);
    // A transaction may write a row of its own several times, and all of these states have the same version.
    if (tx === undefined) {
      loaded.forEach((each) => this.remember(each));
    }
    return loaded;
  }

  private remember(loaded: VersionedRow<Row>): void {
    Object.freeze(loaded.row);
    this.rows.delete(loaded.id);
    this.rows.set(loaded.id, loaded);
    if (this.rows.size > this.limit) {
      this.rows.delete(this.rows.keys().next().value ?? 0);
    }
  }
}
