import type { Static } from "elysia";
import type { CombinedStatus, CommitStatus } from "./schema.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { RepositoryWithParent } from "../../domain/repos/forks/with-parent.ts";
import { combineStates } from "../../domain/repos/statuses/combine-states.ts";
import type { ShownStatus } from "../../domain/repos/statuses/queries.ts";
import { presentRepository } from "../repos/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/** A status as the family's CommitStatus. Its creator is shown as a stranger sees them. */
export function presentStatus(
  addresses: Addresses,
  access: RepositoryAccess,
  { status, creator }: ShownStatus,
): Static<typeof CommitStatus> {
  const { owner, repository } = access;
  const oid = Buffer.from(status.oid).toString("hex");
  const createdAt = presentInstant(status.createdAt);
  return {
    id: status.id,
    status: status.state,
    target_url: status.targetUrl,
    description: status.description,
    url: addresses.repositoryApi(owner.name, repository.name, `/statuses/${oid}`),
    context: status.context,
    creator: creator === null ? null : presentOwner(addresses, creator, null),
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** The state of a commit as the family's CombinedStatus. `states`: those of all its contexts; `rows`: a page of them. */
export function presentCombinedStatus(
  addresses: Addresses,
  access: RepositoryWithParent,
  viewer: Actor | null,
  oid: string,
  found: { rows: readonly ShownStatus[]; total: number; states: readonly StatusState[] },
): Static<typeof CombinedStatus> {
  const [owner, name] = [access.owner.name, access.repository.name];
  return {
    state: combineStates(found.states),
    sha: oid,
    total_count: found.total,
    statuses: found.rows.map((row) => presentStatus(addresses, access, row)),
    repository: presentRepository(addresses, access, viewer),
    commit_url: addresses.gitApi(owner, name, "commits", oid),
    url: addresses.repositoryApi(owner, name, `/commits/${oid}/status`),
  };
}
