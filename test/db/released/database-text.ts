import type postgres from "postgres";
import { migrations } from "../../../src/db/migrations.ts";
import { routines } from "../../../src/db/routines.ts";

/** Of the tables that the migrations make, and of the one that lists them. */
const isOurs = (name: string) => `${name} not in ('pg_catalog', 'information_schema') and ${name} not like 'pg_t%'`;

/** Writes a database of this version as SQL for an empty one: the schema as this version makes it, and all rows. */
export async function writeDatabase(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select format('%I.%I', nspname, relname) as name,
      (select string_agg(format('%I', attname), ', ' order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = relnamespace where relkind = 'r' and ${sql.unsafe(isOurs("nspname"))} order by 1`;
  const rows: string[] = [];
  for (const { name, columns } of tables) {
    const [{ text } = { text: null }] = await sql.unsafe<{ text: string | null }[]>(
      `select jsonb_agg(to_jsonb(t))::text as text from ${name} t`,
    );
    if (text !== null) {
      rows.push(
        `insert into ${name} (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::${name}, $rows$${text}$rows$::jsonb);`,
      );
    }
  }
  const sequences = await sql<{ name: string; last: string }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences where last_value is not null order by 1`;
  return [
    ...migrations.map((migration) => migration.sql),
    routines,
    `create table migration (name text collate "C" primary key, sha256 text not null, at timestamptz not null default now());`,
    "set session_replication_role = replica;",
    // The migrations may have inserted rows, too.
    `truncate ${tables.map(({ name }) => name).join(", ")};`,
    ...rows,
    ...sequences.map(({ name, last }) => `select setval('${name}', ${last});`),
    "reset session_replication_role;",
    "",
  ].join("\n");
}

/** Makes a database what `writeDatabase` wrote. */
export async function restoreDatabase(sql: postgres.Sql, text: string): Promise<void> {
  await sql.unsafe("drop schema if exists public, queue cascade; create schema public").simple();
  await sql.unsafe(text).simple();
}

/** Describes the schema of a database in sorted lines: all that a migration may have left in another way than a new database has it. */
export async function describeSchema(sql: postgres.Sql): Promise<string[]> {
  const ours = sql.unsafe(isOurs("nspname"));
  const rows = await sql<{ line: string }[]>`
    with class as (select c.*, format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace where ${ours})
    select format('table %s %s', name, reloptions) as line from class where relkind = 'r'
    union all select format('column %s.%I %s %s %s %s %s', name, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attcollation::regcollation)
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
      from class join pg_attribute a on a.attrelid = class.oid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where relkind = 'r' and attnum > 0 and not attisdropped
    union all select 'index ' || pg_get_indexdef(class.oid) from class where relkind = 'i'
    union all select format('constraint %s %I %s', name, conname, pg_get_constraintdef(o.oid)) from pg_constraint o join class on class.oid = conrelid where contype <> 'n'
    union all select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join class on class.oid = tgrelid where not tgisinternal
    union all select 'view ' || name || pg_get_viewdef(class.oid) from class where relkind = 'v'
    union all select 'sequence ' || name from class where relkind = 'S'
    union all select 'function ' || pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = pronamespace where ${ours} and prokind = 'f'`;
  return rows.map(({ line }) => line).toSorted();
}
