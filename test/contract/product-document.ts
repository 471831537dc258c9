import { apiRoutes } from "../../src/api/index.ts";
import { describeApi } from "../../src/api/openapi/describe-api.ts";
import type { OpenApiDocument } from "../../src/api/openapi/types.ts";
import { Addresses } from "../../src/domain/spine/addresses.ts";
import type { Forge } from "../../src/domain/spine/forge.ts";

/**
 * A forge for routes that are only declared and never called: it has an address, and everything else that routes
 * prepare themselves with (limits, queries) answers every property and every call with itself.
 */
export function forgeWithoutLimits(base = "http://forge.example"): Forge {
  const stand: object = new Proxy(() => stand, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : name === "then" ? undefined : stand),
    apply: () => stand,
    construct: () => stand,
  });
  return new Proxy(
    { addresses: new Addresses(base) },
    { get: (known, name) => (name === "addresses" ? known.addresses : stand) },
  ) as unknown as Forge;
}

/** The product's document, without a server and a database. */
export function productDocument(): OpenApiDocument {
  return describeApi(apiRoutes(forgeWithoutLimits()).routes);
}
