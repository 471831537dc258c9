import type { Actor, Credential } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import {
  beginTwoFactor,
  confirmTwoFactor,
  removeTwoFactor,
  renewRecoveryCodes,
} from "../../domain/identity/two-factor/enrolment.ts";
import { findTwoFactor } from "../../domain/identity/two-factor/queries.ts";
import { findUserByName } from "../../domain/identity/users/queries.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, notFound, ok } from "../common/responses.ts";
import { RecoveryCodes, TwoFactorCode, TwoFactorSecret, TwoFactorState } from "./schema.ts";

/** A leaked token must not lock its user out, nor take the second factor away. */
function requirePassword(actor: Actor, credential: Credential): void {
  if (credential.kind !== "password") {
    throw new Forbidden(`Two-factor authentication is managed with the password of "${actor.name}"`);
  }
}

/** The second factor of the own account (RFC 6238), from here on; and taking it from somebody who lost it. */
export function twoFactorRoutes({ forge, group }: Api) {
  const { database } = forge;
  const enrolling = (actor: Actor) => ({
    user: actor,
    key: forge.keys.seal,
    issuer: new URL(forge.addresses.own.base).host,
  });
  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/two_factor",
      {
        operationId: "userGetTwoFactor",
        summary: "Tell whether two-factor authentication is on",
        responses: ok(TwoFactorState, "Its state"),
      },
      async ({ actor }) => {
        const found = await findTwoFactor(database.db, actor.id);
        return {
          enabled: found !== null,
          enabled_at: presentInstant(found?.createdAt),
          recovery_codes_left: found?.recoveryCodesLeft ?? 0,
        };
      },
    )
    .post(
      "/user/two_factor",
      {
        operationId: "userBeginTwoFactor",
        summary: "Make a secret for two-factor authentication",
        description: "It counts once a first code confirms it. Needs the user's password.",
        responses: { ...made(TwoFactorSecret, "The secret"), ...conflict },
      },
      async ({ doer, actor, credential }) => {
        requirePassword(actor, credential);
        const { secret, address } = await forge.change(doer, (work) => beginTwoFactor(work, enrolling(actor)));
        return created({ secret, url: address });
      },
    )
    .put(
      "/user/two_factor",
      {
        operationId: "userConfirmTwoFactor",
        summary: "Turn two-factor authentication on with a first code",
        description: "From now on the password needs a code. Needs the user's password.",
        body: TwoFactorCode,
        responses: { ...ok(RecoveryCodes, "It is on"), ...notFound, ...conflict },
      },
      async ({ doer, actor, credential, body }) => {
        requirePassword(actor, credential);
        return {
          recovery_codes: await forge.change(doer, (work) => confirmTwoFactor(work, enrolling(actor), body.code)),
        };
      },
    )
    .post(
      "/user/two_factor/recovery_codes",
      {
        operationId: "userRenewRecoveryCodes",
        summary: "Make new recovery codes in place of the old ones",
        description: "Needs the user's password with a code.",
        responses: { ...made(RecoveryCodes, "The new codes"), ...notFound },
      },
      async ({ doer, actor, credential }) => {
        requirePassword(actor, credential);
        return created({ recovery_codes: await forge.change(doer, (work) => renewRecoveryCodes(work, actor)) });
      },
    )
    .delete(
      "/user/two_factor",
      {
        operationId: "userRemoveTwoFactor",
        summary: "Turn two-factor authentication off",
        description:
          "Needs the user's password with a code; without one only what was begun and not confirmed can be dropped.",
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, credential }) => {
        requirePassword(actor, credential);
        await forge.change(doer, (work) => removeTwoFactor(work, actor));
        return empty();
      },
    )
    .delete(
      "/admin/users/:username/two_factor",
      {
        operationId: "adminRemoveTwoFactor",
        summary: "Turn a user's two-factor authentication off",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params }) => {
        await forge.change(doer, async (work) => {
          const user = await findUserByName(work.tx, params.username);
          if (user === null) {
            throw new NotFound("user", params.username);
          }
          await removeTwoFactor(work, user);
        });
        return empty();
      },
    );
}
