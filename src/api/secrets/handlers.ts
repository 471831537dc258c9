import type { Doer } from "../../domain/doer.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { deleteSecret, setSecret } from "../../domain/secrets/edit-secret.ts";
import { createVariable, deleteVariable, editVariable } from "../../domain/secrets/edit-variable.ts";
import type { Holder } from "../../domain/secrets/holder.ts";
import { findVariable, listSecrets, listVariables, type VariableRow } from "../../domain/secrets/queries.ts";
import { readSecretName } from "../../domain/secrets/secret-name.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";

interface Listing {
  request: Request;
  query: { page?: number; limit?: number };
}

function presentVariable({ ownerId, repositoryId, name, value }: VariableRow) {
  return { owner_id: ownerId ?? 0, repo_id: repositoryId ?? 0, name, data: value };
}

/** What the operations on secrets and variables do, the same for users, organizations and repositories. */
export function secretHandlers(forge: Forge) {
  const { db } = forge.database;
  const { base } = forge.addresses;
  return {
    listSecrets: ({ request, query }: Listing, holder: Holder) =>
      pageOf(
        { request, query, base },
        (page) => listSecrets(db, holder, page),
        ({ name, createdAt }) => ({ name, created_at: presentInstant(createdAt) }),
      ),
    setSecret: async (doer: Doer, holder: Holder, name: string, { data }: { data: string }) => {
      const isNew = await forge.change(doer, (work) => setSecret(work, forge.keys.seal, holder, { name, value: data }));
      return isNew ? empty(201) : empty(204);
    },
    deleteSecret: async (doer: Doer, holder: Holder, name: string) => {
      await forge.change(doer, (work) => deleteSecret(work, holder, name));
      return empty();
    },
    listVariables: ({ request, query }: Listing, holder: Holder) =>
      pageOf({ request, query, base }, (page) => listVariables(db, holder, page), presentVariable),
    getVariable: async (holder: Holder, given: string) => {
      const name = readSecretName(given);
      const row = await findVariable(db, holder, name);
      if (row === null) {
        throw new NotFound("variable", name);
      }
      return presentVariable(row);
    },
    createVariable: async (doer: Doer, holder: Holder, name: string, { value }: { value: string }) => {
      await forge.change(doer, (work) => createVariable(work, holder, { name, value }));
      return empty();
    },
    editVariable: async (
      doer: Doer,
      holder: Holder,
      name: string,
      { value, name: rename }: { value: string; name?: string },
    ) => {
      await forge.change(doer, (work) => editVariable(work, holder, name, { value, rename }));
      return empty();
    },
    deleteVariable: async (doer: Doer, holder: Holder, name: string) => {
      await forge.change(doer, (work) => deleteVariable(work, holder, name));
      return empty();
    },
  };
}
