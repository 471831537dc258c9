import type { Forge } from "../../domain/spine/forge.ts";
import { readParams } from "../../http/read-params.ts";
import { registryErrorResponse, RegistryRefusal } from "./refusals.ts";

export type RegistryParams = Record<string, string>;
type Answer = (request: Request, params: RegistryParams) => Promise<Response>;

export interface RegistryContext {
  request: Request;
  params: RegistryParams;
}

/** Wraps the handlers of registries: their paths are decoded once, and one mapper answers for what goes wrong. */
export function prepareRoute(forge: Forge): (answer: Answer) => (context: RegistryContext) => Promise<Response> {
  return (answer) =>
    async ({ request, params }) => {
      try {
        return await answer(request, readParams(request, params));
      } catch (error) {
        return registryErrorResponse(forge, request, error);
      }
    };
}

/** Refuses a method that a route does not have; `allowed` are those that it has. */
export function refuseMethod(allowed: readonly string[]): Answer {
  return async ({ method }) => {
    throw new RegistryRefusal(405, `${method} is not possible here`, { allow: allowed.join(", ") });
  };
}
