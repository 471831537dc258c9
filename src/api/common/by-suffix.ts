import { findEndpointSpec, type EndpointSpec } from "./endpoint.ts";

interface Context {
  request: Request;
  params?: Record<string, string>;
}

type Handler = (context: Context) => Promise<Response>;

interface Suffixes {
  /** the parameter that ends with one, and the one that says which */
  parameter: string;
  suffix: string;
  values: readonly string[];
}

interface Declared {
  plain: Handler;
  suffixed: Handler;
  suffixes: Suffixes;
}

const declared = new WeakMap<object, Declared>();

/**
 * Two operations at one place in a path, `{name}` and `{name}.{suffix}`, which the router cannot tell apart: what ends
 * with a dot and one of the values goes to the second, everything else to the first.
 */
export function bySuffix(suffixes: Suffixes, plain: Handler, suffixed: Handler): Handler {
  const { parameter, suffix, values } = suffixes;
  const handler: Handler = (context) => {
    const given = context.params?.[parameter] ?? "";
    const value = values.find((candidate) => given.endsWith(`.${candidate}`));
    if (value === undefined) {
      return plain(context);
    }
    return suffixed({
      request: context.request,
      params: { ...context.params, [parameter]: given.slice(0, -value.length - 1), [suffix]: value },
    });
  };
  declared.set(handler, { plain, suffixed, suffixes });
  return handler;
}

/** The operations that a route leads to, with the path at which each stands, in the form of the router. */
export function operationsOf(handler: unknown, path: string): { path: string; spec: EndpointSpec }[] {
  const both = typeof handler === "function" ? declared.get(handler) : undefined;
  const candidates =
    both === undefined
      ? [{ path, handler }]
      : [
          { path, handler: both.plain },
          { path: suffixedPath(path, both.suffixes), handler: both.suffixed },
        ];
  return candidates.flatMap((candidate) => {
    const spec = findEndpointSpec(candidate.handler);
    const names = spec?.rest === undefined ? candidate.path : candidate.path.replace(/\*$/, `:${spec.rest}`);
    return spec === null ? [] : [{ path: names, spec }];
  });
}

function suffixedPath(path: string, { parameter, suffix }: Suffixes): string {
  return path.replace(new RegExp(`:${parameter}(?=/|$)`), `:${parameter}.:${suffix}`);
}
