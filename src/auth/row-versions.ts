import type { Transaction } from "../db/client.ts";

/**
 * Rows remembered by their version: PostgreSQL's `xmin`, which every write to a row changes. Whoever knows the version
 * from a fresh query may use the remembered row; it can never be a stale one. Bounded: the oldest goes first.
 */
export class RowVersions<Row> {
  private readonly rows = new Map<number, { version: string; row: Row }>();

  constructor(
    /** Reads a row with its version, which may be newer than the one asked for; null when it is gone. */
    private readonly load: (id: number, tx?: Transaction) => Promise<{ version: string; row: Row } | null>,
    private readonly limit: number,
  ) {}

  /** The row of this version or a newer one; null when it was deleted in the meantime. A transaction reads on its own connection. */
  find(id: number, version: string, tx?: Transaction): Row | Promise<Row | null> {
    const remembered = this.rows.get(id);
    return remembered !== undefined && remembered.version === version ? remembered.row : this.read(id, tx);
  }

  private async read(id: number, tx: Transaction | undefined): Promise<Row | null> {
    const loaded = await this.load(id, tx);
    // A transaction may write a row of its own several times, and every one of these states has the same version.
    if (tx !== undefined) {
      return loaded?.row ?? null;
    }
    this.rows.delete(id);
    if (loaded === null) {
      return null;
    }
    Object.freeze(loaded.row);
    this.rows.set(id, loaded);
    if (this.rows.size > this.limit) {
      this.rows.delete(this.rows.keys().next().value ?? 0);
    }
    return loaded.row;
  }
}
