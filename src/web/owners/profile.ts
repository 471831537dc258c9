import { blockUser, unblockUser } from "../../domain/identity/social/block-user.ts";
import { followUser, unfollowUser } from "../../domain/identity/social/follow-user.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { feedFormatOf } from "../feeds/feed.ts";
import { deedsResponse } from "../feeds/deeds.ts";
import { ownerLink } from "../links.ts";
import { ownerSuffix } from "../name-suffix.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { keysResponse } from "../plain-addresses.ts";
import { Redirect } from "../respond.ts";
import { prepareOrganizationPage } from "./organization.ts";
import { prepareUserPage } from "./user.ts";

/** What one user does about another, by the name of the form's button, and the sentence that tells it. */
const actions = {
  follow: [followUser, "You follow"],
  unfollow: [unfollowUser, "You no longer follow"],
  block: [blockUser, "You blocked"],
  unblock: [unblockUser, "You no longer block"],
} as const;

/** The page of a user or an organization, and following and blocking a user. */
export function profilePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const [userPage, organizationPage] = [prepareUserPage(forge), prepareOrganizationPage(forge)];
  return [
    page("GET", "/:owner", { may: { on: "owner", do: "see" } }, async ({ visit, owner: access }) => {
      const { owner } = access;
      const [suffix] = ownerSuffix.exec(visit.params["owner"] ?? "") ?? [];
      const format = feedFormatOf(suffix);
      if (format !== null) {
        const of =
          owner.kind === "organization"
            ? ({ kind: "owner", ownerId: owner.id } as const)
            : ({ kind: "user", userId: owner.id, watched: false } as const);
        const title = owner.fullName || owner.name;
        const about = { title, about: owner.description, link: forge.addresses.owner(owner.name) };
        return deedsResponse(forge, visit, format, of, about);
      }
      if (suffix !== undefined) {
        return keysResponse(forge, visit, owner, suffix);
      }
      return owner.kind === "organization" ? organizationPage(visit, access) : userPage(visit, owner);
    }),
    page(
      "POST",
      "/:owner",
      { may: { on: "owner", do: "see" }, signedIn: true },
      async ({ doer, visit, actor, owner }) => {
        const name = visit.form.text("action");
        const user = owner.owner;
        if (user.kind !== "user" || !Object.hasOwn(actions, name)) {
          throw new NotFound("user", user.name);
        }
        const [act, words] = actions[name as keyof typeof actions];
        await forge.change(doer, (work) => act(work, actor, user));
        return new Redirect(ownerLink(visit.root, user.name), `${words} ${user.name}`);
      },
    ),
  ];
}
