import type { Forge } from "../../domain/forge.ts";
import type { Endpoint } from "./endpoint.ts";

/** What every group of routes is made from. */
export interface Api {
  forge: Forge;
  endpoint: Endpoint;
}
