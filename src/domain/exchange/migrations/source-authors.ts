import type { Database } from "../../../db/client.ts";
import { findVerifiedOwners, listUserEmails } from "../../identity/users/email-queries.ts";
import { findAccounts } from "../../identity/users/queries.ts";
import { type AuthorOf, itemOf, numberOf, textOf } from "./read-items.ts";

/** To whom here the texts of a migration are given. */
export interface MigratedAuthors {
  /** Ids of users here, by names of users there in lower case. */
  users: Readonly<Record<string, number>>;
  /** Also by the addresses that the other server names, where they are verified here. */
  byEmail: boolean;
}

const longestName = 255;
/** Addresses that are remembered. Those beyond are nobody's. */
const mostAddresses = 100_000;

/**
 * Who here wrote a text of the other server: whom the table names, else whose verified address the other server says. Any
 * server can say any address, so that counts only where an administrator vouches for it, and for whoever asked for the
 * migration. All other texts are theirs.
 */
export class SourceAuthors {
  readonly #byAddress = new Map<string, number>();
  readonly #asked = new Set<string>();
  /** Ids of users who were deleted since they were named: their texts are the mover's, as those of others without an account. */
  readonly #gone = new Set<number>();

  private constructor(
    private readonly db: Database,
    private readonly moverId: number,
    private readonly authors: MigratedAuthors,
  ) {}

  static async open(db: Database, moverId: number, authors: MigratedAuthors): Promise<SourceAuthors> {
    const opened = new SourceAuthors(db, moverId, authors);
    for (const { lowerEmail, verified } of await listUserEmails(db, moverId)) {
      if (verified) {
        opened.#byAddress.set(lowerEmail, moverId);
        opened.#asked.add(lowerEmail);
      }
    }
    return opened;
  }

  /** Looks for the users here of everybody who wrote these items, as they are now. To be awaited before `of` is asked about them. */
  async learn(items: readonly unknown[]): Promise<void> {
    await this.#learnAddresses(items);
    const known = items.map((item) => this.of(itemOf(item))).filter(({ isKnown }) => isKnown);
    const ids = new Set(known.map(({ authorId }) => authorId));
    const here = await findAccounts(this.db, [...ids]);
    ids.difference(here).forEach((id) => this.#gone.add(id));
  }

  async #learnAddresses(items: readonly unknown[]): Promise<void> {
    if (!this.authors.byEmail || this.#asked.size > mostAddresses) {
      return;
    }
    const addresses = new Set(items.map(addressOf).filter((address) => address !== "" && !this.#asked.has(address)));
    if (addresses.size > 0) {
      addresses.forEach((address) => this.#asked.add(address));
      for (const { address, userId } of await findVerifiedOwners(this.db, [...addresses])) {
        this.#byAddress.set(address, userId);
      }
    }
  }

  /** Returns the writer of an item at the source, and its author here. */
  readonly of: AuthorOf = (item) => {
    const user = userOf(item);
    // What the other server was itself brought from elsewhere is by whom it says, not by the user who brought it there.
    const before = textOf(item["original_author"]).slice(0, longestName);
    const originalAuthor = before || textOf(user["login"]).slice(0, longestName);
    const { users } = this.authors;
    const name = originalAuthor.toLowerCase();
    const named = name !== "" && Object.hasOwn(users, name) ? users[name] : undefined;
    const found = named ?? (before === "" ? this.#byAddress.get(addressOf(item)) : undefined);
    const known = found !== undefined && this.#gone.has(found) ? undefined : found;
    return {
      authorId: known ?? this.moverId,
      originalAuthor,
      originalAuthorId: numberOf(before === "" ? user["id"] : item["original_author_id"]),
      isKnown: known !== undefined,
    };
  };
}

/** Releases call the user their author. */
function userOf(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return itemOf(item["user"] ?? item["author"]);
}

function addressOf(item: unknown): string {
  const address = textOf(userOf(itemOf(item))["email"])
    .trim()
    .toLowerCase();
  return address.length > longestName || !address.includes("@") ? "" : address;
}
