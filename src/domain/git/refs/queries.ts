import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { gitStore, ref, repository, wiki } from "../../../db/schema/repositories.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import { Turns } from "../../../lib/turns.ts";
import type { MergeState } from "../protections/decide-change.ts";
import { isWikiStore, repositoryOfStore } from "../wiki-stores/wiki-store.ts";

const oid = sql<string>`encode(${ref.oid}, 'hex')`;
const peeled = sql<string | null>`encode(${ref.peeled}, 'hex')`;

// One text, not a row for each: a repository may have 100,000, and each row costs this thread as much as three of its lines.
const lines = sql<
  string | null
>`string_agg(${oid} || ' ' || coalesce(${peeled}, '') || ' ' || ${ref.name}, E'\n' order by ${ref.name})`;

/** Prepares the queries that answer a generation, too, which is in another table for the refs of wikis. */
function prepareReads(db: Database, of: typeof repository | typeof wiki, prefix: string) {
  // Both have an id and a generation, and no more is read of them.
  const table = of as typeof repository;
  const ofRepository = eq(ref.repositoryId, sql.placeholder("repositoryId"));
  const one = db
    .select({ name: ref.name, oid, peeled, generation: table.generation })
    .from(ref)
    .innerJoin(table, eq(table.id, ref.repositoryId))
    .where(and(ofRepository, eq(ref.name, sql.placeholder("name"))))
    .prepare(`find_${prefix}ref`);
  const named = db
    .select({ name: ref.name, oid, peeled, generation: table.generation })
    .from(ref)
    .innerJoin(table, eq(table.id, ref.repositoryId))
    .where(
      and(
        ofRepository,
        sql`(${ref.name} = ${sql.placeholder("branch")}::text or ${ref.name} = ${sql.placeholder("tag")}::text)`,
      ),
    )
    .orderBy(sql`${ref.name} = ${sql.placeholder("branch")}::text desc`)
    .limit(1)
    .prepare(`find_named_${prefix}ref`);
  const all = db
    .select({
      lines,
      generation: sql<
        number | null
      >`(select ${table.generation} from ${table} where ${table.id} = ${sql.placeholder("repositoryId")})`.mapWith(
        table.generation,
      ),
    })
    .from(ref)
    .where(ofRepository)
    .prepare(`list_${prefix}refs`);
  return { one, named, all };
}

