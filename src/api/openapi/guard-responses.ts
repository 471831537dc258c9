import { isWrite, type DeclaredResponse, type EndpointSpec } from "../common/endpoint.ts";
import type { OpenApiMethod } from "./types.ts";
import { needsSomebody } from "./security.ts";
import {
  archived,
  badRequest,
  bodyTooLarge,
  conflict,
  forbidden,
  invalid,
  moved,
  notAllowed,
  notFound,
  signInNeeded,
  unusual,
} from "../common/responses.ts";

/** Failures that many operations share, under the names that the family's document gives them. */
export const sharedResponses: Readonly<Record<string, DeclaredResponse>> = {
  error: pick(badRequest),
  unauthorized: pick(signInNeeded),
  forbidden: pick(forbidden),
  notFound: pick(notFound),
  conflict: pick(conflict),
  bodyTooLarge: pick(bodyTooLarge),
  validationError: pick(invalid),
  repoArchivedError: pick(archived),
  repoMoved: pick(moved),
  unusual,
};

function pick(declared: Record<number, DeclaredResponse>): DeclaredResponse {
  const [response] = Object.values(declared);
  return response ?? { description: "" };
}

function hasCheckedText(spec: EndpointSpec): boolean {
  const properties: Record<string, unknown> = { ...spec.params?.properties, ...spec.query?.properties };
  return Object.values(properties).some((property) => {
    const {
      type,
      enum: values,
      format,
      pattern,
    } = property as { type?: string; enum?: unknown; format?: string; pattern?: string };
    return type !== "string" || values !== undefined || format !== undefined || pattern !== undefined;
  });
}

/**
 * Returns the responses of the guards before a handler, from the declaration that `prepareEndpoint` uses. A response
 * that the operation declares for the same status replaces them.
 */
export function guardResponses(spec: EndpointSpec, method: OpenApiMethod): Record<number, DeclaredResponse> {
  const also = Object.values(spec.also ?? {});
  const hasBody = spec.body !== undefined || spec.upload !== undefined;
  return {
    ...((spec.may.on === "repository" && spec.params?.properties["repo"] !== undefined) ||
    ["owner", "organization", "user"].includes(spec.may.on)
      ? moved
      : {}),
    // The address may be broken, the body too.
    ...(!hasBody && spec.params === undefined ? {} : badRequest),
    ...(hasBody ? bodyTooLarge : {}),
    ...(needsSomebody(spec) ? signInNeeded : {}),
    ...(spec.scopes.length > 0 ? forbidden : {}),
    ...(["repository", "owner", "organization", "user", "team"].includes(spec.may.on) ||
    also.some(({ absent }) => absent === undefined)
      ? notFound
      : {}),
    ...((spec.body !== undefined && spec.body !== "text") ||
    hasCheckedText(spec) ||
    also.some(({ absent }) => absent === "invalid")
      ? invalid
      : {}),
    ...(also.some(({ may }) => may.on === "team") && spec.may.on === "repository" ? notAllowed : {}),
    ...(spec.may.on === "repository" && isWrite(method.toUpperCase()) && spec.onArchived !== "allowed" ? archived : {}),
  };
}
