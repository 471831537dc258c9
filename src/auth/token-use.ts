import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { describeError } from "../db/pg-errors.ts";
import { accessToken } from "../db/schema/owners.ts";
import type { Logger } from "../lib/log.ts";

const flushEveryMs = 60_000;

/**
 * Remembers which tokens were used and writes their last-use times once a minute in one statement:
 * a database write for every request would be the dearest part of it.
 */
export class TokenUse implements AsyncDisposable {
  private used = new Set<number>();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly db: Database, private readonly log: Logger) {
    this.timer = setInterval(() => void this.flush(), flushEveryMs);
    this.timer.unref();
  }

  record(tokenId: number): void {
    this.used.add(tokenId);
  }

  async flush(): Promise<void> {
    if (this.used.size === 0) {
      return;
    }
    const ids = [...this.used];
    this.used = new Set();
    try {
      await this.db.update(accessToken).set({ lastUsedAt: sql`now()` }).where(sql`${accessToken.id} = any(${sql.param(ids)}::bigint[])`);
    } catch (error) {
      this.log.warn(describeError(error), "Last-use times of tokens could not be written");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
