import { createHash } from "node:crypto";
import { migrations } from "../db/migrations.ts";
import { routines } from "../db/routines.ts";
import type { Logger } from "../lib/log.ts";
import { ClusterTemplate } from "../postgres/template.ts";

/** A migrated, empty database cluster in the cache. The first process that needs it makes it. */
export function prepareClusterTemplate(cacheDirectory: string, log: Promise<Logger>): Promise<ClusterTemplate> {
  return ClusterTemplate.prepare({
    cacheDirectory,
    key: createHash("sha256")
      .update(JSON.stringify([migrations, routines]))
      .digest("hex"),
    log,
    async prepare(connection) {
      const [{ openDatabase }, { migrate }] = await Promise.all([
        import("../db/client.ts"),
        import("../db/migrate.ts"),
      ]);
      await using database = openDatabase({
        target: { ...connection, tls: "off" },
        connections: 1,
        statementTimeoutMs: 60_000,
      });
      await migrate(database.sql);
    },
  });
}