/** Prepares the queries of refs that requests make. Oids are hexadecimal. */
export function prepareRefQueries(db: Database) {
  const ofRepository = eq(ref.repositoryId, sql.placeholder("repositoryId"));
  const ofCode = prepareReads(db, repository, "");
  const ofWikis = prepareReads(db, wiki, "wiki_");
  const reads = (repositoryId: number) => (isWikiStore(repositoryId) ? ofWikis : ofCode);
  const distinct = db.selectDistinct({ oid: ref.oid }).from(ref).where(ofRepository).as("distinct_oids");
  const oids = db
    .select({ words: sql<string | null>`string_agg(encode(${distinct.oid}, 'hex'), ' ')` })
    .from(distinct)
    .prepare("list_oids_of_refs");
  const inRange = and(ofRepository, sql`starts_with(${ref.name}, ${sql.placeholder("prefix")}::text)`);
  const page = db
    .select({ name: ref.name, oid, peeled })
    .from(ref)
    .where(inRange)
    .orderBy(asc(ref.name))
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .prepare("page_of_refs");
  const below = db.select({ lines }).from(ref).where(inRange).prepare("list_refs_below");
  const total = db.select({ value: count() }).from(ref).where(inRange).prepare("count_refs");
  return {
    /** The ref of this full name, and the repository's generation at that moment. */
    async findRef(repositoryId: number, name: string): Promise<(Ref & { generation: number }) | null> {
      const [row] = await reads(repositoryId).one.execute({ repositoryId, name });
      return row ?? null;
    },
    /**
     * The ref of this full name where it begins with `refs/`, and no other one; else the branch of this short name, else the tag. And the
     * generation at that moment.
     */
    async findNamed(repositoryId: number, name: string): Promise<(Ref & { generation: number }) | null> {
      if (name.startsWith("refs/")) {
        return this.findRef(repositoryId, name);
      }
      const [row] = await reads(repositoryId).named.execute({
        repositoryId,
        branch: `refs/heads/${name}`,
        tag: `refs/tags/${name}`,
      });
      return row ?? null;
    },
    /** All of them, ordered by the bytes of their names. */
    async listRefs(repositoryId: number): Promise<Ref[]> {
      return (await this.listRefsWithGeneration(repositoryId)).refs;
    },
    /** Lists the refs with the repository's generation at that moment; null if it is gone. */
    async listRefsWithGeneration(repositoryId: number): Promise<{ refs: Ref[]; generation: number | null }> {
      const [row] = await reads(repositoryId).all.execute({ repositoryId });
      return { refs: await parseLines(row?.lines ?? ""), generation: row?.generation ?? null };
    },
    /** Lists the refs whose names begin with the prefix, such as refs/heads/, ordered by name. */
    async listRefsBelow(repositoryId: number, prefix: string): Promise<Ref[]> {
      const [row] = await below.execute({ repositoryId, prefix });
      return parseLines(row?.lines ?? "");
    },
    /** Lists the oids that refs point to, each once. */
    async listOids(repositoryId: number): Promise<string[]> {
      const [row] = await oids.execute({ repositoryId });
      return row?.words?.split(" ") ?? [];
    },
    /**
     * Returns a page of the refs whose names begin with the prefix, such as refs/heads/, ordered by name, and how many
     * there are in all.
     */
    async pageOfRefs(
      repositoryId: number,
      prefix: string,
      slice: { size: number; offset: number },
    ): Promise<{ rows: Ref[]; total: number }> {
      const [counted, rows] = await Promise.all([
        total.execute({ repositoryId, prefix }),
        page.execute({ repositoryId, prefix, limit: slice.size, offset: slice.offset }),
      ]);
      return { rows, total: counted[0]?.value ?? 0 };
    },
  };
}

/** Lines of oid, peeled oid or nothing, and name, which has no space. Others have their turns meanwhile. */
async function parseLines(lines: string): Promise<Ref[]> {
  const refs: Ref[] = [];
  const turns = new Turns();
  for (let at = 0; at < lines.length;) {
    const first = lines.indexOf(" ", at);
    const second = lines.indexOf(" ", first + 1);
    const end = lines.indexOf("\n", second + 1);
    const next = end < 0 ? lines.length : end;
    refs.push({
      name: lines.slice(second + 1, next),
      oid: lines.slice(at, first),
      peeled: second === first + 1 ? null : lines.slice(first + 1, second),
    });
    at = next + 1;
    if (refs.length % 256 === 0 && turns.over) {
      await turns.pass();
    }
  }
  return refs;
}

export type RefQueries = ReturnType<typeof prepareRefQueries>;

/** The data of the repository for a write to its refs. */
export interface LockedRepository {
  generation: number;
  defaultBranch: string;
  empty: boolean;
  archived: boolean;
  /** It follows a repository elsewhere; a wiki does not. */
  mirror: boolean;
}

/**
 * Takes the repository's row for this transaction and raises its generation: every write to refs begins with it, so
 * two of them never interleave. null when the repository is gone.
 */
export async function lockRefs(tx: Transaction, repositoryId: number): Promise<LockedRepository | null> {
  if (isWikiStore(repositoryId)) {
    return lockWikiRefs(tx, repositoryId);
  }
  const [row] = await tx
    .update(repository)
    .set({ generation: sql`${repository.generation} + 1`, updatedAt: sql`now()` })
    .where(eq(repository.id, repositoryId))
    .returning({
      generation: repository.generation,
      defaultBranch: repository.defaultBranch,
      empty: repository.empty,
      archivedAt: repository.archivedAt,
      mirror: repository.mirror,
    });
  return row === undefined
    ? null
    : {
        generation: row.generation,
        defaultBranch: row.defaultBranch,
        empty: row.empty,
        archived: row.archivedAt !== null,
        mirror: row.mirror,
      };
}

