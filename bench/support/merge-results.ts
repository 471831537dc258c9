/**
 * What a benchmark has printed so far, with what it printed now. A text consists of paragraphs: some lines on the
 * circumstances of a run, then the tables of that run, then perhaps the same of further runs. A row of an older table goes when
 * a new table of the same kind (the first column's title) has rows of the same name (the first column), so that what was
 * not measured anew stays, under the circumstances in which it was.
 */
export function mergeResults(before: string, now: string): string {
  const anew = new Set(
    paragraphs(now)
      .filter(isTable)
      .flatMap((table) => names(table).map((name) => key(table, name))),
  );
  const kept: string[] = [];
  let circumstances: string | null = null;
  for (const paragraph of paragraphs(before)) {
    if (!isTable(paragraph)) {
      circumstances = paragraph;
      continue;
    }
    const [title = "", rule = "", ...rows] = paragraph.split("\n");
    const left = rows.filter((row) => !anew.has(key(paragraph, firstCell(row))));
    if (left.length === 0) continue;
    // Of a run of which no row is left the circumstances go, too.
    if (circumstances !== null) kept.push(circumstances);
    circumstances = null;
    kept.push([title, rule, ...left].join("\n"));
  }
  return [now.trim(), ...kept].join("\n\n");
}

function paragraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function isTable(paragraph: string): boolean {
  return /^-+(  -+)*$/.test(paragraph.split("\n")[1] ?? "");
}

function names(table: string): string[] {
  return table.split("\n").slice(2).map(firstCell);
}

function firstCell(line: string): string {
  return line.split("  ")[0] ?? "";
}

function key(table: string, name: string): string {
  return `${firstCell(table)}\n${name}`;
}
