import type { Reader } from "../../../db/client.ts";
import { pageOfObjects } from "./queries.ts";

const pageSize = 1000;

/** All LFS objects of a repository with their sizes in bytes, in the order of their names. */
export async function* listObjects(
  db: Reader,
  repositoryId: number,
): AsyncGenerator<{ oid: string; bytes: number }, void> {
  for (
    let page = await pageOfObjects(db, repositoryId, "", pageSize);
    page.length > 0;
    page = await pageOfObjects(db, repositoryId, page.at(-1)?.oid ?? "", pageSize)
  ) {
    yield* page;
  }
}
