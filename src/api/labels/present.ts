import type { Static } from "elysia";
import type { Label } from "./schema.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { LabelRow } from "../../domain/work/issues/queries.ts";
import { presentInstant } from "../common/instants.ts";
import { PresentedRows } from "../common/presented-rows.ts";

/** Where labels are shown. `repository` is null for those of an organization. */
interface Home {
  owner: { name: string };
  repository: { name: string } | null;
}

const presented = new PresentedRows<LabelRow, ReturnType<typeof makeLabel>>();

/** A label as the family's Label, as one of a repository or of its organization. */
export function presentLabel(addresses: Addresses, { owner, repository }: Home, row: LabelRow): Static<typeof Label> {
  const path =
    repository === null || row.repositoryId === null
      ? addresses.organizationApi(owner.name, "/labels/")
      : addresses.repositoryApi(owner.name, repository.name, "/labels/");
  return presented.present(row, path, 0, () => makeLabel(row, path));
}

function makeLabel(row: LabelRow, path: string) {
  return {
    archived_at: presentInstant(row.archivedAt),
    color: row.color,
    description: row.description,
    exclusive: row.exclusive,
    id: row.id,
    is_archived: row.archivedAt !== null,
    name: row.name,
    url: `${path}${row.id}`,
  };
}
