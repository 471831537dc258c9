import { Elysia } from "elysia";
import type { Forge } from "../domain/forge.ts";
import { clip } from "../lib/show-value.ts";
import { alpineRoutes } from "./alpine/routes.ts";
import { cranRoutes } from "./cran/routes.ts";
import { debianRoutes } from "./debian/routes.ts";
import { genericRoutes } from "./generic/routes.ts";
import { goRoutes } from "./go/routes.ts";
import { rpmRoutes } from "./rpm/routes.ts";
import { RegistryRefusal } from "./shared/refusals.ts";
import { prepareRoute } from "./shared/route.ts";

/** The package registries: one of each format for every user and organization, at `/api/packages/{owner}`. */
export function registryRoutes(forge: Forge) {
  const route = prepareRoute(forge);
  return new Elysia({ name: "registries", prefix: "/api/packages/:owner" })
    .use(alpineRoutes(forge))
    .use(cranRoutes(forge))
    .use(debianRoutes(forge))
    .use(genericRoutes(forge))
    .use(goRoutes(forge))
    .use(rpmRoutes(forge))
    .all(
      "/*",
      route(async (_, params) => {
        throw new RegistryRefusal(404, `There is no package registry at "${clip(params["*"] ?? "", 80)}"`);
      }),
      { parse: "none" },
    );
}
