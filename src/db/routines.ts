import blobReferences from "./routines/blob-references.sql" with { type: "text" };
import comments from "./routines/comments.sql" with { type: "text" };
import credentials from "./routines/credentials.sql" with { type: "text" };
import gitStores from "./routines/git-stores.sql" with { type: "text" };
import issues from "./routines/issues.sql" with { type: "text" };
import listTotals from "./routines/list-totals.sql" with { type: "text" };
import listings from "./routines/listings.sql" with { type: "text" };
import packages from "./routines/packages.sql" with { type: "text" };
import pulls from "./routines/pulls.sql" with { type: "text" };
import releases from "./routines/releases.sql" with { type: "text" };
import search from "./routines/search.sql" with { type: "text" };
import social from "./routines/social.sql" with { type: "text" };
import texts from "./routines/texts.sql" with { type: "text" };
import topics from "./routines/topics.sql" with { type: "text" };
import transfers from "./routines/transfers.sql" with { type: "text" };
import usage from "./routines/usage.sql" with { type: "text" };

/**
 * The SQL of all routines: functions and the triggers that call them, which keep counts, lists and references right whatever
 * writes a row. It defines each with "create or replace", so it may run at any time (`migrate.ts` says when).
 */
export const routines: string = [
  blobReferences,
  comments,
  credentials,
  gitStores,
  issues,
  listTotals,
  listings,
  packages,
  pulls,
  releases,
  search,
  social,
  texts,
  topics,
  transfers,
  usage,
].join("\n");
