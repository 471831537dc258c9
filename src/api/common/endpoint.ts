import type { Static, t, TSchema } from "elysia";
import { authorize, type Action, type Decision, type NeededScopes } from "../../auth/authorize.ts";
import type { ScopeCategory } from "../../auth/scopes.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess, Subject } from "../../auth/subject.ts";
import type { Target } from "../../auth/find-subject.ts";
import { Forbidden, NotFound, RepositoryArchived } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { ScopeMissing, SignInRequired, errorResponse } from "./errors.ts";
import { bodyReader, textReader } from "./input.ts";
import { readJson, readText } from "../../http/request-body.ts";
import { StagedJson } from "../../http/staged-json.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { prepareFindMoved } from "./moved.ts";
import { readParams } from "../../http/read-params.ts";
import { respond } from "./respond.ts";

type ObjectSchema = ReturnType<typeof t.Object>;

/** An answer that an endpoint declares: the schema of its JSON, a media type of its bytes, or nothing. */
export type DeclaredResponse = { description: string; schema?: TSchema; contentType?: string };

/**
 * All that is declared about an operation. The guards work from it, and so does the OpenAPI document:
 * what is not said here does not happen, and the other way round.
 */
export interface EndpointSpec {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  deprecated?: true;
  /** Categories that a token needs, all of them; the level follows from the method. */
  scopes: readonly ScopeCategory[];
  /** What the caller wants to do; authorize decides. The resource is named by the path's parameters. */
  may: Action;
  /** Somebody must be signed in, even where anybody may look. */
  signedIn?: true;
  /** Refused on an archived repository. */
  changes?: true;
  params?: ObjectSchema;
  query?: ObjectSchema;
  /** A JSON body by its schema, or a text. */
  body?: TSchema | "text";
  /** Where `api.body_limit_bytes` is not right. */
  bodyLimit?: "content";
  /** The key of texts of base64 in the body; large ones are put into files, and the handler asks `staged` for them. */
  stages?: string;
  responses: Record<number, DeclaredResponse>;
}

type Declared<Schema> = Schema extends TSchema ? Static<Schema> : Record<never, never>;

/** What a handler gets. Everything has been checked. */
export interface Handled<Spec extends EndpointSpec> {
  request: Request;
  actor: Spec["signedIn"] extends true ? Actor : Actor | null;
  credential: Credential;
  /** The repository of the path, where `may` is about one. */
  repository: Spec["may"]["on"] extends "repository" ? RepositoryAccess : null;
  /** The owner of the path, where `may` is about one; where it is about a team, its organization. */
  owner: Spec["may"]["on"] extends "owner" | "organization" ? OwnerAccess : Spec["may"]["on"] extends "team" ? OwnerAccess & { team: { id: number } } : null;
  params: Declared<Spec["params"]>;
  query: Declared<Spec["query"]>;
  body: Spec["body"] extends "text" ? string : Declared<Spec["body"]>;
  /** The body that is large in places, where `stages` says so; its files are there while the handler runs. */
  staged: Spec["stages"] extends string ? StagedJson : null;
  /** Ends when the client goes away or the time is up. */
  signal: AbortSignal;
}

/** The part of Elysia's context that is used; the rest stops here. */
interface RouteContext {
  request: Request;
  params?: Record<string, string>;
}

type RouteHandler = (context: RouteContext) => Promise<Response>;

const specs = new WeakMap<object, EndpointSpec>();

/** What was declared for a route's handler; null for routes that are no API operation. */
export function findEndpointSpec(handler: unknown): EndpointSpec | null {
  return typeof handler === "function" ? (specs.get(handler) ?? null) : null;
}

function targetOf(action: Action, params: Record<string, string>): Target {
  if (action.on === "repository") {
    const id = params["id"];
    if (params["owner"] !== undefined && params["repo"] !== undefined) {
      return { ownerName: params["owner"], repositoryName: params["repo"] };
    }
    return id !== undefined && /^\d{1,15}$/.test(id) ? { repositoryId: Number(id) } : {};
  }
  if (action.on === "team") {
    const id = params["id"] ?? "";
    return /^\d{1,15}$/.test(id) ? { teamId: Number(id) } : {};
  }
  const ownerName = action.on === "organization" || action.on === "owner" ? (params["org"] ?? params["username"]) : undefined;
  return ownerName === undefined ? {} : { ownerName };
}

function nameOf(action: Action, params: Record<string, string>): { what: string; name: string } {
  if (action.on === "repository") {
    return { what: "repository", name: params["repo"] === undefined ? (params["id"] ?? "") : `${params["owner"]}/${params["repo"]}` };
  }
  if (action.on === "team") {
    return { what: "team", name: params["id"] ?? "" };
  }
  return params["org"] === undefined ? { what: "user", name: params["username"] ?? "" } : { what: "organization", name: params["org"] };
}

