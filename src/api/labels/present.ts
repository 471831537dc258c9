import type { Addresses } from "../../domain/addresses.ts";
import type { LabelRow } from "../../domain/issues/queries.ts";

/** Where labels are shown. `repository` is null for those of an organization. */
interface Home {
  owner: { name: string };
  repository: { name: string } | null;
}

/** A label as the family's Label, as one of a repository or of its organization. */
export function presentLabel(addresses: Addresses, { owner, repository }: Home, row: LabelRow) {
  return {
    archived_at: row.archivedAt?.toISOString() ?? null,
    color: row.color,
    description: row.description,
    exclusive: row.exclusive,
    id: row.id,
    is_archived: row.archivedAt !== null,
    name: row.name,
    url:
      repository === null || row.repositoryId === null
        ? addresses.api(`/orgs/${encodeURIComponent(owner.name)}/labels/${row.id}`)
        : addresses.repositoryApi(owner.name, repository.name, `/labels/${row.id}`),
  };
}
