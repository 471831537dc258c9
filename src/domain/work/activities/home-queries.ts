import { and, desc, eq, sql, type SQL } from "drizzle-orm";
import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import { limitsOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import { accessModes, owner } from "../../../db/schema/owners.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { ref, repository } from "../../../db/schema/repositories.ts";
import { activity, follow, watch } from "../../../db/schema/social.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { deedColumns, deedOf, deedVisibleSql, doer, type Deed } from "./queries.ts";

/** How many people and repositories a feed hears, those that were followed or watched last, and how much of each. */
const mostHeard = 300;
const mostOfEach = 10;
/** How many deeds are looked at for one page. What the viewer may not see is left out of them. */
const mostLookedAt = 100;

const few = (number: number): SQL => sql.raw(String(number));

const followedBy = preparedByShape((db: Reader, limits: CredentialLimits) => {
  const viewing = viewerSql(limits);
  // A few of each by an index: to walk the newest of all would take long for who follows little.
  const heard = sql`(select distinct newest.id from (
      (select ${follow.followedId} as actor_id, null::bigint as repository_id from ${follow}
        where ${follow.followerId} = ${viewing.id} order by ${follow.createdAt} desc limit ${few(mostHeard)})
      union all
      (select null, ${watch.repositoryId} from ${watch}
        where ${watch.userId} = ${viewing.id} order by ${watch.createdAt} desc limit ${few(mostHeard)})) source,
      lateral (
        (select by_actor.id from ${activity} by_actor where by_actor.actor_id = source.actor_id
          order by by_actor.id desc limit ${few(mostOfEach)})
        union all
        (select there.id from ${activity} there where there.repository_id = source.repository_id
          order by there.id desc limit ${few(mostOfEach)})) newest
      order by newest.id desc limit ${few(mostLookedAt)}) heard`;
  return db
    .select(deedColumns(viewing))
    .from(heard)
    .innerJoin(activity, sql`${activity.id} = heard.id`)
    .innerJoin(doer, eq(doer.id, activity.actorId))
    .innerJoin(repository, eq(repository.id, activity.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(and(sql`${activity.actorId} <> ${viewing.id}`, deedVisibleSql(viewing)))
    .orderBy(desc(activity.id))
    .limit(sql.placeholder("size"))
    .prepare("list_followed_deeds");
});

/** The newest deeds of others whom a user follows, or in repositories that they watch, as far as they may see them. */
export async function listFollowedDeeds(db: Reader, viewer: Viewer & { actor: Actor }, size: number): Promise<Deed[]> {
  const rows = await followedBy(db, limitsOf(viewer.credential)).execute({ ...viewerValues(viewer), size });
  return rows.map(deedOf);
}

/** A branch that somebody pushed to, its short name, and when they last did. */
export interface PushedBranch {
  access: RepositoryAccess;
  branch: string;
  at: Date;
}

/** How many of their pushes are looked at. */
const mostPushes = 200;

/** The branches that a user pushed to in the last two weeks and that no pull request is from, the newest first. */
export async function listOpenEnds(
  db: Reader,
  viewer: Viewer & { actor: Actor },
  size: number,
): Promise<PushedBranch[]> {
  const rows = await db.execute<{ repository_id: string; branch: string; at: string }>(sql`
    select pushed.repository_id, substr(pushed.ref_name, 12) as branch, max(pushed.at) as at
    from (select ${activity.repositoryId}, ${activity.refName}, ${activity.at} from ${activity}
        where ${activity.actorId} = ${viewer.actor.id} and ${activity.kind} = 'commit_repo'
          and ${activity.at} > now() - interval '14 days'
        order by ${activity.id} desc limit ${few(mostPushes)}) pushed
      join ${repository} on ${repository.id} = pushed.repository_id
      join ${ref} on ${ref.repositoryId} = pushed.repository_id and ${ref.name} = pushed.ref_name
    where pushed.ref_name like 'refs/heads/%' and pushed.ref_name <> 'refs/heads/' || ${repository.defaultBranch}
      and ${repository.archivedAt} is null
      and not exists (select 1 from ${pull} where ${pull.headRepositoryId} = pushed.repository_id
        and ${pull.headBranch} = substr(pushed.ref_name, 12) and (${pull.open} or ${pull.headOid} = ${ref.oid}))
    group by 1, 2 order by 3 desc limit ${size}`);
  const places = await findVisibleRepositories(
    db,
    viewer,
    rows.map((row) => Number(row.repository_id)),
  );
  return rows.flatMap(({ repository_id, branch, at }) => {
    const access = places.get(Number(repository_id));
    return access === undefined || access.units.code < accessModes.read ? [] : [{ access, branch, at: new Date(at) }];
  });
}
