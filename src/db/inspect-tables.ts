import type postgres from "postgres";

/** The contents of a database before the first write. */
export interface FoundTables {
  /** Whether it has this product's table of migrations. */
  migrated: boolean;
  /** Names of the tables on the search path, at most fifty, in their order; those of extensions are left out. */
  tables: string[];
  /** Its encoding, such as UTF8. */
  encoding: string;
}

/** Looks at the tables of a database in one statement. */
export async function inspectTables(sql: postgres.Sql): Promise<FoundTables> {
  const [row] = await sql<[FoundTables]>`
    with mine as (
      select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
        and pg_table_is_visible(c.oid)
        and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))
    select
      exists (select 1 from mine where relname = 'migration' and 2 = (
        select count(*) from pg_attribute a where a.attrelid = mine.oid and a.attname in ('name', 'sha256') and not a.attisdropped)) as migrated,
      array(select relname::text from mine order by relname limit 50) as tables,
      current_setting('server_encoding') as encoding`;
  return row;
}
