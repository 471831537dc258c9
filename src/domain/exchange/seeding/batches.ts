import type { SeedRecord } from "./seed-records.ts";

/** Records of one kind. */
export type Batch = readonly [SeedRecord, ...SeedRecord[]];

/** How much one unit of work makes at most: rows, and characters of text. A single record may be more. */
const maxRows = 5000;
const maxCharacters = 8_000_000;

/** The weight of each kind in rows: users and repositories are made one by one, so a batch has fewer of them. */
const rowsOf = { users: 25, organizations: 25, repositories: 250, labels: 1, milestones: 1 } as const;

/** Gathers records of one kind, in their order, into batches of bounded size. */
export async function* inBatches(records: AsyncIterable<SeedRecord> | Iterable<SeedRecord>): AsyncGenerator<Batch> {
  let batch: SeedRecord[] = [];
  let rows = 0;
  let characters = 0;
  for await (const record of records) {
    const [ownRows, ownCharacters] = weightOf(record);
    const [first, ...rest] = batch;
    if (
      first !== undefined &&
      (first.kind !== record.kind || rows + ownRows > maxRows || characters + ownCharacters > maxCharacters)
    ) {
      yield [first, ...rest];
      batch = [];
      rows = 0;
      characters = 0;
    }
    batch.push(record);
    rows += ownRows;
    characters += ownCharacters;
  }
  const [first, ...rest] = batch;
  if (first !== undefined) {
    yield [first, ...rest];
  }
}

function weightOf(record: SeedRecord): [rows: number, characters: number] {
  if (record.kind !== "issues") {
    return [rowsOf[record.kind], 0];
  }
  const { title, body, comments } = record.value;
  const texts = comments.reduce((sum, comment) => sum + comment.body.length, title.length + body.length);
  return [1 + comments.length, texts];
}
