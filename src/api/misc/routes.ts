import { t } from "elysia";
import { UsageCounter } from "../../domain/server/usage/usage-counter.ts";
import { version } from "../../lib/version.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { ok } from "../common/responses.ts";
import { NodeInfo, presentNodeInfo } from "./node-info.ts";

/** The level of the family's API that clients read out of it, with our own version behind it. */
const familyLevel = "1.26.0";

export function miscRoutes({ forge, group }: Api) {
  const usage = new UsageCounter(forge.database.db);
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
      "/nodeinfo",
      {
        operationId: "getNodeInfo",
        summary: "Get what the server is and how much it is used",
        description: "As NodeInfo 2.1 has it. The numbers are at most a minute old.",
        responses: ok(NodeInfo, "The document"),
      },
      async () => presentNodeInfo(await usage.count()),
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
