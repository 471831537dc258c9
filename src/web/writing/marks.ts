/** A text with what is selected in it. */
export interface Selected {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** What takes the place of a part of a text, and what is selected then. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly put: string;
  readonly select: readonly [from: number, to: number];
}

/** The marker of an item of a list, with the blanks before it. */
const item = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) )/;

function selectedLines({ text, from, to }: Selected): { from: number; to: number; lines: string[] } {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  // A line of which only the begin is reached is not selected.
  const last = to > from && text[to - 1] === "\n" ? to - 1 : to;
  const end = text.indexOf("\n", last);
  const stop = end === -1 ? text.length : end;
  return { from: start, to: stop, lines: text.slice(start, stop).split("\n") };
}

/** Puts marks around what is selected, or takes them away. Without a selection, `holder` is put between them and selected. */
function around({ text, from, to }: Selected, before: string, after: string, holder: string): Edit {
  const inner = text.slice(from, to);
  const isMarked = text.slice(0, from).endsWith(before) && text.slice(to).startsWith(after);
  if (isMarked && inner !== "") {
    const start = from - before.length;
    return { from: start, to: to + after.length, put: inner, select: [start, start + inner.length] };
  }
  const shown = inner === "" ? holder : inner;
  const start = from + before.length;
  return { from, to, put: before + shown + after, select: [start, start + shown.length] };
}

/** Begins each selected line with a mark, or takes it away where all have it. */
function lead(selected: Selected, mark: (index: number) => string, has: RegExp): Edit {
  const { from, to, lines } = selectedLines(selected);
  const all = lines.every((line) => line === "" || has.test(line)) && lines.some((line) => line !== "");
  const put = lines
    .map((line, index) => {
      if (all) {
        return line.replace(has, "");
      }
      return lines.length > 1 && line === "" ? line : mark(index) + line.replace(item, "$1");
    })
    .join("\n");
  const isOne = lines.length === 1;
  return { from, to, put, select: isOne ? [from + put.length, from + put.length] : [from, from + put.length] };
}

function code(selected: Selected): Edit {
  const { text, from, to } = selected;
  if (!text.slice(from, to).includes("\n")) {
    return around(selected, "`", "`", "code");
  }
  const whole = selectedLines(selected);
  const put = `\`\`\`\n${whole.lines.join("\n")}\n\`\`\``;
  return { from: whole.from, to: whole.to, put, select: [whole.from + 3, whole.from + 3] };
}

/** Puts a block on lines of its own. `at`: the selected part of it. */
function block({ text, from, to }: Selected, put: string, at: readonly [number, number]): Edit {
  const before = from === 0 || text[from - 1] === "\n" ? "" : "\n\n";
  const start = from + before.length;
  return { from, to, put: `${before}${put}\n`, select: [start + at[0], start + at[1]] };
}

const tableText = "| Column | Column |\n| --- | --- |\n|  |  |";

/** What the tools of the bar do, by their names. */
export const tools: Readonly<Record<string, (selected: Selected) => Edit>> = {
  heading: (selected) => lead(selected, () => "### ", /^#{1,6} /),
  bold: (selected) => around(selected, "**", "**", "bold"),
  italic: (selected) => around(selected, "_", "_", "italic"),
  quote: (selected) => lead(selected, () => "> ", /^> ?/),
  code,
  link: (selected) => {
    const { text, from, to } = selected;
    const words = text.slice(from, to) || "text";
    const isAddress = /^https?:\/\/\S+$/.test(words);
    const put = isAddress ? `[text](${words})` : `[${words}](https://)`;
    const at = isAddress ? 1 : words.length + 3;
    return { from, to, put, select: [from + at, from + at + (isAddress ? 4 : 8)] };
  },
  list: (selected) => lead(selected, () => "- ", /^- (?!\[[ xX]\] )/),
  numbers: (selected) => lead(selected, (index) => `${index + 1}. `, /^\d+\. /),
  tasks: (selected) => lead(selected, () => "- [ ] ", /^- \[[ xX]\] /),
  table: (selected) => block(selected, tableText, [2, 8]),
  mention: (selected) => begin(selected, "@"),
  reference: (selected) => begin(selected, "#"),
};

/** Begins a word with a sign that completion follows. */
function begin({ text, from, to }: Selected, sign: string): Edit {
  const put = from === 0 || /\s/.test(text[from - 1] ?? "") ? sign : ` ${sign}`;
  return { from, to, put, select: [from + put.length, from + put.length] };
}

/** What Enter does in an item of a list: begins the next, or ends the list after an empty one. null: what it always does. */
export function nextItem({ text, from, to }: Selected): Edit | null {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const line = text.slice(start, from);
  const [whole, blanks = "", bullet, task, digits, sign] = item.exec(line) ?? [];
  if (whole === undefined || from !== to) {
    return null;
  }
  if (line === whole) {
    return { from: start, to, put: "", select: [start, start] };
  }
  const mark = bullet === undefined ? `${Number(digits) + 1}${sign} ` : `${bullet} ${task === undefined ? "" : "[ ] "}`;
  const put = `\n${blanks}${mark}`;
  return { from, to, put, select: [from + put.length, from + put.length] };
}

/** Moves items of a list, or several lines, by two blanks. null: Tab leaves the field. */
export function indent(selected: Selected, isBack: boolean): Edit | null {
  const { from, to, lines } = selectedLines(selected);
  if (lines.length === 1 && !item.test(lines[0] ?? "")) {
    return null;
  }
  const moved = lines.map((line) => (isBack ? line.replace(/^(?: {1,2}|\t)/, "") : line === "" ? line : `  ${line}`));
  const put = moved.join("\n");
  const by = put.length - (to - from);
  return {
    from,
    to,
    put,
    select:
      lines.length === 1
        ? [Math.max(from, selected.from + by), Math.max(from, selected.to + by)]
        : [from, from + put.length],
  };
}

/** A text as the quotation of an answer, with room for it below. */
export function quoted(text: string): string {
  return `${text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")}\n\n`;
}

/** The word before the caret that completion follows: its sign, and what was typed of it; null: there is none. */
export function openWord({ text, from, to }: Selected): { sign: string; typed: string; at: number } | null {
  if (from !== to) {
    return null;
  }
  const line = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
  const [word, sign = "", typed = ""] = /(?<![\w@#!:/&])([@#!:])([\w.+-]{0,40})$/.exec(line) ?? [];
  return word === undefined || (sign === ":" && typed.length < 2) ? null : { sign, typed, at: from - word.length };
}
