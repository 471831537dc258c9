import type { Database } from "../../db/client.ts";
import { JoinedWork } from "../../lib/joined-work.ts";
import { countUsers, type UserCounts } from "./queries.ts";

/** So long an answer is given again, ms: anybody may ask, and every account is counted. */
const keptMs = 60_000;

/** Counts users at most once a minute, however many ask. */
export class UserCounter {
  private readonly running = new JoinedWork<UserCounts>();
  private known: { counts: UserCounts; until: number } | null = null;

  constructor(
    private readonly db: Database,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many there are, or were in the last minute. */
  async count(): Promise<UserCounts> {
    if (this.known !== null && this.now() < this.known.until) {
      return this.known.counts;
    }
    return this.running.do("users", async () => {
      const counts = await countUsers(this.db);
      this.known = { counts, until: this.now() + keptMs };
      return counts;
    });
  }
}
