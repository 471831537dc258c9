import { Elysia } from "elysia";
import type { Forge } from "../domain/forge.ts";
import { clip } from "../lib/show-value.ts";
import { alpineRoutes } from "./alpine/routes.ts";
import { cranRoutes } from "./cran/routes.ts";
import { debianRoutes } from "./debian/routes.ts";
import { genericRoutes } from "./generic/routes.ts";
import { goRoutes } from "./go/routes.ts";
import type { PackageReader } from "./package-reader.ts";
import { rpmRoutes } from "./rpm/routes.ts";
import { RegistryRefusal } from "./shared/refusals.ts";
import { prepareRoute } from "./shared/route.ts";

/** The package registries: one of each format for every user and organization, at `/api/packages/{owner}`. */
export function registryRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  return new Elysia({ name: "registries", prefix: "/api/packages/:owner" })
    .use(alpineRoutes(forge, packages))
    .use(cranRoutes(forge, packages))
    .use(debianRoutes(forge, packages))
    .use(genericRoutes(forge))
    .use(goRoutes(forge, packages))
    .use(rpmRoutes(forge, packages))
    .all(
      "/*",
      route(async (_, params) => {
        throw new RegistryRefusal(404, `There is no package registry at "${clip(params["*"] ?? "", 80)}"`);
      }),
      { parse: "none" },
    );
}
