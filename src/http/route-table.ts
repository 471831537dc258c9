/** A route as it was declared. Segments of its path that begin with a colon are parameters; a last `*` takes the rest. */
export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: unknown;
}

/** What a route's handler gets. A parameter whose percent-encoding is broken is null. */
export interface RoutedRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | null>>;
}

export type RoutedHandler = (routed: RoutedRequest) => Response | Promise<Response>;

export interface FoundRoute {
  readonly handler: RoutedHandler;
  readonly params: Readonly<Record<string, string | null>>;
}

interface Branch {
  readonly fixed: Map<string, Branch>;
  parameter: Branch | null;
  /** By method: the routes that end here, and those that take all that follows. */
  readonly ends: Map<string, Leaf>;
  readonly rests: Map<string, Leaf>;
}

interface Leaf {
  readonly handler: RoutedHandler;
  /** Names of the parameters on the way, in order. */
  readonly names: readonly string[];
}

function decode(text: string): string | null {
  if (!text.includes("%")) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Finds the route of a request by its path as it was sent. Elysia declares the routes, but does not route them: its own
 * router takes a host of three letters for a part of the path, and a request can be given to it under another method or
 * path only as a copy, which reads the whole body first.
 */
export class RouteTable {
  private readonly root = newBranch();

  constructor(routes: Iterable<DeclaredRoute>) {
    for (const { method, path, handler } of routes) {
      this.add(method, path, handler as RoutedHandler);
    }
  }

  /** The route that a path leads to: fixed segments win over parameters, these over the rest; null when it leads nowhere. */
  find(method: string, path: string): FoundRoute | null {
    const segments = path.split("/").slice(1);
    const values: string[] = [];
    const leaf = findLeaf(this.root, segments, 0, method, values);
    if (leaf === null) {
      return null;
    }
    const params: Record<string, string | null> = Object.create(null);
    for (const [index, name] of leaf.names.entries()) {
      params[name] = decode(values[index] ?? "");
    }
    return { handler: leaf.handler, params };
  }

  private add(method: string, path: string, handler: RoutedHandler): void {
    const names: string[] = [];
    let branch = this.root;
    for (const segment of path.split("/").slice(1)) {
      if (segment === "*") {
        branch.rests.set(method, { handler, names: [...names, "*"] });
        return;
      }
      if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        branch = branch.parameter ??= newBranch();
      } else {
        const next = branch.fixed.get(segment) ?? newBranch();
        branch.fixed.set(segment, next);
        branch = next;
      }
    }
    branch.ends.set(method, { handler, names });
  }
}

function newBranch(): Branch {
  return { fixed: new Map(), parameter: null, ends: new Map(), rests: new Map() };
}

/** `values` holds what the parameters on the way took; what a way that led nowhere put there is taken back. */
function findLeaf(branch: Branch, segments: readonly string[], at: number, method: string, values: string[]): Leaf | null {
  const segment = segments[at];
  if (segment === undefined) {
    return branch.ends.get(method) ?? null;
  }
  const fixed = branch.fixed.get(segment);
  const found = fixed === undefined ? null : findLeaf(fixed, segments, at + 1, method, values);
  if (found !== null) {
    return found;
  }
  if (branch.parameter !== null && segment !== "") {
    values.push(segment);
    const below = findLeaf(branch.parameter, segments, at + 1, method, values);
    if (below !== null) {
      return below;
    }
    values.pop();
  }
  const rest = branch.rests.get(method);
  if (rest === undefined) {
    return null;
  }
  values.push(segments.slice(at).join("/"));
  return rest;
}
