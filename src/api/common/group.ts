import { t, type Elysia, type Static, type TSchema } from "elysia";
import type { Action } from "../../auth/authorize.ts";
import { needsSomebody } from "../openapi/security.ts";
import { bySuffix } from "./by-suffix.ts";
import {
  findEndpointSpec,
  isWrite,
  type Context,
  type Endpoint,
  type EndpointSpec,
  type Result,
  type RouteHandler,
} from "./endpoint.ts";

type Properties = Readonly<Record<string, TSchema>>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The defaults of a group's endpoints. Each endpoint can override them. */
export interface GroupDefaults extends Partial<Pick<EndpointSpec, "tag" | "scopes" | "may" | "onArchived">> {
  /**
   * Whether somebody must be signed in even where anybody may look. Where nothing is said, every method that writes needs
   * somebody, and so does what strangers may not do anyway.
   */
  signedIn?: boolean;
  /** The path parameters. Those in `wellKnown` need no declaration. */
  params?: Properties;
}

/** The declaration of a reading operation. */
export interface Reading
  extends
    Omit<GroupDefaults, "onArchived">,
    Pick<EndpointSpec, "operationId" | "summary" | "description" | "deprecated" | "also"> {
  query?: Properties;
  /**
   * Success, and the failures that the handler itself ends with. Those of the guards (401, 403, 404, 413, 422, 423 and
   * where something has moved) follow from the rest of the declaration.
   */
  responses: EndpointSpec["responses"];
}

/** The declaration of a writing operation. */
export interface Writing
  extends
    Reading,
    Pick<EndpointSpec, "body" | "upload" | "bodyLimit" | "stages" | "onArchived" | "givesAccess" | "forEditors"> {}

/** The fields without a group default, which each endpoint must declare. */
type Missing<Defaults> = Pick<EndpointSpec, Exclude<"tag" | "scopes" | "may", keyof Defaults>>;

/** The names of a path's parameters: `:name`; `:name+`, which may have slashes in it; `:name.:suffix`, which are two. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Segment}/${infer More}`
    ? NameOf<Segment> | NamesIn<More>
    : NameOf<Rest>
  : never;
type NameOf<Segment extends string> = Segment extends `${infer First}.:${infer Second}`
  ? First | Second
  : Segment extends `${infer Name}+`
    ? Name
    : Segment;

type Said<Key extends string, Declared, Defaults> =
  Declared extends Record<Key, infer Value> ? Value : Defaults extends Record<Key, infer Value> ? Value : undefined;
type MayOf<Declared, Defaults> = Extract<Said<"may", Declared, Defaults>, Action>;
type Fields<Declared> = Declared extends Properties ? Declared : Record<never, never>;
type ValuesOf<Declared> = Static<ReturnType<typeof t.Object<Fields<Declared>>>>;

type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : never;

/** Values of the path's parameters: as they are declared, else text. */
type ParamsOf<Path extends string, Declared, Defaults> = {
  [Name in NamesIn<Path>]: Name extends keyof Fields<Said<"params", Declared, object>>
    ? ValueOf<Fields<Said<"params", Declared, object>>[Name]>
    : Name extends keyof Fields<Said<"params", object, Defaults>>
      ? ValueOf<Fields<Said<"params", object, Defaults>>[Name]>
      : string;
};

/** Whether strangers may not do it anyway: the rule of `needsSomebody`. */
type IsPersonal<May> = May extends { on: "team" }
  ? true
  : May extends { do: "see" | "use" | "read" | "read-packages" }
    ? false
    : true;
type SignedIn<Verb, Declared, Defaults> =
  IsPersonal<MayOf<Declared, Defaults>> extends true
    ? true
    : Said<"signedIn", Declared, Defaults> extends boolean
      ? Said<"signedIn", Declared, Defaults>
      : Verb extends "GET"
        ? false
        : true;

type Handle<Verb extends Method, Path extends string, Defaults, Declared extends Writing> = (
  context: Context<
    MayOf<Declared, Defaults>,
    SignedIn<Verb, Declared, Defaults>,
    ParamsOf<Path, Declared, Defaults>,
    ValuesOf<Declared["query"]>,
    Declared["body"],
    Declared["stages"],
    Declared["also"]
  >,
) => Result<Declared["responses"]> | Promise<Result<Declared["responses"]>>;

/** Parameters that have the same meaning in every path. */
const wellKnown: Properties = {
  owner: t.String({ description: "Name of the owner: a user or an organization" }),
  repo: t.String({ description: "Name of the repository" }),
  org: t.String({ description: "Name of the organization" }),
  username: t.String({ description: "Name of the user" }),
};

/** A declaration contradicts itself. Thrown when the routes are built, so that no server starts with it. */
class BadDeclaration extends Error {
  constructor(operationId: string, problem: string) {
    super(`The endpoint ${operationId} ${problem}`);
  }
}

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");

