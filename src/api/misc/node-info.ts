import { t, type Static } from "elysia";
import type { UsageCounts } from "../../domain/server/usage/queries.ts";
import { version } from "../../lib/version.ts";
import { integer } from "../common/schema.ts";

const NodeInfoSoftware = t.Object(
  {
    name: t.String(),
    version: t.String(),
    repository: t.String({ description: "Empty: it has no address of its own" }),
    homepage: t.String({ description: "Likewise" }),
  },
  { $id: "NodeInfoSoftware" },
);

const NodeInfoServices = t.Object(
  { inbound: t.Array(t.String()), outbound: t.Array(t.String()) },
  { $id: "NodeInfoServices", description: "Services of others that it is connected with" },
);

const NodeInfoUsageUsers = t.Object(
  {
    total: integer({ description: "All users" }),
    activeHalfyear: integer({ description: "Those who signed in within 180 days" }),
    activeMonth: integer({ description: "Those who signed in within 30 days" }),
  },
  { $id: "NodeInfoUsageUsers" },
);

const NodeInfoUsage = t.Object(
  {
    users: NodeInfoUsageUsers,
    localPosts: integer({ description: "Issues, without pull requests" }),
    localComments: integer({ description: "Comments on issues and pull requests" }),
  },
  { $id: "NodeInfoUsage" },
);

export const NodeInfo = t.Object(
  {
    version: t.String({ description: "Of NodeInfo: 2.1" }),
    software: NodeInfoSoftware,
    protocols: t.Array(t.String(), { description: "Protocols of federation: none" }),
    services: NodeInfoServices,
    openRegistrations: t.Boolean({ description: "Whether anybody can make an account: only administrators do" }),
    usage: NodeInfoUsage,
    metadata: t.Object({}),
  },
  { $id: "NodeInfo" },
);

/** The server as NodeInfo 2.1 describes it (http://nodeinfo.diaspora.software/ns/schema/2.1). */
export function presentNodeInfo(counts: UsageCounts): Static<typeof NodeInfo> {
  const { total, activeHalfYear, activeMonth, issues, comments } = counts;
  return {
    version: "2.1",
    software: { name: "stithy", version, repository: "", homepage: "" },
    protocols: [],
    services: { inbound: [], outbound: [] },
    openRegistrations: false,
    usage: {
      users: { total, activeHalfyear: activeHalfYear, activeMonth },
      localPosts: issues,
      localComments: comments,
    },
    metadata: {},
  };
}
