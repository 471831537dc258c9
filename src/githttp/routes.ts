import { Elysia } from "elysia";
import type { Forge } from "../domain/forge.ts";

/** Git over smart HTTP: `/{owner}/{repo}.git/...`. */
export function gitHttpRoutes(_forge: Forge) {
  return new Elysia({ name: "githttp" });
}