/** Locks the row of a wiki, which the first write makes. The repository's own generation and age stay. */
async function lockWikiRefs(tx: Transaction, storeId: number): Promise<LockedRepository | null> {
  const [of] = await tx
    .select({ defaultBranch: repository.wikiBranch, archivedAt: repository.archivedAt })
    .from(repository)
    .where(eq(repository.id, repositoryOfStore(storeId)))
    .for("no key update");
  if (of === undefined) {
    return null;
  }
  await tx.insert(gitStore).values({ id: storeId }).onConflictDoNothing();
  const [row] = await tx
    .insert(wiki)
    .values({ id: storeId, generation: 1 })
    .onConflictDoUpdate({ target: wiki.id, set: { generation: sql`${wiki.generation} + 1` } })
    .returning({ generation: wiki.generation, empty: wiki.empty });
  return row === undefined
    ? null
    : { ...row, defaultBranch: of.defaultBranch, archived: of.archivedAt !== null, mirror: false };
}

/** Every ref's oid by its name. */
export async function readRefs(tx: Reader, repositoryId: number): Promise<Map<string, string>> {
  const rows = await tx.select({ name: ref.name, oid }).from(ref).where(eq(ref.repositoryId, repositoryId));
  return new Map(rows.map((row) => [row.name, row.oid]));
}

/**
 * The refs that decide about these changes, with their oids by name: those that are changed, those whose names are
 * directories in the names of new ones, and for each new one a ref below it that is not deleted with it, if there is any.
 */
export async function readRefsAround(
  tx: Transaction,
  repositoryId: number,
  changes: readonly RefChange[],
): Promise<Map<string, string>> {
  const created = changes
    .filter((change) => change.newOid !== null && change.oldOid === null)
    .map((change) => change.name);
  const deleted = changes.filter((change) => change.newOid === null).map((change) => change.name);
  const wanted = new Set(changes.map((change) => change.name));
  for (const name of created) {
    for (let slash = name.lastIndexOf("/"); slash > 0; slash = name.lastIndexOf("/", slash - 1)) {
      wanted.add(name.slice(0, slash));
    }
  }
  // Names below "a" sort between "a/" and "a0", the character after the slash.
  const rows = await tx.execute<{ name: string; oid: string }>(sql`
    select name, encode(oid, 'hex') as oid from ${ref} where repository_id = ${repositoryId} and name = any(${sql.param([...wanted])}::text[])
    union
    select below.name, encode(below.oid, 'hex') from unnest(${sql.param(created)}::text[]) as made (name), lateral (
      select name, oid from ${ref} as other where other.repository_id = ${repositoryId}
        and other.name > made.name || '/' and other.name < made.name || '0'
        and other.name not in (select unnest(${sql.param(deleted)}::text[]))
      limit 1) as below`);
  return new Map(rows.map((row) => [row.name, row.oid]));
}

/** Finds the engine's view of a repository, and the commit of its default branch; null if the repository is gone. */
export async function findForFacts(db: Reader, repositoryId: number) {
  const [row] = await db
    .select({
      id: repository.id,
      name: repository.name,
      objectFormat: repository.objectFormat,
      defaultBranch: repository.defaultBranch,
      defaultTip: sql<string | null>`encode(${ref.oid}, 'hex')`,
    })
    .from(repository)
    .leftJoin(
      ref,
      and(eq(ref.repositoryId, repository.id), eq(ref.name, sql`'refs/heads/' || ${repository.defaultBranch}`)),
    )
    .where(eq(repository.id, repositoryId));
  return row ?? null;
}

/** Whether the branch of this short name exists. */
export async function hasBranch(db: Reader, repositoryId: number, name: string): Promise<boolean> {
  const [row] = await db
    .select({ value: count() })
    .from(ref)
    .where(and(eq(ref.repositoryId, repositoryId), eq(ref.name, `refs/heads/${name}`)));
  return (row?.value ?? 0) > 0;
}

