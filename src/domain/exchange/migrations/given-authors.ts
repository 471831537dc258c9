import { isRestricted } from "../../../auth/authorize.ts";
import { hasScope } from "../../../auth/scopes.ts";
import type { Actor } from "../../../auth/subject.ts";
import type { Database } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Forbidden } from "../../spine/errors.ts";
import { findUsers } from "../seeding/queries.ts";
import type { MigratedAuthors } from "./source-authors.ts";

const mostNames = 1000;

/**
 * Reads to whom the texts of a migration are given: names of users here by names of users there. Another server can say
 * anything, so to give its texts to users is to write in their names: only site administrators may, with a token of the scope
 * `write:admin`. Everybody may name themselves. Throws Forbidden, and InvalidInput for more than a thousand names and for a
 * user who is not here.
 */
export async function readGivenAuthors(
  db: Database,
  { actor, credential }: UserDoer,
  table: Readonly<Record<string, string>>,
  byEmail: boolean,
): Promise<MigratedAuthors> {
  const entries = Object.entries(table).map(([there, here]) => [there.toLowerCase(), here.toLowerCase()] as const);
  if (entries.length > mostNames) {
    throw new InvalidInput(`authors has ${entries.length} names, where at most ${mostNames} are allowed`, "authors");
  }
  const isBound =
    isRestricted(credential) || (credential.kind === "token" && !hasScope(credential.scopes, "admin", "write"));
  const namesOthers = byEmail || entries.some(([, here]) => here !== actor.name.toLowerCase());
  // Before anybody is looked for: who is here is not for everybody to know.
  if (namesOthers && (!actor.isAdmin || isBound)) {
    throw new Forbidden(
      "Only a site administrator may give texts to other users, with a token of the scope write:admin: name nobody but yourself in authors, and leave authors_by_email out",
    );
  }
  const found = entries.length === 0 ? new Map<string, { id: number }>() : await findUsers(db, Object.values(table));
  const users = entries.map(([there, here]) => {
    const user = found.get(here);
    if (user === undefined) {
      throw new InvalidInput(`authors: there is no user "${clip(here, 80)}" here`, "authors");
    }
    return [there, user.id] as const;
  });
  return { users: Object.fromEntries(users), byEmail };
}

/** A migration may wait for hours. Throws Forbidden where the user who asked for it may no longer give texts to others. */
export function demandStillGiven(actor: Actor, authors: MigratedAuthors | undefined): void {
  const givesToOthers =
    authors !== undefined && (authors.byEmail || Object.values(authors.users).some((id) => id !== actor.id));
  if (givesToOthers && !actor.isAdmin) {
    throw new Forbidden(
      "The user who asked for it is no site administrator any more, and may not give texts to other users: ask for it again as one, or name nobody but yourself",
    );
  }
}
