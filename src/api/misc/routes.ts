import { t } from "elysia";
import { version } from "../../lib/version.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { ok } from "../common/responses.ts";

/** The level of the family's API that clients read out of it, with our own version behind it. */
const familyLevel = "1.26.0";

export function miscRoutes({ forge, group }: Api) {
  return group("", { tag: "miscellaneous", scopes: ["misc"], may: { on: "instance", do: "use" } })
    .get(
      "/version",
      {
        operationId: "getVersion",
        summary: "Get the server's version",
        responses: ok(
          t.Object({ version: t.String() }, { $id: "ServerVersion" }),
          "The version, as a semantic version",
        ),
      },
      () => ({ version: `${familyLevel}+stithy-${version}` }),
    )
    .get(
      "/swagger",
      {
        operationId: "getSwagger",
        summary: "Go to the page that describes this API",
        scopes: [],
        responses: { 302: { description: "Location is the page" } },
      },
      () => empty(302, { location: forge.addresses.documentation() }),
    );
}