/** The scopes that an operation needs; the level follows from the method. */
function neededScopes(spec: EndpointSpec, method: string): NeededScopes {
  return { categories: spec.scopes, level: method === "GET" || method === "HEAD" ? "read" : "write" };
}

function decide(spec: EndpointSpec, { actor, credential, ...resource }: Subject, scopes: NeededScopes): Decision {
  return spec.signedIn === true && actor === null ? "sign-in-required" : authorize(actor, credential, scopes, spec.may, resource);
}

/** Whether the operation answers yes or no by its status alone: its 404 has no body. */
function isQuestion({ responses }: EndpointSpec): boolean {
  return responses[404] !== undefined && responses[404].schema === undefined;
}

/** Throws what the decision means to this caller; returns when it is allowed. */
function enforce(spec: EndpointSpec, subject: Subject, decision: Decision, level: string, params: Record<string, string>): void {
  switch (decision) {
    case "allowed":
      break;
    case "sign-in-required":
      throw new SignInRequired();
    case "scope-missing":
      throw new ScopeMissing(spec.scopes.map((category) => `${level}:${category}`).join(", "));
    case "token-restricted":
      throw new Forbidden("The token is restricted to repositories and may not do this");
    case "hidden": {
      const { what, name } = nameOf(spec.may, params);
      throw new NotFound(what, name);
    }
    case "forbidden":
      throw new Forbidden(spec.may.on === "instance" ? "Only site administrators may do this" : "You may see this, but not change it in this way");
  }
  if (spec.changes === true && subject.repository?.repository.archivedAt) {
    throw new RepositoryArchived(subject.repository.repository.name);
  }
}

/** Declares an operation: returns the handler that Elysia calls and the options it registers it with. */
export type Endpoint = <const Spec extends EndpointSpec>(
  spec: Spec,
  handle: (context: Handled<Spec>) => unknown,
) => [handler: RouteHandler, options: { parse: "none"; detail: { operationId: string; tags: string[] } }];

/**
 * The order of an API request, the same for every operation: who is it, may they, does it exist; only then is the body
 * read, bounded, and everything validated; then the handler runs. Elysia's own order would validate first,
 * and would read a body of any size from anybody.
 */
export function prepareEndpoint(forge: Forge): Endpoint {
  const findMoved = prepareFindMoved(forge);
  return (spec, handle) => {
    const readQuery = spec.query === undefined ? null : textReader(spec.query);
    const readPath = spec.params === undefined ? null : textReader(spec.params);
    const readObject = spec.body === undefined || spec.body === "text" ? null : bodyReader(spec.body);
    const limit = spec.bodyLimit === "content" ? forge.config.api.content_limit_bytes : forge.config.api.body_limit_bytes;

    const handler: RouteHandler = async ({ request, params: routed = {} }) => {
      try {
        const params = readParams(request, routed);
        const subject = await identifyRequest(forge, request, targetOf(spec.may, params));
        const scopes = neededScopes(spec, request.method);
        const decision = decide(spec, subject, scopes);
        if (decision === "hidden") {
          const moved = await findMoved(request, scopes, spec.may, params);
          if (moved !== null) {
            return new Response(null, { status: 307, headers: { location: moved } });
          }
        }
        enforce(spec, subject, decision, scopes.level, params);
        await using staged = spec.stages === undefined ? null : await StagedJson.read(request, limit, spec.stages, forge.temporaryDirectory);
        const body = spec.body === "text" ? await readText(request, limit) : readObject === null ? {} : readObject(staged === null ? await readJson(request, limit) : staged.value);
        const context = {
          request,
          actor: subject.actor,
          credential: subject.credential,
          repository: subject.repository,
          owner: subject.owner,
          params: readPath === null ? {} : readPath((name) => (params[name] === undefined ? [] : [params[name]])),
          query: readQuery === null ? {} : readQuery(queryOf(request)),
          body,
          staged,
          signal: request.signal,
        };
        return respond(request, await handle(context as unknown as Handled<typeof spec>));
      } catch (error) {
        const response = errorResponse(forge, request, error);
        return response.status === 404 && isQuestion(spec) ? new Response(null, { status: 404 }) : response;
      }
    };
    specs.set(handler, spec);
    return [handler, { parse: "none", detail: { operationId: spec.operationId, tags: [spec.tag] } }];
  };
}

function queryOf(request: Request): (name: string) => string[] {
  const start = request.url.indexOf("?");
  if (start < 0) {
    return () => [];
  }
  const query = new URLSearchParams(request.url.slice(start));
  return (name) => query.getAll(name);
}
