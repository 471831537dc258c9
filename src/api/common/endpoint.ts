import type { Static, t, TSchema } from "elysia";
import type { Action } from "../../auth/authorize.ts";
import type { ScopeCategory } from "../../auth/scopes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess } from "../../auth/subject.ts";
import type { Target } from "../../auth/find-subject.ts";
import { demandTo, guard } from "../../domain/spine/guard.ts";
import { permitOn, type Permit } from "../../domain/spine/permit.ts";
import { doerOf, type Doer, type UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { demandOfEditor } from "../../domain/work/pulls/maintainer-push.ts";
import { errorResponse } from "./errors.ts";
import { bodyReader, textReader } from "./input.ts";
import { readJson } from "../../http/json-body.ts";
import { MalformedBody, readText } from "../../http/request-body.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { StagedJson } from "../../http/staged-json.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { addressToday, isNamedByPath } from "./moved.ts";
import type { Answer, Bytes, Nothing } from "./reply.ts";
import { readParams } from "../../http/read-params.ts";
import { answer } from "./respond.ts";
import { findSecondTargets, type SecondAccess, type SecondTarget } from "./second-targets.ts";

type ObjectSchema = ReturnType<typeof t.Object>;

/** A response an endpoint can return: JSON with a schema, bytes with a media type, or no body. */
export interface DeclaredResponse {
  description: string;
  schema?: TSchema;
  /** Another schema of the same status, which the OpenAPI documents of Gitea and Forgejo do not mention. */
  or?: TSchema;
  contentType?: string;
}

/** The declaration of an operation. The guards and the OpenAPI document are both made from it, so they always agree. */
export interface EndpointSpec {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  deprecated?: true;
  /** The scope categories that a token needs, all of them. The method decides the level. */
  scopes: readonly ScopeCategory[];
  /**
   * The operation gives somebody access, or makes a credential or a secret of one, that opens these categories beside `scopes`: a
   * token needs them, too, at the level "write", and one for public things only may not call it. Giving access needs what it opens.
   * "by some changes": the use case finds whether a change does, and calls `demandToOpen`.
   * `test/security/gives-access.test.ts` lists the operations.
   */
  givesAccess?: readonly ScopeCategory[] | "by some changes";
  /** The action that `authorize` decides about. The path's parameters name the resource. */
  may: Action;
  /** The second targets, by name. */
  also?: Readonly<Record<string, SecondTarget>>;
  /** The operation needs a signed-in user, even if the resource is public. */
  signedIn?: true;
  /**
   * With write access to code as `may`: also for maintainers of the base of an open pull request from a branch of it that they may edit. The
   * handler decides about the branch (`findEditor`).
   */
  forEditors?: true;
  /** Lets a writing method work on an archived repository. Without it, the guard refuses with 423. */
  onArchived?: "allowed";
  params?: ObjectSchema;
  query?: ObjectSchema;
  /** The schema of a JSON body, or "text". */
  body?: TSchema | "text";
  /** A body that is not JSON is invalid input (422), where the specification knows no other failure. */
  malformedIsInvalid?: true;
  /**
   * The operation takes a file, which the handler reads from the request as it arrives: as a form of these fields, and with
   * `raw` also as the body itself.
   */
  upload?: { form: ObjectSchema; raw: boolean };
  /** "content" takes `api.content_limit_bytes` in place of `api.body_limit_bytes`. */
  bodyLimit?: "content";
  /** The key of base64 strings in the body. Large ones are decoded into files, which the handler gets from `staged`. */
  stages?: string;
  /** The path parameter that the route's `*` stands for. It may contain slashes, plain or as %2F. */
  rest?: string;
  responses: Record<number, DeclaredResponse>;
}

/** A status as a number type. TypeScript infers some numeric keys as strings. */
type NumberOf<Key> = Key extends number ? Key : Key extends `${infer Status extends number}` ? Status : never;

/** A value as JSON takes it: nothing is changed on the way, so what cannot be changed will do. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Sent<Value[Key]> }
    : Value;

type AnswerOf<Status extends number, Response> =
  | (Response extends { schema: infer Schema extends TSchema }
      ? Answer<Status, Sent<Static<Schema>>> | (Status extends 200 ? Sent<Static<Schema>> : never)
      : Response extends { contentType: string }
        ? Answer<Status, Bytes>
        : Answer<Status, Nothing>)
  | (Response extends { or: infer Schema extends TSchema } ? AnswerOf<Status, { schema: Schema }> : never);

/**
 * The result of a handler: a value of the schema that is declared for 200, or an answer with another declared success
 * status. A 404 without a schema is the "no" of a question and also an answer. For every other failure a handler
 * throws.
 */
export type Result<Responses> = {
  [Key in keyof Responses]: NumberOf<Key> extends 200 | 201 | 202 | 204 | 205 | 302
    ? AnswerOf<NumberOf<Key>, Responses[Key]>
    : NumberOf<Key> extends 404
      ? Responses[Key] extends { schema: TSchema }
        ? never
        : Answer<404, Nothing>
      : never;
}[keyof Responses];

type Declared<Schema> = Schema extends TSchema ? Static<Schema> : Record<never, never>;

/** The argument of a handler, after all checks. */
export interface Context<May extends Action, SignedIn, Params, Query, Body, Stages, Also = undefined> {
  request: Request;
  actor: SignedIn extends true ? Actor : Actor | null;
  credential: Credential;
  /** The doer to pass to `forge.change`, which checks again what the guard allowed. */
  doer: SignedIn extends true ? UserDoer : Doer;
  /** The repository of the path, if `may` is about one. */
  repository: May["on"] extends "repository" ? RepositoryAccess : null;
  /** The owner of the path, where `may` is about one; of a repository its owner, of a team its organization. */
  owner: May["on"] extends "owner" | "organization" | "user" | "repository"
    ? OwnerAccess
    : May["on"] extends "team"
      ? OwnerAccess & { team: { id: number } }
      : null;
  /** The second targets, by their declared names. */
  also: Also extends Readonly<Record<string, SecondTarget>>
    ? { [Name in keyof Also]: SecondAccess<Also[Name]> }
    : Record<never, never>;
  params: Params;
  query: Query;
  body: Body extends "text" ? string : Declared<Body>;
  /** The body with its large values in files, if `stages` is declared. The files exist while the handler runs. */
  staged: Stages extends string ? StagedJson : null;
  /** Aborted when the client disconnects or the time limit ends. */
  signal: AbortSignal;
}

export type Handled<Spec extends EndpointSpec> = Context<
  Spec["may"],
  Spec["signedIn"],
  Declared<Spec["params"]>,
  Declared<Spec["query"]>,
  Spec["body"],
  Spec["stages"]
>;

/** The part of Elysia's context that is used. The rest is not passed on. */
export interface RouteContext {
  request: Request;
  params?: Record<string, string>;
}

export type RouteHandler = (context: RouteContext) => Promise<Response>;

const specs = new WeakMap<object, EndpointSpec>();

/** Returns the declaration of a route's handler, or null if the route is not an API operation. */
export function findEndpointSpec(handler: unknown): EndpointSpec | null {
  return typeof handler === "function" ? (specs.get(handler) ?? null) : null;
}

/** Whether the method writes: it needs write scopes, and archived repositories refuse it. */
export function isWrite(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Returns all scope categories that a token needs. */
export function scopesOf({ scopes, givesAccess = [] }: EndpointSpec): ScopeCategory[] {
  return [...new Set([...scopes, ...(givesAccess === "by some changes" ? [] : givesAccess)])];
}

/** Returns what a request for the operation needs. The parameters of its path name the resource. */
function permitOf(
  spec: EndpointSpec,
  method: string,
  { org, username, owner, repo, id }: Record<string, string>,
): Permit {
  const demand = demandTo(spec.may, isWrite(method) ? "write" : "read", scopesOf(spec), {
    signedIn: spec.signedIn === true,
    onArchived: spec.onArchived,
    givesAccess: Array.isArray(spec.givesAccess),
  });
  return permitOn(demand, { owner: org ?? username ?? owner, repository: repo, id });
}

/** Whether the operation answers yes or no by its status: its 404 has no body. */
function isQuestion({ responses }: EndpointSpec): boolean {
  return responses[404] !== undefined && responses[404].schema === undefined;
}

/** Declares an operation. Returns the handler that Elysia calls, and the options to register it with. */
export type Endpoint = <const Spec extends EndpointSpec>(
  spec: Spec,
  handle: (context: Handled<Spec>) => Result<Spec["responses"]> | Promise<Result<Spec["responses"]>>,
) => [handler: RouteHandler, options: { parse: "none"; detail: { operationId: string; tags: string[] } }];

/**
 * Handles every API request in the same order: identify the caller, authorize, find the resource; then read the bounded
 * body and validate everything; then run the handler. Elysia's own order would validate first, and would read a body of
 * any size from anybody.
 */
export function prepareEndpoint(forge: Forge): Endpoint {
  return (spec, handle) => {
    const readQuery = spec.query === undefined ? null : textReader(spec.query);
    const readPath = spec.params === undefined ? null : textReader(spec.params);
    const readObject = spec.body === undefined || spec.body === "text" ? null : bodyReader(spec.body);
    const limit =
      spec.bodyLimit === "content" ? forge.config.api.content_limit_bytes : forge.config.api.body_limit_bytes;

    const handler: RouteHandler = async ({ request, params: routed = {} }) => {
      try {
        const params = paramsOf(spec, readParams(request, routed));
        const usual = permitOf(spec, request.method, params);
        const identify = (target: Target) => identifyRequest(forge, request, target);
        const first = await identify(usual.target);
        const permit =
          spec.forEditors === true
            ? { ...usual, demand: await demandOfEditor(forge.database.db, first, usual.demand) }
            : usual;
        const { subject, moved } = await guard(
          first,
          permit,
          isNamedByPath(spec.may, request) ? { formerNames: forge.formerNames, identify } : null,
        );
        if (moved) {
          const location = addressToday(forge.addresses.base, spec.may, request, subject);
          return new Response(null, { status: 307, headers: { location } });
        }
        const asked = { targets: spec.also ?? {}, demand: permit.demand, first: subject, identify };
        const inPath = await findSecondTargets(asked, "path", params);
        await using staged =
          spec.stages === undefined
            ? null
            : await StagedJson.read(forge.json, request, limit, spec.stages, forge.files.temporaryDirectory);
        const body =
          spec.body === "text"
            ? await readText(request, limit)
            : readObject === null
              ? {}
              : readObject(staged === null ? await readBodyOf(spec, forge, request, limit) : staged.value);
        const inBody = await findSecondTargets(asked, "body", body as Record<string, unknown>);
        const context = {
          request,
          actor: subject.actor,
          credential: subject.credential,
          doer: doerOf(subject, { ...permit, also: [...inPath.permits, ...inBody.permits] }),
          also: { ...inPath.access, ...inBody.access },
          repository: subject.repository,
          owner: subject.owner,
          params: readPath === null ? {} : readPath((name) => (params[name] === undefined ? [] : [params[name]])),
          query: readQuery === null ? {} : readQuery(queryOf(request)),
          body,
          staged,
          signal: request.signal,
        };
        return await answer(forge, request, () => handle(context as unknown as Handled<typeof spec>));
      } catch (error) {
        const response = errorResponse(forge, request, error);
        return response.status === 404 && isQuestion(spec) ? new Response(null, { status: 404 }) : response;
      }
    };
    specs.set(handler, spec);
    return [handler, { parse: "none", detail: { operationId: spec.operationId, tags: [spec.tag] } }];
  };
}

function paramsOf({ rest }: EndpointSpec, params: Record<string, string>): Record<string, string> {
  return rest === undefined ? params : { ...params, [rest]: params["*"] ?? "" };
}

function queryOf(request: Request): (name: string) => string[] {
  const start = request.url.indexOf("?");
  if (start < 0) {
    return () => [];
  }
  const query = new URLSearchParams(request.url.slice(start));
  return (name) => query.getAll(name);
}

/** Reads the JSON body of an operation. Throws what readJson throws. */
async function readBodyOf(spec: EndpointSpec, forge: Forge, request: Request, limit: number): Promise<unknown> {
  try {
    return await readJson(forge.json, request, limit);
  } catch (error) {
    throw spec.malformedIsInvalid === true && error instanceof MalformedBody
      ? new InvalidInput(error.message, undefined, { cause: error })
      : error;
  }
}
