import { Elysia } from "elysia";
import type { Forge } from "../domain/spine/forge.ts";
import { absentContainers, absentPath } from "./absent-formats.ts";
import { alpineRoutes } from "./alpine/routes.ts";
import { cranRoutes } from "./cran/routes.ts";
import { debianRoutes } from "./debian/routes.ts";
import { genericRoutes } from "./generic/routes.ts";
import { goRoutes } from "./go/routes.ts";
import type { PackageReader } from "./package-reader.ts";
import { rpmRoutes } from "./rpm/routes.ts";
import { prepareRoute } from "./shared/route.ts";

/**
 * The package registries: one of each format for every user and organization, at `/api/packages/{owner}`; and what clients of formats are
 * told that have none.
 */
export function registryRoutes(forge: Forge, packages: PackageReader) {
  const route = prepareRoute(forge);
  const raw = { parse: "none" } as const;
  const owned = new Elysia({ name: "registries of owners", prefix: "/api/packages/:owner" })
    .use(alpineRoutes(forge, packages))
    .use(cranRoutes(forge, packages))
    .use(debianRoutes(forge, packages))
    .use(genericRoutes(forge))
    .use(goRoutes(forge, packages))
    .use(rpmRoutes(forge, packages))
    .all(
      "/*",
      route(async (_, params) => absentPath(params["*"] ?? "")),
      raw,
    );
  return new Elysia({ name: "registries" })
    .use(owned)
    .all("/v2", absentContainers, raw)
    .all("/v2/*", absentContainers, raw);
}
