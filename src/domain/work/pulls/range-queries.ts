import { and, eq, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** The commits that a pull request is between. Oids are hexadecimal. */
export interface PullTips {
  open: boolean;
  baseOid: string;
  headOid: string;
  /** null: the histories have nothing in common, or it was not worked out yet. */
  mergeBaseOid: string | null;
  /** Whether `mergeBaseOid` is that of these two tips. */
  checked: boolean;
  /** That of the base repository. */
  generation: number;
}

/** Reads the tips of a pull request by its number; null when there is none. */
export type FindPullTips = (repositoryId: number, number: number) => Promise<PullTips | null>;

const hex = (column: PgColumn) => sql<string>`encode(${column}, 'hex')`;

export function prepareFindPullTips(db: Database): FindPullTips {
  const query = db
    .select({
      open: pull.open,
      baseOid: hex(pull.baseOid),
      headOid: hex(pull.headOid),
      mergeBaseOid: sql<string | null>`encode(${pull.mergeBaseOid}, 'hex')`,
      checked: sql<boolean>`coalesce(${pull.checkedHeadOid} = ${pull.headOid} and ${pull.checkedBaseOid} = ${pull.baseOid}, false)`,
      generation: repository.generation,
    })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .where(and(eq(issue.repositoryId, sql.placeholder("repositoryId")), eq(issue.number, sql.placeholder("number"))))
    .prepare("find_pull_tips");
  return async (repositoryId, number) => (await query.execute({ repositoryId, number }))[0] ?? null;
}
