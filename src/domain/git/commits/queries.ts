import { getTableColumns, sql } from "drizzle-orm";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import { isPublicOnly } from "../../../auth/authorize.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import { owner } from "../../../db/schema/owners.ts";

/**
 * The users to whom these e-mail addresses belong and are verified, in one query: anybody can write any address into a
 * commit. So nobody is among them whom the viewer may not know of: a commit made up for it would ask whether they exist.
 */
export type FindUsersByEmail = (emails: readonly string[], viewer: Viewer) => Promise<EmailOwners>;

/** Users by their e-mail address, in any case. */
export class EmailOwners {
  constructor(private readonly owners: ReadonlyMap<string, OwnerRow>) {}

  find(email: string): OwnerRow | null {
    return this.owners.get(email.toLowerCase()) ?? null;
  }
}

/**
 * `noreplyDomain`: the domain of the addresses that stand in for those that users keep to themselves; what is before
 * the @ is the user's name.
 */
export function prepareFindUsersByEmail(db: Database, noreplyDomain: () => string): FindUsersByEmail {
  const byAddress = sql`select ${emailAddress.userId}, ${emailAddress.lowerEmail} from ${emailAddress}
    where ${emailAddress.verified} and ${emailAddress.lowerEmail} = any(string_to_array(${sql.placeholder("emails")}::text, E'\\n'))`;
  const byName = sql`select named.id, null from ${owner} named
    where named.kind = 'user' and named.lower_name = any(string_to_array(${sql.placeholder("names")}::text, E'\\n'))`;
  const viewing = {
    id: sql`${sql.placeholder("viewerId")}::bigint`,
    isAdmin: sql`${sql.placeholder("viewerIsAdmin")}::boolean`,
    restricted: sql`${sql.placeholder("viewerIsRestricted")}::boolean`,
    publicOnly: sql<boolean>`${sql.placeholder("publicOnly")}::boolean`,
  };
  const query = db
    .select({ owner: getTableColumns(owner), email: sql<string | null>`found.email` })
    .from(owner)
    .innerJoin(sql`(${byAddress} union all ${byName}) as found (user_id, email)`, sql`found.user_id = ${owner.id}`)
    .where(ownerVisibleSql(viewing))
    .prepare("find_users_by_email");
  return async (emails, { actor, credential }) => {
    const suffix = `@noreply.${noreplyDomain()}`;
    // No address has a line feed in it, so a list of them is one text: postgres.js prepares no array parameters of unknown type.
    const wanted = [...new Set(emails.map((email) => email.toLowerCase()))].filter(
      (email) => email !== "" && !/[\n\0]/.test(email),
    );
    const names = wanted.filter((email) => email.endsWith(suffix)).map((email) => email.slice(0, -suffix.length));
    if (wanted.length === 0) {
      return new EmailOwners(new Map());
    }
    const rows = await query.execute({
      emails: wanted.join("\n"),
      names: names.join("\n"),
      viewerId: actor?.id ?? null,
      viewerIsAdmin: actor?.isAdmin === true,
      viewerIsRestricted: actor?.restricted === true,
      publicOnly: isPublicOnly(credential),
    });
    const owners = new Map<string, OwnerRow>();
    for (const row of rows) {
      owners.set(row.email ?? row.owner.lowerName + suffix, row.owner);
    }
    return new EmailOwners(owners);
  };
}
