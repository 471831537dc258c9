import { t } from "elysia";
import type { Actor, Credential, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import { findMembership, isPublicMember, listMembers } from "../../domain/identity/orgs/queries.ts";
import { findShownUser, findVisibleUser } from "../../domain/identity/social/queries.ts";
import { removeMember } from "../../domain/identity/teams/members.ts";
import type { Api } from "../common/api.ts";
import type { AskedForList } from "../common/paging.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { concealMembership, publishMembership } from "../../domain/identity/orgs/publish-membership.ts";

function isInsider(actor: Actor | null, { membership }: OwnerAccess): boolean {
  return actor !== null && (actor.isAdmin || membership !== null);
}

/** Members of an organization. Members see all of them, others see the public ones. */
export function memberRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  const list = (asked: AskedForList & { owner: OwnerAccess }, which: "all" | "public") =>
    userPage(addresses, asked, (page) => listMembers(database.db, asked, asked.owner.owner.id, which, page));

  const isMember = async (organizationId: number, userId: number) =>
    (await findMembership(database.db, organizationId, userId)).mode !== null;

  async function isPublic(organization: OwnerRow, user: OwnerRow) {
    return (await isPublicMember(database.db, organization.id, user.id)) && (await isMember(organization.id, user.id));
  }

  /** A user who is known to an insider, whatever they show to others. */
  async function findMember(
    actor: Actor,
    credential: Credential,
    access: OwnerAccess,
    name: string,
  ): Promise<OwnerRow | null> {
    const user = isInsider(actor, access)
      ? await findShownUser(database.db, { actor, credential }, name)
      : await findVisibleUser(database.db, { actor, credential }, name);
    return user !== null && (await isMember(access.owner.id, user.id)) ? user : null;
  }

  /** Members decide for themselves, and for nobody else. */
  async function ownMembership(actor: Actor, organization: OwnerRow, username: string) {
    if (actor.lowerName !== username.toLowerCase()) {
      throw new Forbidden("Only members themselves decide whether everybody knows of their membership");
    }
    if (!(await isMember(organization.id, actor.id))) {
      throw new NotFound("member", username);
    }
  }

  return group("", { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "see" } })
    .get(
      "/orgs/:org/members",
      {
        operationId: "orgListMembers",
        summary: "List an organization's members",
        description: "Members see all of them, others those whose membership is public.",
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(User), "The members, by name"),
      },
      (asked) => list(asked, isInsider(asked.actor, asked.owner) ? "all" : "public"),
    )
    .get(
      "/orgs/:org/members/:username",
      {
        operationId: "orgIsMember",
        summary: "Tell whether a user is a member of an organization",
        description: "Who is none is told of public memberships only.",
        signedIn: true,
        responses: { ...done, ...no },
      },
      async ({ actor, credential, owner, params }) => {
        const user = await findMember(actor, credential, owner, params.username);
        return yesOrNo(
          user !== null && (isInsider(actor, owner) || user.id === actor.id || (await isPublic(owner.owner, user))),
        );
      },
    )
    .delete(
      "/orgs/:org/members/:username",
      {
        operationId: "orgDeleteMember",
        summary: "Remove a member from an organization",
        description: "From all of its teams, and from its repositories.",
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, credential, owner, params }) => {
        const user = await findMember(actor, credential, owner, params.username);
        if (user === null) {
          throw new NotFound("member", params.username);
        }
        await forge.change(doer, (work) => removeMember(work, owner.owner, user));
        forge.log.info(
          { organization: owner.owner.name, member: user.name, actor: actor.name },
          "Removed a member from an organization",
        );
        return empty();
      },
    )
    .get(
      "/orgs/:org/public_members",
      {
        operationId: "orgListPublicMembers",
        summary: "List the members of an organization whose membership is public",
        query: pagingQuery,
        responses: ok(t.Array(User), "The members, by name"),
      },
      (asked) => list(asked, "public"),
    )
    .get(
      "/orgs/:org/public_members/:username",
      {
        operationId: "orgIsPublicMember",
        summary: "Tell whether a user is publicly a member of an organization",
        also: { user: { may: { on: "user", do: "see" }, named: { user: "username" } } },
        responses: { ...done, ...no },
      },
      async ({ owner, also }) => yesOrNo(await isPublic(owner.owner, also.user.owner)),
    )
    .put(
      "/orgs/:org/public_members/:username",
      {
        operationId: "orgPublicizeMember",
        summary: "Let everybody know of one's membership",
        may: { on: "organization", do: "belong" },
        responses: done,
      },
      async ({ doer, actor, owner: { owner }, params }) => {
        await ownMembership(actor, owner, params.username);
        await forge.change(doer, (work) => publishMembership(work, owner, actor));
        return empty();
      },
    )
    .delete(
      "/orgs/:org/public_members/:username",
      {
        operationId: "orgConcealMember",
        summary: "Conceal one's membership",
        may: { on: "organization", do: "belong" },
        responses: done,
      },
      async ({ doer, actor, owner: { owner }, params }) => {
        await ownMembership(actor, owner, params.username);
        await forge.change(doer, (work) => concealMembership(work, owner, actor));
        return empty();
      },
    );
}
