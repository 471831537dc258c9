import type { Forge } from "../../domain/spine/forge.ts";
import { prepareEndpoint } from "./endpoint.ts";
import { EndpointGroup, type GroupDefaults } from "./group.ts";

/** The parts that every group of routes is built with. */
export interface Api {
  forge: Forge;
  /** Starts a group of endpoints with a path prefix and defaults. */
  group<const Prefix extends string, const Defaults extends GroupDefaults>(
    prefix: Prefix,
    defaults: Defaults,
  ): EndpointGroup<Prefix, Defaults>;
}

export function makeApi(forge: Forge): Api {
  const endpoint = prepareEndpoint(forge);
  return { forge, group: (prefix, defaults) => new EndpointGroup(endpoint, prefix, defaults) };
}
