import type { Actor, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { listCreatingOrganizations } from "../../domain/identity/orgs/queries.ts";
import type { Creation } from "../../domain/repos/create-repository.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { field } from "../parts/field.ts";

/** For whom the visitor may create repositories: themselves first. */
export async function possibleOwners(forge: Forge, actor: Actor): Promise<OwnerRow[]> {
  return [actor, ...(await listCreatingOrganizations(forge.database.db, actor.id))];
}

/** The field that chooses the owner of a new repository. */
export function ownerField(refused: Refusal | null, owners: readonly OwnerRow[], chosen: string): Html {
  const options = owners.map(
    ({ name }) =>
      html`<option value="${name}"${name.toLowerCase() === chosen.toLowerCase() && html` selected`}>${name}</option>`,
  );
  return field(
    refused,
    { name: "owner", label: "Owner" },
    (attributes) => html`<select ${attributes}>${options}</select>`,
  );
}

/** A repository's owner to be, as the use cases want to know it. */
export function creationOf(actor: Actor, { owner, membership }: OwnerAccess): Creation {
  return { owner, ownsOwner: actor.isAdmin || owner.kind === "user" || membership === accessModes.owner };
}
