/** A row of a table of text. */
interface CsvRow {
  /** The line of the text that it begins in, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The part of a table that is shown. */
export interface CsvTable {
  readonly rows: readonly CsvRow[];
  /** Whether rows or columns were left out. */
  readonly isCut: boolean;
}

interface CsvLimits {
  readonly rows: number;
  readonly columns: number;
}

/** Returns what parts the cells: a tab if the name says so, else the one of `,` `;` and tab that the first line has most of. */
export function delimiterOf(path: string, text: string): string {
  if (/\.tsv$/i.test(path)) {
    return "\t";
  }
  const first = text.slice(0, 10_000).split("\n", 1)[0] ?? "";
  const counts = [",", ";", "\t"].map((each) => ({ each, count: first.split(each).length }));
  return counts.toSorted((one, other) => other.count - one.count)[0]?.each ?? ",";
}

/**
 * Reads comma-separated values (RFC 4180) as far as the limits go. A cell in quotes may have delimiters, line breaks and doubled quotes in
 * it. What is not well-formed is read as it stands.
 */
export function parseCsv(text: string, delimiter: string, limits: CsvLimits): CsvTable {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let isCut = false;
  let line = 1;
  let begins = 1;
  let at = 0;
  const end = text.length;
  const endCell = (cell: string) => {
    if (cells.length < limits.columns) {
      cells.push(cell);
    } else {
      isCut = true;
    }
  };
  while (at < end) {
    let cell: string;
    if (text[at] === '"') {
      const from = at + 1;
      let close = text.indexOf('"', from);
      while (close >= 0 && text[close + 1] === '"') {
        close = text.indexOf('"', close + 2);
      }
      const stop = close < 0 ? end : close;
      const quoted = text.slice(from, stop);
      line += quoted.split("\n").length - 1;
      cell = quoted.replaceAll('""', '"');
      at = Math.min(end, stop + 1);
    } else {
      cell = "";
    }
    const from = at;
    while (at < end && text[at] !== delimiter && text[at] !== "\n") {
      at++;
    }
    const endsLine = text[at] !== delimiter;
    endCell(cell + (endsLine ? text.slice(from, at).replace(/\r$/, "") : text.slice(from, at)));
    at++;
    if (endsLine) {
      if (rows.length >= limits.rows) {
        return { rows, isCut: true };
      }
      rows.push({ line: begins, cells });
      cells = [];
      line++;
      begins = line;
    } else if (at >= end) {
      // The text ends behind a delimiter: an empty cell follows.
      endCell("");
    }
  }
  if (cells.length > 0) {
    rows.push({ line: begins, cells });
  }
  return { rows: rows.slice(0, limits.rows), isCut: isCut || rows.length > limits.rows };
}
