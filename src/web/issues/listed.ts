import { accessModes } from "../../db/schema/owners.ts";
import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueFilter, IssuePlace } from "../../domain/work/issues/list-filter.ts";
import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import { identifyVisitor } from "../../http/identify-visitor.ts";
import { issuesLink, ownerLink, repositoryLink } from "../links.ts";
import type { Visit } from "../visit.ts";
import { readIssueQuery, userQualifiers, writeIssueQuery, type IssueQuery } from "./issue-query.ts";

/** A list of issues, of pull requests, or of both, that is searched: where it is, and what belongs to it. */
export interface Listed {
  /** Its address. */
  readonly base: string;
  /** Each value says whether it has pull requests. */
  readonly kinds: readonly boolean[];
  /** null: it is of several repositories. */
  readonly access: RepositoryAccess | null;
  /** Whose repositories it is of; null: the visitor's own, and those that they were given. */
  readonly organization: OwnerRow | null;
  readonly milestone: MilestoneRow | null;
}

export function ofRepository(visit: Visit, access: RepositoryAccess, isPull: boolean): Listed {
  const base = issuesLink(visit.root, access, { isPull });
  return { base, kinds: [isPull], access, organization: null, milestone: null };
}

export function ofMilestone(visit: Visit, access: RepositoryAccess, milestone: MilestoneRow): Listed {
  const base = `${repositoryLink(visit.root, access)}/milestone/${milestone.id}`;
  const kinds = [false, true].filter((isPull) => access.units[isPull ? "pulls" : "issues"] >= accessModes.read);
  return { base, kinds, access, organization: null, milestone };
}

export function ofVisitor({ root }: Visit, isPull: boolean): Listed {
  const base = `${root}/${isPull ? "pulls" : "issues"}`;
  return { base, kinds: [isPull], access: null, organization: null, milestone: null };
}

export function ofOrganization({ root }: Visit, organization: OwnerRow, isPull: boolean): Listed {
  const base = `${ownerLink(`${root}/org`, organization.name)}/${isPull ? "pulls" : "issues"}`;
  return { base, kinds: [isPull], access: null, organization, milestone: null };
}

/** How what a list has is called. */
export function wordsOf({ kinds }: Listed): string {
  return kinds.length > 1 ? "issues and pull requests" : kinds[0] === true ? "pull requests" : "issues";
}

/** The address of a list that is searched. */
export function searchAddress({ base }: Listed, query: IssueQuery): string {
  return `${base}?${new URLSearchParams({ q: writeIssueQuery(query) }).toString()}`;
}

/** The address of a form of a list, whose answer is the list as it is now. */
export function formAddress({ query }: Visit, { base }: Listed, path: string): string {
  return `${base}/${path}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** The search that the address of a list, or of one of its forms, has. */
export function askedQuery({ query }: Visit): IssueQuery {
  return readIssueQuery(query.get("q") ?? (query.get("state") === "closed" ? "is:closed" : ""));
}

/** The repository that `repo:` names, if it is one of the list's and the visitor may read its issues, or its pull requests. */
async function namedRepository(
  forge: Forge,
  visit: Visit,
  { organization, kinds }: Listed,
  name: string,
): Promise<RepositoryAccess | null> {
  const [, ownerName, repositoryName] = /^([^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (ownerName === undefined || repositoryName === undefined) {
    return null;
  }
  const { subject } = await identifyVisitor(forge, visit.request, { ownerName, repositoryName });
  const access = subject.repository;
  const isOne =
    access !== null &&
    (organization === null || organization.id === access.owner.id) &&
    kinds.every((isPull) => access.units[isPull ? "pulls" : "issues"] >= accessModes.read);
  return isOne ? access : null;
}

/** Ids of the users whom a search names, by its fields; null: one of them is somebody of whom the visitor knows nothing. */
async function usersOf(
  forge: Forge,
  visit: Visit,
  { kinds }: Listed,
  query: IssueQuery,
): Promise<Partial<Record<(typeof idFields)[keyof typeof idFields], number>> | null> {
  const fields = Object.values(userQualifiers).filter(
    (field) => kinds.includes(true) || (field !== "reviewRequested" && field !== "reviewedBy"),
  );
  const found = await Promise.all(
    fields.map(async (field) => {
      const name = query[field];
      const user =
        name === null
          ? undefined
          : name === "@me"
            ? visit.actor
            : await findVisibleUser(forge.database.db, visit, name);
      return user === null ? null : user === undefined ? [] : [[idFields[field], user.id] as const];
    }),
  );
  return found.some((one) => one === null) ? null : Object.fromEntries(found.flatMap((one) => one ?? []));
}

const idFields = {
  author: "authorId",
  assignee: "assigneeId",
  mentions: "mentionedId",
  reviewRequested: "reviewRequestedId",
  reviewedBy: "reviewedById",
} as const satisfies Record<(typeof userQualifiers)[keyof typeof userQualifiers], keyof IssueFilter>;

/** What is asked of the database. */
export interface Search {
  readonly place: IssuePlace;
  readonly filter: IssueFilter;
}

/** Returns what a search of a list asks for; null: it names somebody or something that is not there for the visitor, so nothing matches. */
export async function searchOf(forge: Forge, visit: Visit, list: Listed, query: IssueQuery): Promise<Search | null> {
  const { access, organization, milestone, kinds } = list;
  const { labels, withoutLabels, without, text, repository } = query;
  const [users, named] = await Promise.all([
    usersOf(forge, visit, list, query),
    access !== null || repository === null ? access : namedRepository(forge, visit, list, repository),
  ]);
  if (users === null || (repository !== null && named === null)) {
    return null;
  }
  // What is about the visitor is listed wherever it is; all else, of the repositories that they take part in.
  const isAboutVisitor = visit.actor !== null && Object.values(users).includes(visit.actor.id);
  const place: IssuePlace =
    named !== null
      ? { repositoryId: named.repository.id, ownerId: named.owner.id }
      : organization !== null
        ? { repositoryId: null, ownerId: organization.id }
        : { repositoryId: null, ...(isAboutVisitor ? {} : { ofViewer: true }) };
  const filter: IssueFilter = {
    kinds,
    states: query.state === "all" ? [true, false] : [query.state === "open"],
    text: text === "" ? undefined : text,
    labels: labels.length === 0 ? undefined : labels,
    withoutLabels: withoutLabels.length === 0 ? undefined : withoutLabels,
    milestones: query.milestone === null ? undefined : [query.milestone],
    milestoneId: milestone?.id,
    hasNoLabel: without.includes("label") ? true : undefined,
    hasNoMilestone: without.includes("milestone") ? true : undefined,
    hasNoAssignee: without.includes("assignee") ? true : undefined,
    ...users,
  };
  return { place, filter };
}
