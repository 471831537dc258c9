import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import type { ProtectionList } from "../../../db/schema/protections.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { findCandidateTeams, findCandidateUsers, neededMode, type Candidate } from "./list-queries.ts";

/** Names that are to be on a list; absent ones leave the list as it is. */
export interface ListInput {
  users?: readonly string[] | undefined;
  teams?: readonly string[] | undefined;
}

/** How the lists are called in requests and answers, in the words of the family; the list of who may delete is ours. */
export const listFields: Readonly<Record<ProtectionList, { readonly users: string; readonly teams: string }>> = {
  push: { users: "push_whitelist_usernames", teams: "push_whitelist_teams" },
  "force-push": { users: "force_push_allowlist_usernames", teams: "force_push_allowlist_teams" },
  delete: { users: "delete_allowlist_usernames", teams: "delete_allowlist_teams" },
  merge: { users: "merge_whitelist_usernames", teams: "merge_whitelist_teams" },
  approvals: { users: "approvals_whitelist_username", teams: "approvals_whitelist_teams" },
};

/** Users or teams of one list. */
const mostNames = 100;

/** Ids for a list. undefined: the list stays as it is. */
export interface ListedIds {
  users: number[] | undefined;
  teams: number[] | undefined;
}

/**
 * Finds the users and teams of these names who have the access to the repository that the list is about. Throws
 * InvalidInput, naming the field, for any other name: it does not say whether the user exists.
 */
export async function readList(
  tx: Transaction,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  input: ListInput,
  rule: { list: ProtectionList; fields: { users: string; teams: string } },
): Promise<ListedIds> {
  const needed = neededMode(rule.list);
  const toDo = needed === 1 ? "read" : "write to";
  if (owner.kind === "user" && (input.teams ?? []).length > 0) {
    throw new InvalidInput(
      `${rule.fields.teams} must be empty: "${owner.name}" is a user, and only repositories of organizations have teams`,
      rule.fields.teams,
    );
  }
  const read = async (
    names: readonly string[] | undefined,
    what: "user" | "team",
    find: (db: Transaction, repositoryId: number, lowerNames: readonly string[]) => Promise<Map<string, Candidate>>,
  ) => {
    if (names === undefined || names.length === 0) {
      return names === undefined ? undefined : [];
    }
    if (names.length > mostNames) {
      const field = rule.fields[`${what}s`];
      throw new InvalidInput(`${field} must have at most ${mostNames} names`, field);
    }
    const found = await find(tx, repository.id, [...new Set(names.map((name) => name.toLowerCase()))]);
    const ids = names.map((name) => {
      const candidate = found.get(name.toLowerCase());
      if (candidate === undefined || candidate.mode < needed) {
        const field = rule.fields[`${what}s`];
        throw new InvalidInput(
          `${field} names "${name.slice(0, 80)}", and there is no such ${what} that may ${toDo} the code of the repository`,
          field,
        );
      }
      return candidate.id;
    });
    return [...new Set(ids)];
  };
  return {
    users: await read(input.users, "user", findCandidateUsers),
    teams: await read(input.teams, "team", findCandidateTeams),
  };
}
