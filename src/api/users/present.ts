import type { Static } from "elysia";
import type { User } from "./schema.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import { showsEmail, showsPronouns } from "../../domain/identity/owners/shown-fields.ts";
import { never, presentInstant } from "../common/instants.ts";
import { PresentedRows } from "../common/presented-rows.ts";

type Account = Omit<Actor, keyof OwnerRow>;

const presented = new PresentedRows<OwnerRow, ReturnType<typeof makeOwner>>();

/**
 * An owner as the family's User. `account` is known where the owner is a user whose private fields may be shown,
 * that is to themselves and to site administrators.
 */
export function presentOwner(
  addresses: Addresses,
  owner: OwnerRow,
  viewer: Actor | null,
  account: Account | null = null,
): Static<typeof User> {
  const email = showsEmail(owner, viewer);
  const pronouns = showsPronouns(owner, viewer);
  return account === null
    ? presented.present(owner, addresses.base, (email ? 1 : 0) + (pronouns ? 2 : 0), () =>
        makeOwner(addresses, owner, email, pronouns, null),
      )
    : makeOwner(addresses, owner, email, pronouns, account);
}

function makeOwner(addresses: Addresses, owner: OwnerRow, email: boolean, pronouns: boolean, account: Account | null) {
  return {
    id: owner.id,
    login: owner.name,
    username: owner.name,
    login_name: account?.loginName ?? "",
    source_id: 0,
    full_name: owner.fullName,
    // The placeholder for a private address is accepted as the author of commits.
    email: email ? owner.email : `${owner.lowerName}@noreply.${addresses.hostname}`,
    avatar_url: addresses.avatar(owner),
    html_url: addresses.owner(owner.name),
    language: account?.language ?? "",
    is_admin: account?.isAdmin ?? false,
    last_login: presentInstant(account?.lastSignInAt) ?? never,
    created: presentInstant(owner.createdAt),
    restricted: account?.restricted ?? false,
    active: account?.active ?? false,
    prohibit_login: account?.suspended ?? false,
    location: owner.location,
    website: owner.website,
    description: owner.description,
    visibility: owner.visibility,
    pronouns: pronouns ? owner.pronouns : "",
    followers_count: owner.followers,
    following_count: owner.following,
    starred_repos_count: owner.starred,
  };
}
