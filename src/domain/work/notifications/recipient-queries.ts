import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { discussionVisibleSql, repositoryVisibleSql, unitVisibleSql } from "../../../auth/access-sql.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { comment } from "../../../db/schema/comments.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import { issue, issueAssignee, issueMention, issueSubscription } from "../../../db/schema/issues.ts";
import { notification, notificationReasons, type NotificationReason } from "../../../db/schema/notifications.ts";
import { accessModes, account, owner, team, teamMember, type MailChoice } from "../../../db/schema/owners.ts";
import { review } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { block, watch } from "../../../db/schema/social.ts";

/**
 * The recipients of an event: all users whom an issue concerns, or these users, or the members of a team, for this
 * reason.
 */
export type Audience =
  | { kind: "concerned" }
  | { kind: "users"; ids: readonly number[]; reason: NotificationReason }
  | { kind: "team"; id: number; reason: NotificationReason };

export interface Telling {
  issueId: number;
  audience: Audience;
  /** The user who did it. They get no notification. */
  doerId: number | null;
}

const rankOf = (reason: NotificationReason): SQL => sql.raw(String(notificationReasons.indexOf(reason) + 1));
const reasonNames = sql.raw(`array[${notificationReasons.map((reason) => `'${reason}'`).join(", ")}]`);

const reader = {
  id: sql`${account.ownerId}`,
  isAdmin: sql`${account.isAdmin}`,
  restricted: sql`${account.restricted}`,
};

/** Selects `user_id` and the rank of a reason of each who would hear, some more than once. */
function candidates(issueId: number, audience: Audience): SQL {
  if (audience.kind === "users") {
    return sql`select unnest(${sql.param([...audience.ids])}::bigint[]) as user_id, ${rankOf(audience.reason)} as rank`;
  }
  if (audience.kind === "team") {
    return sql`select ${teamMember.userId} as user_id, ${rankOf(audience.reason)} as rank from ${teamMember} where ${teamMember.teamId} = ${audience.id}`;
  }
  return concernedBy(sql`${issueId}`);
}

function concernedBy(issueId: SQL): SQL {
  return sql`select ${issueAssignee.userId} as user_id, ${rankOf("assigned")} as rank from ${issueAssignee} where ${issueAssignee.issueId} = ${issueId}
    union all select ${issueMention.userId}, ${rankOf("mentioned")} from ${issueMention} where ${issueMention.issueId} = ${issueId}
    union all select ${issue.authorId}, ${rankOf("wrote")} from ${issue} where ${issue.id} = ${issueId}
    union all select ${comment.authorId}, ${rankOf("commented")} from ${comment} where ${comment.issueId} = ${issueId}
      and ${comment.kind} in ('comment', 'code') and not ${comment.pending}
    union all select ${review.reviewerId}, case when ${review.kind} = 'request' then ${rankOf("review-requested")} else ${rankOf("commented")} end
      from ${review} where ${review.pullId} = ${issueId} and ${review.kind} <> 'pending' and ${review.reviewerId} is not null
    union all select ${issueSubscription.userId}, ${rankOf("subscribed")} from ${issueSubscription}
      where ${issueSubscription.issueId} = ${issueId} and ${issueSubscription.watching}
    union all select ${watch.userId}, ${rankOf("watching")} from ${issue}
      join ${watch} on ${watch.repositoryId} = ${issue.repositoryId}
      where ${issue.id} = ${issueId} and case when ${issue.isPull} then ${watch.pulls} else ${watch.issues} end`;
}

const concerning = preparedByShape((db: Reader) =>
  db
    .select({ userId: sql<number>`every.user_id` })
    .from(sql`(${concernedBy(sql`${sql.placeholder("issueId")}::bigint`)}) every`)
    .where(sql`every.user_id = ${sql.placeholder("userId")}::bigint`)
    .limit(1)
    .prepare("is_concerned"),
);

/** Whether an issue concerns a user who has neither subscribed to it nor unsubscribed. */
export async function isConcerned(db: Reader, issueId: number, userId: number): Promise<boolean> {
  return (await concerning(db, null).execute({ issueId, userId })).length > 0;
}

