import { eq } from "drizzle-orm";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { wiki } from "../../../db/schema/repositories.ts";
import { wikiRow, wikiStoreOf } from "./wiki-store.ts";

/** Returns the access to a repository with its wiki in the repository's place, for git's services. The caller has decided about the unit. */
export async function openWiki(db: Reader, access: RepositoryAccess): Promise<RepositoryAccess> {
  const [row] = await db
    .select({ generation: wiki.generation, empty: wiki.empty })
    .from(wiki)
    .where(eq(wiki.id, wikiStoreOf(access.repository.id)));
  return { ...access, repository: wikiRow(access.repository, row ?? null) };
}
