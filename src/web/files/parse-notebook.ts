/** What a cell of a notebook put out. A picture is the text of its bytes in base64, an SVG its markup. */
export type NotebookOutput =
  | { readonly kind: "text" | "error" | "markdown" | "html" | "svg"; readonly text: string }
  | { readonly kind: "picture"; readonly type: string; readonly base64: string };

export interface NotebookCell {
  readonly kind: "markdown" | "code" | "raw";
  readonly source: string;
  /** The number in brackets beside it; null where it was not run. */
  readonly count: number | null;
  readonly outputs: readonly NotebookOutput[];
}

/** A Jupyter notebook, format 4 (or the cells of format 3), as far as it is shown. */
export interface Notebook {
  /** The ending of a file in its language, such as ".py". */
  readonly extension: string;
  readonly cells: readonly NotebookCell[];
  /** How many cells are left out. */
  readonly left: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** The most cells of a notebook, outputs of a cell, and UTF-16 code units of an output that is text. */
const most = { cells: 300, outputs: 30, text: 100_000 } as const;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A text, which notebooks keep as one or as its lines. */
function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : value;
  return typeof text === "string" ? text : "";
}

function shortened(value: unknown): string {
  return Bun.stripANSI(textOf(value).slice(0, most.text));
}

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** The richest form of an output that can be shown; null for none. */
function richest(data: Fields): NotebookOutput | null {
  for (const type of pictures) {
    const base64 = textOf(data[type]).replaceAll(/\s/g, "");
    if (base64 !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
      return { kind: "picture", type, base64 };
    }
  }
  const forms = [
    ["image/svg+xml", "svg"],
    ["text/html", "html"],
    ["text/markdown", "markdown"],
    ["text/latex", "text"],
    ["text/plain", "text"],
  ] as const;
  for (const [type, kind] of forms) {
    const text = kind === "svg" ? textOf(data[type]) : shortened(data[type]);
    if (text !== "") {
      return { kind, text };
    }
  }
  return null;
}

function outputOf(value: unknown): NotebookOutput | null {
  const output = fieldsOf(value);
  switch (output["output_type"]) {
    case "stream":
      return { kind: "text", text: shortened(output["text"]) };
    case "error":
    case "pyerr": {
      const trace = Array.isArray(output["traceback"]) ? output["traceback"].join("\n") : "";
      const text = trace === "" ? `${textOf(output["ename"])}: ${textOf(output["evalue"])}` : trace;
      return { kind: "error", text: shortened(text) };
    }
    default:
      return richest(fieldsOf(output["data"]));
  }
}

function cellOf(value: unknown): NotebookCell {
  const cell = fieldsOf(value);
  const type = cell["cell_type"];
  const count = cell["execution_count"] ?? cell["prompt_number"];
  const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].slice(0, most.outputs) : [];
  return {
    kind: type === "markdown" || type === "code" ? type : "raw",
    source: textOf(cell["source"] ?? cell["input"]),
    count: typeof count === "number" ? count : null,
    outputs: outputs.map(outputOf).filter((output) => output !== null),
  };
}

/** Reads a notebook; null for a text that is none. */
export function parseNotebook(text: string): Notebook | null {
  let parsed: Fields;
  try {
    parsed = fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
  const [sheet] = Array.isArray(parsed["worksheets"]) ? parsed["worksheets"] : [];
  const cells = parsed["cells"] ?? fieldsOf(sheet)["cells"];
  if (!Array.isArray(cells)) {
    return null;
  }
  const language = fieldsOf(fieldsOf(parsed["metadata"])["language_info"]);
  const extension = textOf(language["file_extension"]);
  return {
    extension: /^\.\w{1,10}$/.test(extension) ? extension : ".py",
    cells: cells.slice(0, most.cells).map(cellOf),
    left: Math.max(0, cells.length - most.cells),
  };
}
