import { t } from "elysia";
import type { OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { createGpgKey, deleteGpgKey, verifyGpgKey } from "../../domain/identity/gpg-keys/create-gpg-key.ts";
import { proofToken, provesKey } from "../../domain/identity/gpg-keys/proof.ts";
import {
  findGpgKey,
  findGpgKeyByName,
  findVerifiedEmails,
  listGpgKeys,
} from "../../domain/identity/gpg-keys/queries.ts";
import { readGpgKey } from "../../domain/git/signatures/gpg-signature.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { bytes, created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentGpgKey } from "./gpg-present.ts";
import { CreateGPGKeyOption, GPGKey, VerifyGPGKeyOption } from "./gpg-schema.ts";

/** The OpenPGP keys with which users sign commits and tags. */
export function gpgKeyRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, owner: OwnerRow, query: { page?: number; limit?: number }) {
    const emails = await findVerifiedEmails(database.db, owner.id);
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listGpgKeys(database.db, owner.id, page),
      (row) => presentGpgKey(row, emails),
    );
  }

  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/gpg_key_token",
      {
        operationId: "getVerificationToken",
        summary: "Get the text whose signature proves that a key is one's own",
        responses: {
          200: {
            description: "The text, which changes every hour; the last one still counts",
            contentType: "text/plain",
          },
          ...notFound,
        },
      },
      ({ actor }) => bytes(proofToken(forge.keys.web, actor.id), "text/plain;charset=utf-8"),
    )
    .post(
      "/user/gpg_key_verify",
      {
        operationId: "userVerifyGPGKey",
        summary: "Prove that one has a key",
        body: VerifyGPGKeyOption,
        responses: { ...made(GPGKey, "The key"), ...notFound },
      },
      async ({ doer, actor, body }) => {
        const row = await findGpgKeyByName(database.db, actor.id, body.key_id.replaceAll(" ", "").toUpperCase());
        if (row === null) {
          throw new NotFound("OpenPGP key", body.key_id);
        }
        if (!(await provesKey(forge.keys.web, actor.id, row.content, body.armored_signature))) {
          throw new InvalidInput(
            "armored_signature is not a signature by this key over your token, which changes every hour",
            "armored_signature",
          );
        }
        const verified = await forge.change(doer, (work) => verifyGpgKey(work, row.id));
        return created(await presentGpgKey(verified ?? row, await findVerifiedEmails(database.db, actor.id)));
      },
    )
    .get(
      "/user/gpg_keys",
      {
        operationId: "userCurrentListGPGKeys",
        summary: "List one's own OpenPGP keys",
        query: pagingQuery,
        responses: ok(t.Array(GPGKey), "The keys, the oldest first"),
      },
      ({ request, actor, query }) => list(request, actor, query),
    )
    .post(
      "/user/gpg_keys",
      {
        operationId: "userCurrentPostGPGKey",
        summary: "Add an OpenPGP key",
        body: CreateGPGKeyOption,
        responses: { ...made(GPGKey, "The key"), ...notFound },
      },
      async ({ doer, actor, body }) => {
        const { armored_public_key: armored, armored_signature: signature } = body;
        const details = await readGpgKey(armored);
        const proved =
          signature !== undefined &&
          signature !== "" &&
          (await provesKey(forge.keys.web, actor.id, armored, signature));
        if (signature && !proved) {
          throw new InvalidInput(
            "armored_signature is not a signature by this key over your token, which changes every hour",
            "armored_signature",
          );
        }
        const row = await forge.change(doer, (work) => createGpgKey(work, actor, details, armored, proved));
        return created(await presentGpgKey(row, await findVerifiedEmails(database.db, actor.id)));
      },
    )
    .get(
      "/user/gpg_keys/:id",
      {
        operationId: "userCurrentGetGPGKey",
        summary: "Get one of one's own OpenPGP keys",
        params: { id: rowId("Id of the key") },
        responses: { ...ok(GPGKey, "The key"), ...notFound },
      },
      async ({ actor, params }) => {
        const row = await findGpgKey(database.db, actor.id, params.id);
        if (row === null) {
          throw new NotFound("OpenPGP key", String(params.id));
        }
        return presentGpgKey(row, await findVerifiedEmails(database.db, actor.id));
      },
    )
    .delete(
      "/user/gpg_keys/:id",
      {
        operationId: "userCurrentDeleteGPGKey",
        summary: "Remove one of one's own OpenPGP keys",
        description: "What it signed is no longer verified.",
        params: { id: rowId("Id of the key") },
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, params }) => {
        await forge.change(doer, (work) => deleteGpgKey(work, actor, params.id));
        return empty();
      },
    )
    .get(
      "/users/:username/gpg_keys",
      {
        operationId: "userListGPGKeys",
        summary: "List a user's OpenPGP keys",
        may: { on: "user", do: "see" },
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(GPGKey), "The keys, the oldest first"),
      },
      ({ request, owner, query }) => list(request, owner.owner, query),
    );
}
