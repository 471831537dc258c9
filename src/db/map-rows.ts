import { Column, getTableName, is, SQL, Subquery } from "drizzle-orm";

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

/** A selected field as Drizzle keeps it with a prepared query: where it goes in a row, and what it is. */
interface Field {
  path: readonly string[];
  field: unknown;
}

/** What is used of Drizzle's prepared query. Without a mapper of its own it finds out anew for each value how to read it. */
interface Prepared {
  fields?: readonly Field[];
  joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly (readonly unknown[])[]) => unknown[];
}

interface PlannedColumn {
  index: number;
  key: string;
  /** null: the value is as the driver gives it. */
  decode: ((value: unknown) => unknown) | null;
}

function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) {
    return field;
  }
  if (is(field, SQL)) {
    return (field as unknown as { decoder: Decoder }).decoder;
  }
  const { sql } = is(field, Subquery) ? (field as unknown as { _: { sql: unknown } })._ : (field as { sql: unknown });
  return (sql as { decoder: Decoder }).decoder;
}

function planColumn({ path, field }: Field, index: number): PlannedColumn {
  const decoder = decoderOf(field);
  const isPlain = decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  return { index, key: path.at(-1) ?? "", decode: isPlain ? null : (value) => decoder.mapFromDriverValue(value) };
}

function fill(target: Record<string, unknown>, columns: readonly PlannedColumn[], row: readonly unknown[]): void {
  for (const { index, key, decode } of columns) {
    const value = row[index];
    target[key] = value === null || decode === null ? value : decode(value);
  }
}

/** An object of a row. */
interface PlannedObject {
  /** null: the row itself. */
  name: string | null;
  columns: readonly PlannedColumn[];
  /** Where a null says that there is no such object: the first column of a table with an outer join. */
  absentBy: number | null;
}

/** The object of a row that a field is in; null: the row itself. */
const objectOf = ({ path }: Field): string | null => (path.length > 1 ? (path[0] ?? "") : null);

/** Returns how an object is read, or null if only Drizzle can tell when there is none: it is of an outer join, and not of one table alone. */
function planObject(
  name: string | null,
  members: readonly { field: Field; column: PlannedColumn }[],
  joinsNotNullableMap: Readonly<Record<string, boolean>>,
): PlannedObject | null {
  const tables = new Set(members.map(({ field: { field } }) => (is(field, Column) ? getTableName(field.table) : null)));
  const isOuter = [...tables].some((table) => table !== null && joinsNotNullableMap[table] === false);
  const columns = members.map(({ column }) => column);
  if (name === null || !isOuter) {
    return { name, columns, absentBy: null };
  }
  return tables.size > 1 ? null : { name, columns, absentBy: columns[0]?.index ?? null };
}

/**
 * Gives a prepared query of many rows a mapper that is planned once: with Drizzle's own, to map thirty issues takes longer than all else that
 * the server does for their list. Where it cannot tell how Drizzle would map a row, the query stays as it is. Returns the query.
 */
export function mapRowsByPlan<Query extends object>(query: Query): Query {
  const prepared = query as Prepared;
  const { fields, joinsNotNullableMap = {} } = prepared;
  if (fields === undefined || fields.some(({ path }) => path.length > 2)) {
    return query;
  }
  const planned = fields.map((field, index) => ({ field, column: planColumn(field, index) }));
  const objects: PlannedObject[] = [];
  for (const [name, members] of Map.groupBy(planned, ({ field }) => objectOf(field))) {
    const object = planObject(name, members, joinsNotNullableMap);
    if (object === null) {
      return query;
    }
    objects.push(object);
  }
  prepared.customResultMapper = (rows) =>
    rows.map((row) => {
      const result: Record<string, unknown> = {};
      for (const { name, columns, absentBy } of objects) {
        if (name === null) {
          fill(result, columns, row);
        } else if (absentBy !== null && row[absentBy] === null) {
          result[name] = null;
        } else {
          const part: Record<string, unknown> = {};
          fill(part, columns, row);
          result[name] = part;
        }
      }
      return result;
    });
  return query;
}
