import { t, type Static } from "elysia";
import type { Actor } from "../../auth/subject.ts";
import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { integer, oneOf, pagingQuery, searchText } from "../common/schema.ts";

const modes = ["fork", "source", "mirror", "collaborative"] as const;
const sortKeys = ["alpha", "created", "updated", "size", "git_size", "lfs_size", "stars", "forks", "id"] as const;

export const searchQuery = t.Object({
  q: searchText("Words, separated by commas: in the name, in a topic, or as owner/name"),
  topic: t.Optional(t.Boolean({ description: "The words are whole topics" })),
  includeDesc: t.Optional(t.Boolean({ description: "The words may be in the description too" })),
  uid: t.Optional(integer({ description: "Id of an owner: what it owns or takes part in" })),
  exclusive: t.Optional(t.Boolean({ description: "With uid: only what it owns" })),
  priority_owner_id: t.Optional(integer({ description: "Id of an owner whose repositories come first" })),
  team_id: t.Optional(
    integer({ description: "Id of a team: what it has; for those who may look into the organization" }),
  ),
  starredBy: t.Optional(integer({ description: "Id of a user: what they have starred" })),
  private: t.Optional(t.Boolean({ description: "false: no private ones" })),
  is_private: t.Optional(t.Boolean({ description: "Only private ones, or only others" })),
  template: t.Optional(t.Boolean({ description: "Only templates, or only others" })),
  archived: t.Optional(t.Boolean({ description: "Only archived ones, or only others" })),
  mode: t.Optional(
    oneOf(
      modes,
      "fork: only forks; source: no forks; collaborative: what the owner of uid (or the caller) takes part in without owning it",
    ),
  ),
  sort: t.Optional(
    oneOf(
      sortKeys,
      "If neither this nor an order is given: by how well the words fit the name, or by name without words",
    ),
  ),
  order: t.Optional(oneOf(["asc", "desc"], "asc if absent")),
  ...pagingQuery,
});

type Query = Static<typeof searchQuery>;

const sortColumns: Record<(typeof sortKeys)[number], RepositoryOrder["by"]> = {
  alpha: "name",
  created: "created",
  updated: "updated",
  size: "size",
  git_size: "git-size",
  lfs_size: "lfs-size",
  stars: "stars",
  forks: "forks",
  id: "id",
};

export function readOrder(query: Query): RepositoryOrder {
  const { sort, order, priority_owner_id: firstOwnerId } = query;
  const isRanked = sort === undefined && order === undefined && wordsOf(query).length > 0;
  return {
    by: isRanked ? "relevance" : sortColumns[sort ?? "alpha"],
    descending: order === "desc",
    ...(firstOwnerId === undefined ? {} : { firstOwnerId }),
  };
}

function wordsOf({ q = "" }: Query): string[] {
  return q
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** Each word is looked for in every repository. */
const maxWords = 30;

/** Throws InvalidInput for too many words. */
export function readFilter(query: Query, actor: Actor | null): RepositoryFilter {
  const words = wordsOf(query);
  if (words.length > maxWords) {
    throw new InvalidInput(`q has ${words.length} words; ${maxWords} are the most`, "q");
  }
  const privacy = query.is_private ?? (query.private === false ? false : undefined);
  return {
    ...readOwner(query, actor),
    ...(words.length === 0
      ? {}
      : { keywords: { words, inDescription: query.includeDesc ?? false, topicOnly: query.topic ?? false } }),
    ...(privacy === undefined ? {} : { private: privacy }),
    ...(query.template === undefined ? {} : { template: query.template }),
    ...(query.archived === undefined ? {} : { archived: query.archived }),
    ...(query.team_id === undefined ? {} : { teamId: query.team_id }),
    ...(query.starredBy === undefined ? {} : { starredBy: query.starredBy }),
    ...(query.mode === "fork" || query.mode === "source" ? { fork: query.mode === "fork" } : {}),
    ...(query.mode === "mirror" ? { mirror: true as const } : {}),
    ...(contradicts(query) ? { none: true } : {}),
  };
}

/** Asking for private ones and for none of them. */
function contradicts(query: Query): boolean {
  return query.private === false && query.is_private === true;
}

function readOwner({ uid, exclusive, mode }: Query, actor: Actor | null): RepositoryFilter {
  if (mode === "collaborative") {
    const id = uid ?? actor?.id;
    return id === undefined || exclusive === true ? { none: true } : { collaboratorId: id };
  }
  return uid === undefined ? {} : exclusive === true ? { ownerId: uid } : { participantId: uid };
}
