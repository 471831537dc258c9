import type { TSchema } from "elysia";
import type { DeclaredResponse } from "./endpoint.ts";
import { ErrorBody } from "./schema.ts";

const failure = <const Status extends number>(status: Status, description: string) =>
  ({ [status]: { description, schema: ErrorBody } }) as Record<
    Status,
    { description: string; schema: typeof ErrorBody }
  >;

/** 200 with JSON. */
export const ok = <Schema extends TSchema>(schema: Schema, description: string) => ({ 200: { description, schema } });
/** 201 with JSON. */
export const made = <Schema extends TSchema>(schema: Schema, description: string) => ({ 201: { description, schema } });
/** 202 with JSON. */
export const accepted = <Schema extends TSchema>(schema: Schema, description: string) => ({
  202: { description, schema },
});
/** 204 with nothing. */
export const done = { 204: { description: "Done" } };

export const badRequest = failure(400, "The request cannot be read");
export const signInNeeded = failure(401, "Nobody is signed in, or the credential is not valid");
export const forbidden = failure(403, "The caller or its token may not do this");
export const notFound = failure(404, "It does not exist, or the caller may not know of it");
/** The answer of questions with yes (204) or no: no body, whether the answer is no or there is nothing to ask about. */
export const no = {
  404: { description: "No; or one of those asked about does not exist, or the caller may not know of it" },
};
export const notAllowed = failure(405, "There is nothing of the kind that this could be done to");
export const protectedTag = failure(405, "A protection of tags keeps the caller from it");
export const conflict = failure(409, "It clashes with something that exists");
export const openDependencies = failure(412, "It depends on something that is open");
export const bodyTooLarge = failure(413, "The body is too large");
export const overQuota = failure(413, "It would take more room than the owner's quota has");
export const invalid = failure(422, "Something in the request is not valid; the message names it");
export const archived = failure(423, "The repository is archived");
/** Where a repository or an owner went that has another name now. */
export const moved = {
  307: { description: "The repository or its owner has another name now; Location is the same request there" },
};
/** The response to failures that any operation can have. */
export const unusual: DeclaredResponse = {
  description:
    "Any other failure, which is none of the operation's: the credential is not valid (401), nobody can be acted as (403, 404), the answer would be too large (413), too many failed sign-ins or too much at the same time (429), the server is at fault (500), busy or without its database (503), or out of space (507)",
  schema: ErrorBody,
};
