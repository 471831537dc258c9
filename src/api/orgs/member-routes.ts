import { Elysia, t } from "elysia";
import type { Actor, Credential, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../../domain/errors.ts";
import { deletePublicMember, findMembership, insertPublicMember, isPublicMember, listMembers } from "../../domain/orgs/queries.ts";
import { findVisibleUser } from "../../domain/social/queries.ts";
import { removeMember } from "../../domain/teams/members.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import type { Api } from "../common/api.ts";
import type { AskedForList } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, no, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

const org = t.String({ description: "Name of the organization" });
const orgParams = t.Object({ org });
const memberParams = t.Object({ org, username: t.String({ description: "Name of the user" }) });

function isInsider(actor: Actor | null, { membership }: OwnerAccess): boolean {
  return actor !== null && (actor.isAdmin || membership !== null);
}

/** Who belongs to an organization. Members know all of them, everybody else those who let it be known. */
export function memberRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const see = { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "see" } } as const;
  const belong = { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "belong" }, signedIn: true } as const;

  const list = (asked: AskedForList & { owner: OwnerAccess }, which: "all" | "public") => userPage(addresses, asked, (page) => listMembers(database.db, asked, asked.owner.owner.id, which, page));

  const isMember = async (organizationId: number, userId: number) => (await findMembership(database.db, organizationId, userId)).mode !== null;

  async function isPublic(organization: OwnerRow, user: OwnerRow | null) {
    return user !== null && (await isPublicMember(database.db, organization.id, user.id)) && (await isMember(organization.id, user.id));
  }

  /** A user who is known to an insider, whatever they show to others. */
  async function findMember(actor: Actor, credential: Credential, access: OwnerAccess, name: string): Promise<OwnerRow | null> {
    const user = isInsider(actor, access) ? await findOwner(database.db, name) : await findVisibleUser(database.db, { actor, credential }, name);
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

  return new Elysia()
    .get(
      "/orgs/:org/members",
      ...endpoint(
        {
          ...see,
          operationId: "orgListMembers",
          summary: "List an organization's members",
          description: "Members see all of them, others those whose membership is public.",
          signedIn: true,
          params: orgParams,
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The members, by name"), ...signInNeeded, ...notFound },
        },
        (asked) => list(asked, isInsider(asked.actor, asked.owner) ? "all" : "public"),
      ),
    )
    .get(
      "/orgs/:org/members/:username",
      ...endpoint(
        {
          ...see,
          operationId: "orgIsMember",
          summary: "Tell whether a user is a member of an organization",
          description: "Who is none is told of public memberships only.",
          signedIn: true,
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...no },
        },
        async ({ actor, credential, owner, params }) => {
          const user = await findMember(actor, credential, owner, params.username);
          return empty(user !== null && (isInsider(actor, owner) || user.id === actor.id || (await isPublic(owner.owner, user))) ? 204 : 404);
        },
      ),
    )
    .delete(
      "/orgs/:org/members/:username",
      ...endpoint(
        {
          operationId: "orgDeleteMember",
          tag: "organization",
          summary: "Remove a member from an organization",
          description: "From all of its teams, and from its repositories.",
          scopes: ["organization"],
          may: { on: "organization", do: "manage" },
          signedIn: true,
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, credential, owner, params }) => {
          const user = await findMember(actor, credential, owner, params.username);
          if (user === null) {
            throw new NotFound("member", params.username);
          }
          await database.db.transaction((tx) => removeMember(tx, owner.owner, user));
          forge.log.info({ organization: owner.owner.name, member: user.name, actor: actor.name }, "Removed a member from an organization");
          return empty();
        },
      ),
    )
    .get(
      "/orgs/:org/public_members",
      ...endpoint(
        {
          ...see,
          operationId: "orgListPublicMembers",
          summary: "List the members of an organization whose membership is public",
          params: orgParams,
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The members, by name"), ...notFound },
        },
        (asked) => list(asked, "public"),
      ),
    )
    .get(
      "/orgs/:org/public_members/:username",
      ...endpoint(
        {
          ...see,
          operationId: "orgIsPublicMember",
          summary: "Tell whether a user is publicly a member of an organization",
          params: memberParams,
          responses: { ...done, ...no },
        },
        async ({ actor, credential, owner, params }) => empty((await isPublic(owner.owner, await findVisibleUser(database.db, { actor, credential }, params.username))) ? 204 : 404),
      ),
    )
    .put(
      "/orgs/:org/public_members/:username",
      ...endpoint(
        {
          ...belong,
          operationId: "orgPublicizeMember",
          summary: "Let everybody know of one's membership",
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, owner: { owner }, params }) => {
          await ownMembership(actor, owner, params.username);
          await database.db.transaction((tx) => insertPublicMember(tx, owner.id, actor.id));
          return empty();
        },
      ),
    )
    .delete(
      "/orgs/:org/public_members/:username",
      ...endpoint(
        {
          ...belong,
          operationId: "orgConcealMember",
          summary: "Conceal one's membership",
          params: memberParams,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, owner: { owner }, params }) => {
          await ownMembership(actor, owner, params.username);
          await database.db.transaction((tx) => deletePublicMember(tx, owner.id, actor.id));
          return empty();
        },
      ),
    );
}
