import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";

/** The last ids before the writes that may have been cut off. */
export interface Before {
  outboxId: number;
  repositoryId: number;
}

export interface Found {
  /** Sentences, each about two things that are not of the same transactions. */
  disagreements: string[];
  /** How many jobs are in the queue, and how many of them a process had begun. */
  jobs: number;
  lockedJobs: number;
}

/**
 * Compares what lies in a database after a crash, before a server starts on it: changes with the outbox and the queue that
 * were written with them, refs with the reflog and their packs, rows of files with the files. `before` null: the rows of
 * the outbox are not asked about, since a server that started since has removed them. `mailed`: addresses that got mail.
 */
export async function findDisagreements(
  sql: postgres.Sql,
  directory: string,
  before: Before | null,
  mailed: ReadonlySet<string>,
): Promise<Found> {
  const disagreements: string[] = [];
  const none = async (what: string, rows: Promise<readonly postgres.Row[]> | postgres.PendingQuery<postgres.Row[]>) => {
    for (const row of await rows) {
      disagreements.push(`${what}: ${JSON.stringify(row)}`);
    }
  };
  if (before !== null) {
    await none(
      "A repository without its event",
      sql`select id, name from repository where id > ${before.repositoryId} and not exists
        (select from outbox where kind = 'repository.created' and repository_id = repository.id)`,
    );
    await none(
      "An event of a repository that is not there",
      sql`select id, repository_id from outbox where id > ${before.outboxId} and repository_id is not null
        and not exists (select from repository where repository.id = repository_id)`,
    );
    await none(
      "A ref that is not where its last event says",
      sql`select name, encode(ref.oid, 'hex') as oid, moved.oid as told from ref join lateral
        (select moved_ref ->> 'newOid' as oid from outbox, jsonb_array_elements(payload -> 'refs') as moved_ref
         where kind = 'refs.moved' and outbox.repository_id = ref.repository_id and moved_ref ->> 'name' = ref.name
           and outbox.id > ${before.outboxId}
         order by outbox.id desc limit 1) moved on true
        where encode(ref.oid, 'hex') <> moved.oid`,
    );
    await none(
      "A ref of a new repository that nothing told",
      sql`select repository_id, name from ref where repository_id > ${before.repositoryId} and not exists
        (select from outbox, jsonb_array_elements(payload -> 'refs') as moved_ref
         where kind = 'refs.moved' and outbox.repository_id = ref.repository_id and moved_ref ->> 'name' = ref.name)
        and not exists (select from repository where repository.id = ref.repository_id and fork_of is not null)`,
    );
    await none(
      "A fork that is not whole, or that nothing told",
      sql`select id, name from repository where id > ${before.repositoryId} and fork_of is not null and (
        not exists (select from ref where ref.repository_id = repository.id)
        or not exists (select from repository_pack where repository_pack.repository_id = repository.id)
        or not exists (select from outbox where kind = 'repository.forked' and (payload -> 'fork' ->> 'id')::bigint = repository.id))`,
    );
    const unmailed = await sql<{ id: string; email: string }[]>`
      select id, email from email_address where not verified and not exists
        (select from job where (payload ->> 'emailId')::bigint = email_address.id)`;
    for (const { email } of unmailed.filter((row) => !mailed.has(row.email))) {
      disagreements.push(`An address was added, and its mail is neither sent nor in the queue: ${email}`);
    }
  }
  await none(
    "A ref that is not where the reflog says",
    sql`select ref.name, encode(ref.oid, 'hex') as oid, encode(last.new_oid, 'hex') as logged from ref join lateral
      (select new_oid from reflog where reflog.repository_id = ref.repository_id and reflog.name = ref.name
       order by reflog.id desc limit 1) last on true where last.new_oid is distinct from ref.oid`,
  );
  await none(
    "A job about an address that is not there",
    sql`select id from job where payload ->> 'emailId' is not null and not exists
      (select from email_address where email_address.id = (payload ->> 'emailId')::bigint)`,
  );
  await none("A job that failed for good", sql`select id, last_error from job where state = 'dead'`);
  disagreements.push(...(await findMissingFiles(sql, directory)));
  const [counts] = await sql<{ jobs: number; locked: number }[]>`
    select count(*)::int as jobs, count(*) filter (where state = 'running')::int as locked
    from job where not (state = 'waiting' and attempts = 0 and run_at > now())`;
  return { disagreements, jobs: counts?.jobs ?? 0, lockedJobs: counts?.locked ?? 0 };
}

async function findMissingFiles(sql: postgres.Sql, directory: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { checksum, bytes } of await sql<
    { checksum: string; bytes: string }[]
  >`select checksum, bytes from pack`) {
    const path = join(directory, "packs", checksum.slice(0, 2), `${checksum}.pack`);
    if (!existsSync(path) || !existsSync(path.replace(/\.pack$/, ".idx"))) {
      problems.push(`A pack's file or index is missing: ${checksum}`);
    } else if (statSync(path).size !== Number(bytes)) {
      problems.push(`A pack's file has ${statSync(path).size} bytes instead of ${bytes}: ${checksum}`);
    }
  }
  for (const { name, bytes } of await sql<{ name: string; bytes: string }[]>`
    select encode(sha256, 'hex') as name, bytes from blob`) {
    const path = join(directory, "blobs", name.slice(0, 2), name);
    if (!existsSync(path) || statSync(path).size !== Number(bytes)) {
      problems.push(`A blob's file is missing or has another size: ${name}`);
    }
  }
  return problems;
}
