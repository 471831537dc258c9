import { sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { listTotal, repositorySize } from "../../../db/schema/lists.ts";
import { comment, formerContent } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { ownerUsage } from "../../../db/schema/quota.ts";
import { pack, repository, repositoryPack, wiki } from "../../../db/schema/repositories.ts";
import type { UsagePart } from "./subjects.ts";

/** A sum that is not what is stored. */
export interface Miscount {
  readonly owner: string;
  readonly part: UsagePart;
  /** bytes */
  readonly counted: number;
  readonly stored: number;
}

/**
 * Adds up what every owner's repositories link and compares it with the sums that are kept (`owner_usage`): owners, and
 * sums that are wrong. One statement, so that a running server changes nothing meanwhile. Reads every link to a pack. How many bytes of
 * packs guests brought is known from `repository_size` and `wiki` alone.
 */
export async function recountUsage(db: Reader): Promise<{ owners: number; miscounts: Miscount[] }> {
  const parts: readonly (readonly [UsagePart, string])[] = [
    ["reposPublic", "repos_public"],
    ["reposPrivate", "repos_private"],
    ["gitLfs", "git_lfs"],
    ["attachmentsIssues", "attachments_issues"],
    ["attachmentsReleases", "attachments_releases"],
    ["artifacts", "artifacts"],
    ["packages", "packages"],
    ["wikis", "wikis"],
    ["pictures", "pictures"],
    ["guestsPublic", "guests_public"],
    ["guestsPrivate", "guests_private"],
    ["guestsLfs", "guests_lfs"],
    ["guestsIssues", "guests_issues"],
    ["guestsWikis", "guests_wikis"],
    ["texts", "texts"],
    ["guestsTexts", "guests_texts"],
  ];
  const sums = sql.join(
    parts.map(
      ([, column]) => sql`coalesce(sum(bytes) filter (where part = ${column}), 0)::float8 as ${sql.identifier(column)}`,
    ),
    sql`, `,
  );
  const kept = sql.join(
    parts.map(
      ([, column]) => sql`coalesce(kept.${sql.identifier(column)}, 0)::float8 as ${sql.identifier(`kept_${column}`)}`,
    ),
    sql`, `,
  );
  const rows = await db.execute<Record<string, number> & { name: string }>(sql`
    with stored as (
      select r.owner_id, case when r.private then 'repos_private' else 'repos_public' end as part, p.bytes
        from ${repository} r join ${repositoryPack} l on l.repository_id = r.id join ${pack} p on p.id = l.pack_id
      union all
      select r.owner_id, 'wikis', p.bytes
        from ${repository} r join ${repositoryPack} l on l.repository_id = -r.id join ${pack} p on p.id = l.pack_id
      union all
      select r.owner_id, by_guests.part, by_guests.bytes from ${repository} r join ${repositorySize} s on s.repository_id = r.id
          left join ${wiki} w on w.id = -r.id,
        lateral (values (case when r.private then 'guests_private' else 'guests_public' end, s.guest_bytes),
          (case when r.private then 'repos_private' else 'repos_public' end, -s.guest_bytes),
          ('guests_wikis', w.guest_bytes), ('wikis', -w.guest_bytes)) as by_guests (part, bytes)
      union all
      select r.owner_id, case when by_guest then 'guests_texts' else 'texts' end, written.bytes from ${repository} r
        join (select repository_id, by_guest, octet_length(title) + octet_length(body) as bytes from ${issue}
          union all select repository_id, by_guest, octet_length(body) from ${comment}
          union all select repository_id, by_guest, coalesce(octet_length(title), 0) + coalesce(octet_length(body), 0)
            from ${formerContent}) as written on written.repository_id = r.id
      union all
      select owner_id, case kind when 'lfs-object' then case when by_guest then 'guests_lfs' else 'git_lfs' end
          when 'issue-attachment' then case when by_guest then 'guests_issues' else 'attachments_issues' end
          when 'release-attachment' then 'attachments_releases' when 'artifact' then 'artifacts' when 'package' then 'packages'
          when 'package-index' then 'packages' when 'avatar' then 'pictures' when 'repository-avatar' then 'pictures' end, bytes
        from ${blobReference}
    ), texts as (
      select r.owner_id, sum(count) filter (where t.class = 0) as texts, sum(count) filter (where t.class = 1) as guests_texts
        from ${listTotal} t join ${repository} r on r.id = t.owner_id where t.list = 'text' group by r.owner_id
    ), summed as (select owner_id, ${sums} from stored where part is not null group by owner_id)
    select o.name, summed.*, ${kept} from ${owner} o left join summed on summed.owner_id = o.id
      left join (${ownerUsage} u full join texts using (owner_id)) as kept on kept.owner_id = o.id
      where summed.owner_id is not null or kept.owner_id is not null order by o.id`);
  const miscounts = rows.flatMap((row) =>
    parts.flatMap(([part, column]) => {
      const [counted, stored] = [Number(row[`kept_${column}`]), Number(row[column] ?? 0)];
      return counted === stored ? [] : [{ owner: row.name, part, counted, stored }];
    }),
  );
  return { owners: rows.length, miscounts };
}
