import { StringStream } from "@codemirror/streamparser";
import { longestSymbolName, mostSymbols, type CodeLanguage, type CodeSymbol, type PutToken } from "./code-language.ts";
import { classOfStyle } from "./tag-classes.ts";

/** A mode of CodeMirror that reads line by line, as far as it is used. */
export interface StreamMode {
  startState?(indentUnit: number): unknown;
  token(stream: StringStream, state: never): string | null;
  blankLine?(state: never, indentUnit: number): void;
}

/** A line that declares something: the expression's group `name` is the name. */
export interface LineRule {
  readonly kind: CodeSymbol["kind"];
  readonly line: RegExp;
}

const tabSize = 4;
const indentUnit = 2;
/** As often a mode may read nothing of a line before it is taken for stuck. */
const idleReads = 10;
/** A longer line is not coloured: some expressions of modes take time that grows with the third power of it. */
const longestLine = 1000;
/** What begins behind so many characters of a line declares nothing. */
const longestDeclaration = 300;

/** A language with a mode that reads line by line. What its lines declare, rules tell. */
export function streamLanguage(mode: StreamMode, rules: readonly LineRule[] = []): CodeLanguage {
  return {
    read(text, deadline, put) {
      const outline = new LineOutline(rules);
      const state = (mode.startState?.(indentUnit) ?? {}) as never;
      let from = 0;
      for (const line of text.split("\n")) {
        if (performance.now() > deadline) {
          break;
        }
        if (line === "" || line === "\r") {
          mode.blankLine?.(state, indentUnit);
        } else if (line.length <= longestLine) {
          readLine(mode, state, line.endsWith("\r") ? line.slice(0, -1) : line, from, put);
        }
        outline.add(line);
        from += line.length + 1;
      }
      return outline.symbols;
    },
  };
}

function readLine(mode: StreamMode, state: never, line: string, from: number, put: PutToken): void {
  const stream = new StringStream(line, tabSize, indentUnit);
  let idle = 0;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = mode.token(stream, state);
    if (stream.pos <= stream.start) {
      if (++idle > idleReads) {
        return;
      }
      continue;
    }
    idle = 0;
    const kind = style === null || style === undefined ? null : classOfStyle(style);
    if (kind !== null) {
      put(from + stream.start, from + stream.pos, kind);
    }
  }
}

/** Collects what lines declare. What is indented further is within. */
class LineOutline {
  readonly symbols: CodeSymbol[] = [];
  private number = 0;
  private readonly indents: number[] = [];

  constructor(private readonly rules: readonly LineRule[]) {}

  add(line: string): void {
    this.number++;
    if (this.rules.length === 0 || this.symbols.length >= mostSymbols) {
      return;
    }
    const begin = line.slice(0, longestDeclaration);
    for (const { kind, line: rule } of this.rules) {
      const name = rule.exec(begin)?.groups?.["name"];
      if (name !== undefined) {
        const indent = begin.search(/\S/);
        while ((this.indents.at(-1) ?? -1) >= indent) {
          this.indents.pop();
        }
        this.symbols.push({
          name: name.slice(0, longestSymbolName),
          kind,
          line: this.number,
          depth: this.indents.length,
        });
        this.indents.push(indent);
        return;
      }
    }
  }
}