function declaredOf(names: readonly string[], properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

/** Finds what contradicts itself in a specification; its path has no sugar left. */
function checkSpec(spec: EndpointSpec, names: readonly string[], declared: readonly string[]): void {
  const wrong = (problem: string) => new BadDeclaration(spec.operationId, problem);
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  const unknown = names.filter((name) => spec.params?.properties[name] === undefined);
  if (unknown.length > 0) {
    throw wrong(`does not declare the parameter "${unknown[0]}" of its path`);
  }
  const extra = declared.filter((name) => !names.includes(name));
  if (extra.length > 0) {
    throw wrong(`declares the parameter "${extra[0]}", which its path does not have`);
  }
  const { on } = spec.may;
  const named = {
    instance: true,
    account: true,
    repository: has("owner", "repo") || has("id"),
    team: has("id"),
    owner: has("org") || has("username") || has("owner"),
    organization: has("org"),
    user: has("username"),
  };
  if (!named[on]) {
    throw wrong(`names no ${on} in its path`);
  }
  for (const { named: second, in: place } of Object.values(spec.also ?? {})) {
    const known = place === "body" ? Object.keys((spec.body as { properties?: object }).properties ?? {}) : names;
    const missing = Object.values<string>(second).find((name) => !known.includes(name));
    if (missing !== undefined) {
      throw wrong(`names a second target by "${missing}", which its ${place ?? "path"} does not have`);
    }
  }
  if (!Object.keys(spec.responses).some((status) => Number(status) < 400)) {
    throw wrong("declares no success");
  }
}

interface Declared {
  method: Method;
  path: string;
  handler: RouteHandler;
  detail: { operationId: string; tags: string[] };
}

/**
 * Endpoints that have something in common: the beginning of their paths, and whatever the defaults say. Every method
 * declares an endpoint and returns the group.
 *
 * A path names its parameters as `:name`. `:name+` is the last one and may have slashes in it, plain or as %2F.
 * `:name.:suffix` takes what ends with a dot and one of the words that `suffix` is declared to be.
 */
export class EndpointGroup<const Prefix extends string, const Defaults extends GroupDefaults> {
  private readonly declared: Declared[] = [];

  constructor(
    private readonly endpoint: Endpoint,
    private readonly prefix: Prefix,
    private readonly defaults: Defaults,
  ) {}

  get<const Path extends string, const Spec extends Reading & Missing<Defaults>>(
    path: Path,
    spec: Spec & { body?: never; onArchived?: never },
    handle: Handle<"GET", `${Prefix}${Path}`, Defaults, Spec>,
  ): this {
    return this.add("GET", path, spec, handle);
  }

  post<const Path extends string, const Spec extends Writing & Missing<Defaults>>(
    path: Path,
    spec: Spec,
    handle: Handle<"POST", `${Prefix}${Path}`, Defaults, Spec>,
  ): this {
    return this.add("POST", path, spec, handle);
  }

  put<const Path extends string, const Spec extends Writing & Missing<Defaults>>(
    path: Path,
    spec: Spec,
    handle: Handle<"PUT", `${Prefix}${Path}`, Defaults, Spec>,
  ): this {
    return this.add("PUT", path, spec, handle);
  }

  patch<const Path extends string, const Spec extends Writing & Missing<Defaults>>(
    path: Path,
    spec: Spec,
    handle: Handle<"PATCH", `${Prefix}${Path}`, Defaults, Spec>,
  ): this {
    return this.add("PATCH", path, spec, handle);
  }

  delete<const Path extends string, const Spec extends Writing & Missing<Defaults>>(
    path: Path,
    spec: Spec,
    handle: Handle<"DELETE", `${Prefix}${Path}`, Defaults, Spec>,
  ): this {
    return this.add("DELETE", path, spec, handle);
  }

  /** Adds the routes to an Elysia instance, and returns it. */
  addTo<At extends string>(app: Elysia<At>): Elysia<At> {
    const suffixed = this.declared.filter(({ path }) => path.includes(".:"));
    for (const { method, path, handler, detail } of this.declared) {
      if (path.includes(".:")) {
        continue;
      }
      const beside = suffixed.find((other) => other.method === method && other.path.split(".:")[0] === path);
      app.route(method, path, beside === undefined ? handler : joined(handler, beside), { parse: "none", detail });
    }
    return app;
  }

  private add(method: Method, path: string, declared: Writing, handle: (context: never) => unknown): this {
    const full = `${this.prefix}${path}`;
    const names = namesIn(full);
    const { params: _params, query, signedIn, ...rest } = { ...this.defaults, ...declared };
    const properties = { ...wellKnown, ...this.defaults.params, ...declared.params };
    const [, spread] = /:(\w+)\+$/.exec(full) ?? [];
    const spec = {
      ...rest,
      ...(names.length === 0 ? {} : { params: t.Object(declaredOf(names, properties)) }),
      ...(query === undefined ? {} : { query: t.Object(query) }),
      ...(spread === undefined ? {} : { rest: spread }),
    } as EndpointSpec;
    if ((signedIn ?? isWrite(method)) || needsSomebody(spec)) {
      spec.signedIn = true;
    }
    checkSpec(spec, names, Object.keys(declared.params ?? {}));
    const [handler, { detail }] = this.endpoint(spec, handle as never);
    this.declared.push({ method, path: full.replace(/:\w+\+$/, "*"), handler, detail });
    return this;
  }
}

/** Returns one handler for two operations whose paths the router cannot tell apart. */
function joined(plain: RouteHandler, { path, handler }: Declared): RouteHandler {
  const [parameter = "", suffix = ""] = namesIn(path.slice(path.lastIndexOf("/")));
  const values = findEndpointSpec(handler)?.params?.properties[suffix]?.["enum"] as readonly string[] | undefined;
  return bySuffix({ parameter, suffix, values: values ?? [] }, plain, handler);
}
