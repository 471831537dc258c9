import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { describeError } from "../db/pg-errors.ts";
import { session } from "../db/schema/credentials.ts";
import { deployKey, sshKey } from "../db/schema/keys.ts";
import { accessToken } from "../db/schema/owners.ts";
import type { Logger } from "../lib/log.ts";

const flushEveryMs = 60_000;

const tables = { token: accessToken, "ssh-key": sshKey, "deploy-key": deployKey, session } as const;
type Kind = keyof typeof tables;

/**
 * Remembers which tokens, keys and sessions were used and writes their last-use times once a minute in one statement for each
 * kind: a database write for every request would be the dearest part of it.
 */
export class LastUse implements AsyncDisposable {
  private used = new Map<Kind, Set<number>>();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly db: Database,
    private readonly log: Logger,
  ) {
    this.timer = setInterval(() => void this.flush(), flushEveryMs);
    this.timer.unref();
  }

  record(kind: Kind, id: number): void {
    const ids = this.used.get(kind) ?? new Set();
    this.used.set(kind, ids.add(id));
  }

  async flush(): Promise<void> {
    const { used } = this;
    this.used = new Map();
    for (const [kind, ids] of used) {
      const table = tables[kind];
      try {
        await this.db.execute(
          sql`update ${table} set last_used_at = now() where ${table.id} = any(${sql.param([...ids])}::bigint[])`,
        );
      } catch (error) {
        this.log.warn(describeError(error), "Last-use times could not be written");
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
