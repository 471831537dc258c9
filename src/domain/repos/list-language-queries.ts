import { and, count, desc, inArray, ne } from "drizzle-orm";
import { isRestricted } from "../../auth/authorize.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Database } from "../../db/client.ts";
import { repositoryCount } from "../../db/schema/lists.ts";
import { classesOf } from "./list-classes.ts";

/**
 * The main languages of most repositories, with the number of these. Only repositories count that everybody like the viewer
 * sees, so that an index has all that is read.
 */
export async function listMainLanguages(
  db: Database,
  viewer: Viewer,
  size: number,
): Promise<{ name: string; count: number }[]> {
  const { open } = classesOf(viewer, {});
  if (open.length === 0 || isRestricted(viewer.credential)) {
    return [];
  }
  const { language } = repositoryCount;
  return db
    .select({ name: language, count: count() })
    .from(repositoryCount)
    .where(and(ne(language, ""), inArray(repositoryCount.class, [...open])))
    .groupBy(language)
    .orderBy(desc(count()), language)
    .limit(size);
}
