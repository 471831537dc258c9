import { t } from "elysia";

/**
 * Names with slashes stand in one segment of an address as %2F, which is how it is documented, and also plainly over several.
 * For the second form a route with `*` is registered beside the first; its handler is wrapped so that the document
 * lists the operation once.
 */
export function undocumented<Handler extends (context: never) => Promise<Response>>(handler: Handler): Handler {
  return ((context: never) => handler(context)) as Handler;
}

/** The parameter that a name is in, whichever route was taken. */
export function spreadName<Name extends string>(name: Name, description: string) {
  const declared = t.Optional(t.String({ description }));
  return { [name]: declared, "*": t.Optional(t.String()) } as Record<Name | "*", typeof declared>;
}

export function readSpreadName<Name extends string>(params: { [key in Name | "*"]?: string | undefined }, name: Name): string {
  return params["*"] ?? params[name] ?? "";
}