/** Whether `account` is to hear of what this user did: it is somebody else, whom they do not keep away. */
function hearsOfSql(doerId: number | null): SQL | undefined {
  return doerId === null
    ? undefined
    : sql`${account.ownerId} <> ${doerId} and not exists (select 1 from ${block}
        where ${block.blockerId} = ${account.ownerId} and ${block.blockedId} = ${doerId})`;
}

/** A notification that exists becomes unread again, unless it is pinned. */
const again = sql`on conflict (user_id, repository_id, coalesce(issue_id, 0)) do update
  set status = case when ${notification.status} = 'pinned' then 'pinned' else 'unread' end, reason = excluded.reason, updated_at = excluded.updated_at,
    unread_since = case when ${notification.status} = 'read' then excluded.updated_at else ${notification.unreadSince} end`;

/**
 * Notifies those of an audience of an issue who may read it and did not unsubscribe from it, whose ids are above `afterId`, in their order,
 * `most` of them. When there are more it notifies nobody if `allOrNone`. Returns the ids of those whom it found, `most` + 1 at most.
 */
export async function tellOfIssue(
  tx: Transaction,
  { issueId, audience, doerId }: Telling,
  { afterId, most, allOrNone }: { afterId: number; most: number; allOrNone: boolean },
): Promise<number[]> {
  const mayRead = discussionVisibleSql(reader, issue.isPull);
  const rows = await tx.execute<{ id: string }>(sql`
    with candidate as (select user_id, min(rank) as rank from (${candidates(issueId, audience)}) every
        where user_id > ${afterId} group by user_id),
      found as materialized (
        select ${account.ownerId} as id, candidate.rank, ${issue.repositoryId} as repository_id, ${issue.isPull} as is_pull
        from candidate join ${account} on ${account.ownerId} = candidate.user_id
          join ${issue} on ${issue.id} = ${issueId}
          join ${repository} on ${repository.id} = ${issue.repositoryId}
          join ${owner} on ${owner.id} = ${repository.ownerId}
        where ${and(
          sql`${account.active} and not ${account.suspended}`,
          hearsOfSql(doerId),
          sql`not exists (select 1 from ${issueSubscription} where ${issueSubscription.issueId} = ${issueId}
            and ${issueSubscription.userId} = ${account.ownerId} and not ${issueSubscription.watching})`,
          mayRead,
        )}
        order by 1 limit ${most + 1}),
      told as (insert into ${notification} (user_id, repository_id, subject, issue_id, reason)
        select id, repository_id, case when is_pull then 'pull' else 'issue' end, ${issueId}, (${reasonNames})[rank]
        from (select * from found order by id limit ${most}) first
        where not ${allOrNone}::boolean or (select count(*) from found) <= ${most}
        order by id ${again})
    select id from found order by id`);
  return rows.map(({ id }) => Number(id));
}

/** Notifies those of a repository that is offered to them, or to an organization that they may create repositories in. Returns their ids. */
export async function tellOfOffer(
  tx: Transaction,
  repositoryId: number,
  recipientId: number,
  doerId: number | null,
): Promise<number[]> {
  const isRecipient = sql`(${account.ownerId} = ${recipientId} or ${account.ownerId} in (
    select ${teamMember.userId} from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${team.organizationId} = ${recipientId} and (${team.canCreateRepositories} or ${team.mode} = ${accessModes.owner})))`;
  const rows = await tx.execute<{ id: string }>(sql`
    insert into ${notification} (user_id, repository_id, subject, reason)
    select ${account.ownerId}, ${repository.id}, 'repository', 'offered'
    from ${account} join ${repository} on ${eq(repository.id, repositoryId)} join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${and(sql`${account.active} and not ${account.suspended}`, isRecipient, hearsOfSql(doerId), repositoryVisibleSql(reader))}
    order by 1 ${again} returning user_id as id`);
  return rows.map(({ id }) => Number(id));
}