/** Whether the tag of this short name exists. */
export async function hasTag(db: Reader, repositoryId: number, name: string): Promise<boolean> {
  const [row] = await db
    .select({ name: ref.name })
    .from(ref)
    .where(and(eq(ref.repositoryId, repositoryId), eq(ref.name, `refs/tags/${name}`)));
  return row !== undefined;
}

/** Whether the repository has any branch. */
export async function hasAnyBranch(tx: Transaction, repositoryId: number): Promise<boolean> {
  const [row] = await tx
    .select({ name: ref.name })
    .from(ref)
    .where(and(eq(ref.repositoryId, repositoryId), sql`starts_with(${ref.name}, 'refs/heads/')`))
    .limit(1);
  return row !== undefined;
}

/** A ref that is created (no old oid), moved, or deleted (no new oid). Oids are hexadecimal. */
export interface RefChange {
  name: string;
  oldOid: string | null;
  newOid: string | null;
  /** The object that the new oid finally points at, if it is an annotated tag. */
  peeled: string | null;
  /** Whether the move gives up commits of the old oid, where that is known. */
  forced?: boolean | undefined;
  /** A pull request is merged by this move. */
  merge?: MergeState | undefined;
  /** The branch is renamed, and keeps the rule that has its exact name: no rule decides about that. */
  isRuleRenamed?: boolean | undefined;
}

/** Writes changes that have been decided, and the reflog beside them: one statement for any number of refs, two where some are deleted. */
export async function writeRefs(
  tx: Transaction,
  repositoryId: number,
  changes: readonly RefChange[],
  log: { actorId: number | null; reason: string },
): Promise<void> {
  const kept = changes.filter((change) => change.newOid !== null);
  const deleted = changes.filter((change) => change.newOid === null).map((change) => change.name);
  if (deleted.length > 0) {
    await tx.execute(
      sql`delete from ${ref} where repository_id = ${repositoryId} and name = any(${sql.param(deleted)}::text[])`,
    );
  }
  const written = sql`with written as (
    insert into ${ref} (repository_id, name, oid, peeled)
    select ${repositoryId}::bigint, name, decode(oid, 'hex'), decode(nullif(peeled, ''), 'hex')
    from unnest(${sql.param(kept.map((change) => change.name))}::text[], ${sql.param(kept.map((change) => change.newOid ?? ""))}::text[],
      ${sql.param(kept.map((change) => change.peeled ?? ""))}::text[]) as change (name, oid, peeled)
    on conflict (repository_id, name) do update set oid = excluded.oid, peeled = excluded.peeled)`;
  if (changes.length > 0) {
    await tx.execute(sql`${kept.length > 0 ? written : sql``}
      insert into reflog (repository_id, name, old_oid, new_oid, actor_id, reason)
      select ${repositoryId}::bigint, name, decode(nullif(old, ''), 'hex'), decode(nullif(new, ''), 'hex'), ${log.actorId}::bigint, ${log.reason}
      from unnest(${sql.param(changes.map((change) => change.name))}::text[], ${sql.param(changes.map((change) => change.oldOid ?? ""))}::text[],
        ${sql.param(changes.map((change) => change.newOid ?? ""))}::text[]) as change (name, old, new)`);
  }
}

/** Says which branch is the default one, and that the repository has a branch now or has none. */
export async function setHead(
  tx: Transaction,
  repositoryId: number,
  head: { defaultBranch: string; empty: boolean },
): Promise<void> {
  if (isWikiStore(repositoryId)) {
    await tx.update(wiki).set({ empty: head.empty }).where(eq(wiki.id, repositoryId));
    const { defaultBranch: wikiBranch } = head;
    await tx
      .update(repository)
      .set({ wikiBranch })
      .where(eq(repository.id, repositoryOfStore(repositoryId)));
    return;
  }
  await tx.update(repository).set(head).where(eq(repository.id, repositoryId));
}
