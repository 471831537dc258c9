import type { DatabaseClient } from "../db/client.ts";
import { codingOf } from "../http/content-coding.ts";
import { batchByTurn } from "../lib/batch-by-turn.ts";
import { ByteCache } from "../lib/byte-cache.ts";
import type { EncodedPage } from "./respond.ts";
import type { Visit } from "./visit.ts";

const keptBytes = 8 * 1024 * 1024;
/** Pages say how long ago something was. */
const keptMs = 10_000;
/** Requests of one turn of the event loop that share a query at most. */
const sharedAtMost = 1000;

/** A state of the database: while its name stays the same, every query reads the same rows. */
export type Moment = string;

interface Kept {
  readonly moment: Moment;
  readonly until: number;
  readonly page: EncodedPage;
}

/**
 * Pages that strangers were shown, so that a crowd costs no more than one of them. A page is shown again while the database has not changed
 * at all since before it was made: the snapshot that PostgreSQL gives names every transaction that has written. Whether the visitor may see
 * the page is decided before, each time.
 */
export class KeptPages {
  private readonly pages = new ByteCache<Kept>(keptBytes);
  /** Read before a page is made. */
  readonly moment: () => Promise<Moment>;

  constructor({ sql }: DatabaseClient) {
    const read = batchByTurn(async (asked: readonly null[]) => {
      const [row] = await sql<{ moment: Moment }[]>`select pg_current_snapshot()::text as moment`;
      return asked.map(() => row?.moment ?? "");
    }, sharedAtMost);
    this.moment = () => read(null);
  }

  find(visit: Visit, base: string, moment: Moment): EncodedPage | null {
    const kept = this.pages.get(keyOf(visit, base));
    return kept === undefined || kept.moment !== moment || kept.until < visit.now ? null : kept.page;
  }

  keep(visit: Visit, base: string, moment: Moment, page: EncodedPage): void {
    this.pages.set(keyOf(visit, base), { moment, until: visit.now + keptMs, page }, page.bytes.length + 1000);
  }
}

/** All of a request that its page may depend on. `base`: the address by which the server was called. */
function keyOf({ request, here }: Visit, base: string): string {
  return JSON.stringify([base, here, request.headers.get("cookie"), codingOf(request)]);
}