/** Notifies those who watch the releases of a repository. Returns their ids. */
export async function tellOfRelease(tx: Transaction, repositoryId: number, doerId: number | null): Promise<number[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    insert into ${notification} (user_id, repository_id, subject, reason)
    select ${account.ownerId}, ${repository.id}, 'repository', 'released'
    from ${watch} join ${account} on ${account.ownerId} = ${watch.userId}
      join ${repository} on ${repository.id} = ${watch.repositoryId} join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${and(
      eq(watch.repositoryId, repositoryId),
      watch.releases,
      sql`${account.active} and not ${account.suspended}`,
      hearsOfSql(doerId),
      unitVisibleSql(reader, "releases"),
    )}
    order by 1 ${again} returning user_id as id`);
  return rows.map(({ id }) => Number(id));
}

/** Notifies the owner of a repository, or the owners of the organization, that their quota is nearly used up; also who did it. Returns their ids. */
export async function tellOfQuota(tx: Transaction, repositoryId: number, ownerId: number): Promise<number[]> {
  const isOwner = sql`(${account.ownerId} = ${ownerId} or ${account.ownerId} in (
    select ${teamMember.userId} from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${team.organizationId} = ${ownerId} and ${team.mode} = ${accessModes.owner}))`;
  const rows = await tx.execute<{ id: string }>(sql`
    insert into ${notification} (user_id, repository_id, subject, reason)
    select ${account.ownerId}, ${repositoryId}::bigint, 'repository', 'quota'
    from ${account} where ${and(sql`${account.active} and not ${account.suspended}`, isOwner)}
    order by 1 ${again} returning user_id as id`);
  return rows.map(({ id }) => Number(id));
}

/** To whom a mail about an issue goes. */
export interface MailAudience {
  issueId: number;
  audience: Audience;
  /** The user who did it. They get a mail only if they want mails about their own actions. */
  doerId: number | null;
  /** Names in lower case: of those whom the text names. */
  named: readonly string[];
  /** The choice of users who made none. */
  usual: MailChoice;
}

/** Somebody who gets a mail, at an address that is known to be theirs. */
export interface MailReader {
  id: number;
  name: string;
  email: string;
}

const mailed = alias(owner, "mailed");

/**
 * Returns the users of an issue's audience who want a mail and may read the issue now: at most `most`, by id, with ids
 * above `afterId`. Users who unsubscribed, blocked the doer, have no verified address or may not sign in get none.
 */
export async function findMailReaders(
  db: Reader,
  { issueId, audience, doerId, named, usual }: MailAudience,
  { afterId, most }: { afterId: number; most: number },
): Promise<MailReader[]> {
  const isUser = audience.kind === "users";
  const choice = sql`coalesce(${account.mailChoice}, ${usual})`;
  const isDirect = isUser ? sql`true` : sql`${mailed.lowerName} = any(${sql.param([...named])}::text[])`;
  const isOwn = sql`${account.ownerId} is not distinct from ${doerId}::bigint`;
  const rows = await db
    .select({ id: account.ownerId, name: mailed.name, email: emailAddress.email })
    .from(
      sql`(select distinct user_id from (${candidates(issueId, audience)}) every where user_id > ${afterId}) candidate`,
    )
    .innerJoin(account, sql`${account.ownerId} = candidate.user_id`)
    .innerJoin(mailed, eq(mailed.id, account.ownerId))
    .innerJoin(emailAddress, and(eq(emailAddress.userId, account.ownerId), emailAddress.primary, emailAddress.verified))
    .innerJoin(issue, eq(issue.id, issueId))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        account.active,
        sql`not ${account.suspended}`,
        sql`case ${choice} when 'disabled' then false when 'andyourown' then true when 'onmention' then ${isDirect} and not ${isOwn} else not ${isOwn} end`,
        sql`not exists (select 1 from ${block} where ${block.blockerId} = ${account.ownerId} and ${block.blockedId} = ${doerId}::bigint)`,
        sql`not exists (select 1 from ${issueSubscription} where ${issueSubscription.issueId} = ${issueId}
          and ${issueSubscription.userId} = ${account.ownerId} and not ${issueSubscription.watching})`,
        discussionVisibleSql(reader, issue.isPull),
      ),
    )
    .orderBy(asc(account.ownerId))
    .limit(most);
  return rows;
}
