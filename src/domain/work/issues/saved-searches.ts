import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { countSavedSearches, putSavedSearch, removeSavedSearch, type SearchedList } from "./saved-search-queries.ts";

/** The most searches of a user, and the longest name, characters. */
const mostSearches = 50;
export const longestSearchName = 60;

/**
 * Keeps a search of a list for a user under a name; one of the same name in this list is replaced. Throws InvalidInput that names the
 * field.
 */
export async function saveSearch(
  work: Work,
  userId: number,
  list: SearchedList,
  { name: typed, query }: { name: string; query: string },
): Promise<void> {
  const name = typed.trim();
  if (name === "" || name.length > longestSearchName || /\p{Cc}/u.test(name)) {
    throw new InvalidInput(
      `The name of a search has 1 to ${longestSearchName} characters, and no control characters among them`,
      "name",
    );
  }
  if ((await countSavedSearches(work.tx, userId)) >= mostSearches) {
    throw new InvalidInput(`You have saved ${mostSearches} searches, the most there can be: delete one first`, "name");
  }
  await putSavedSearch(work.tx, { ...list, userId, name, query });
}

/** Deletes a search of a user. Throws NotFound. */
export async function deleteSearch(work: Work, userId: number, id: number): Promise<void> {
  if (!(await removeSavedSearch(work.tx, userId, id))) {
    throw new NotFound("saved search", String(id));
  }
}
