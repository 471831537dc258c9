import type { Database } from "../../../db/client.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { countUsage, type UsageCounts } from "./queries.ts";

/** So long an answer is given again, ms: anybody may ask, and every account and comment is counted. */
const keptMs = 60_000;

/** Counts users, issues and comments at most once a minute, however many ask. */
export class UsageCounter {
  private readonly running = new JoinedWork<UsageCounts>();
  private known: { counts: UsageCounts; until: number } | null = null;

  constructor(
    private readonly db: Database,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many there are, or were in the last minute. */
  async count(): Promise<UsageCounts> {
    if (this.known !== null && this.now() < this.known.until) {
      return this.known.counts;
    }
    return this.running.do("usage", async () => {
      const counts = await countUsage(this.db);
      this.known = { counts, until: this.now() + keptMs };
      return counts;
    });
  }
}
