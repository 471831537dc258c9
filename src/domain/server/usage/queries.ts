import { eq, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { repositoryCount } from "../../../db/schema/lists.ts";
import { account } from "../../../db/schema/owners.ts";

/** How many users there are, how many of them signed in lately, and what they wrote. */
export interface UsageCounts {
  total: number;
  activeHalfYear: number;
  activeMonth: number;
  /** Pull requests are not among them. */
  issues: number;
  /** On issues and pull requests. */
  comments: number;
}

const since = (days: number) =>
  sql<number>`(count(*) filter (where ${account.lastSignInAt} > now() - make_interval(days => ${days})))::integer`;

/** Counts all accounts in one pass over their rows, issues by the counters of repositories, and comments in an index of them alone. */
export async function countUsage(db: Reader): Promise<UsageCounts> {
  const [[users], [issues], [comments]] = await Promise.all([
    db
      .select({ total: sql<number>`count(*)::integer`, activeHalfYear: since(180), activeMonth: since(30) })
      .from(account),
    db
      .select({
        value: sql`coalesce(sum(${repositoryCount.openIssues} + ${repositoryCount.closedIssues}), 0)`.mapWith(Number),
      })
      .from(repositoryCount),
    db
      .select({ value: sql`count(*)`.mapWith(Number) })
      .from(comment)
      .where(eq(comment.kind, "comment")),
  ]);
  return {
    ...(users ?? { total: 0, activeHalfYear: 0, activeMonth: 0 }),
    issues: issues?.value ?? 0,
    comments: comments?.value ?? 0,
  };
}
