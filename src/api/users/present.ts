import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/addresses.ts";
import { never } from "../common/instants.ts";

type Account = Omit<Actor, keyof OwnerRow>;

/**
 * Signed-in callers see an e-mail address, unless its user keeps it to themselves; site administrators see all.
 * What stands in for a hidden one is accepted as the author of commits.
 */
function emailFor(addresses: Addresses, owner: OwnerRow, viewer: Actor | null): string {
  const shown = viewer !== null && (!owner.keepEmailPrivate || viewer.id === owner.id || viewer.isAdmin);
  return shown && owner.email !== "" ? owner.email : `${owner.lowerName}@noreply.${addresses.hostname}`;
}

/**
 * An owner as the family's User. `account` is known where the owner is a user whose private fields may be shown,
 * that is to themselves and to site administrators.
 */
export function presentOwner(
  addresses: Addresses,
  owner: OwnerRow,
  viewer: Actor | null,
  account: Account | null = null,
) {
  return {
    id: owner.id,
    login: owner.name,
    login_name: account?.loginName ?? "",
    source_id: 0,
    full_name: owner.fullName,
    email: emailFor(addresses, owner, viewer),
    avatar_url: addresses.avatar(owner),
    html_url: addresses.owner(owner.name),
    language: account?.language ?? "",
    is_admin: account?.isAdmin ?? false,
    last_login: account?.lastSignInAt?.toISOString() ?? never,
    created: owner.createdAt.toISOString(),
    restricted: account?.restricted ?? false,
    active: account?.active ?? false,
    prohibit_login: account?.suspended ?? false,
    location: owner.location,
    website: owner.website,
    description: owner.description,
    visibility: owner.visibility,
    pronouns: viewer === null && owner.keepPronounsPrivate ? "" : owner.pronouns,
    followers_count: owner.followers,
    following_count: owner.following,
    starred_repos_count: owner.starred,
  };
}
