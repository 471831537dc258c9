import { Elysia, t } from "elysia";
import type { Actor, Credential } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../../domain/errors.ts";
import { beginTwoFactor, confirmTwoFactor, removeTwoFactor, renewRecoveryCodes } from "../../domain/two-factor/enrolment.ts";
import { findTwoFactor } from "../../domain/two-factor/queries.ts";
import { findUserByName } from "../../domain/users/queries.ts";
import type { Api } from "../common/api.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { RecoveryCodes, TwoFactorCode, TwoFactorSecret, TwoFactorState } from "./schema.ts";

const own = { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" }, signedIn: true } as const;

/** A leaked token must not lock its user out, nor take the second factor away. */
function requirePassword(actor: Actor, credential: Credential): void {
  if (credential.kind !== "password") {
    throw new Forbidden(`Two-factor authentication is managed with the password of "${actor.name}"`);
  }
}

/** The second factor of the own account (RFC 6238), from here on; and taking it from somebody who lost it. */
export function twoFactorRoutes({ forge, endpoint }: Api) {
  const { database } = forge;
  const enrolling = (actor: Actor) => ({ user: actor, key: forge.sealKey, issuer: new URL(forge.addresses.base).host });
  return new Elysia()
    .get(
      "/user/two_factor",
      ...endpoint(
        {
          ...own,
          operationId: "userGetTwoFactor",
          summary: "Tell whether two-factor authentication is on",
          responses: { ...ok(TwoFactorState, "Its state"), ...signInNeeded, ...forbidden },
        },
        async ({ actor }) => {
          const found = await findTwoFactor(database.db, actor.id);
          return { enabled: found !== null, enabled_at: found?.createdAt.toISOString() ?? null, recovery_codes_left: found?.recoveryCodesLeft ?? 0 };
        },
      ),
    )
    .post(
      "/user/two_factor",
      ...endpoint(
        {
          ...own,
          operationId: "userBeginTwoFactor",
          summary: "Make a secret for two-factor authentication",
          description: "It counts once a first code confirms it. Needs the user's password.",
          responses: { ...made(TwoFactorSecret, "The secret"), ...signInNeeded, ...forbidden, ...conflict },
        },
        async ({ actor, credential }) => {
          requirePassword(actor, credential);
          const { secret, address } = await database.db.transaction((tx) => beginTwoFactor(tx, enrolling(actor)));
          return created({ secret, url: address });
        },
      ),
    )
    .put(
      "/user/two_factor",
      ...endpoint(
        {
          ...own,
          operationId: "userConfirmTwoFactor",
          summary: "Turn two-factor authentication on with a first code",
          description: "From now on the password needs a code. Needs the user's password.",
          body: TwoFactorCode,
          responses: { ...ok(RecoveryCodes, "It is on"), ...signInNeeded, ...forbidden, ...notFound, ...conflict, ...invalid },
        },
        async ({ actor, credential, body }) => {
          requirePassword(actor, credential);
          return { recovery_codes: await database.db.transaction((tx) => confirmTwoFactor(tx, enrolling(actor), body.code)) };
        },
      ),
    )
    .post(
      "/user/two_factor/recovery_codes",
      ...endpoint(
        {
          ...own,
          operationId: "userRenewRecoveryCodes",
          summary: "Make new recovery codes in place of the old ones",
          description: "Needs the user's password with a code.",
          responses: { ...made(RecoveryCodes, "The new codes"), ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, credential }) => {
          requirePassword(actor, credential);
          return created({ recovery_codes: await database.db.transaction((tx) => renewRecoveryCodes(tx, actor)) });
        },
      ),
    )
    .delete(
      "/user/two_factor",
      ...endpoint(
        {
          ...own,
          operationId: "userRemoveTwoFactor",
          summary: "Turn two-factor authentication off",
          description: "Needs the user's password with a code; without one only what was begun and not confirmed can be dropped.",
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, credential }) => {
          requirePassword(actor, credential);
          await database.db.transaction((tx) => removeTwoFactor(tx, actor));
          return empty();
        },
      ),
    )
    .delete(
      "/admin/users/:username/two_factor",
      ...endpoint(
        {
          operationId: "adminRemoveTwoFactor",
          tag: "admin",
          summary: "Turn a user's two-factor authentication off",
          scopes: ["admin"],
          may: { on: "instance", do: "administer" },
          signedIn: true,
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ params }) => {
          await database.db.transaction(async (tx) => {
            const user = await findUserByName(tx, params.username);
            if (user === null) {
              throw new NotFound("user", params.username);
            }
            await removeTwoFactor(tx, user);
          });
          return empty();
        },
      ),
    );
}
