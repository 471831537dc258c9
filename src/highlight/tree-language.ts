import type { Parser, SyntaxNode, Tree } from "@lezer/common";
import { trimOf } from "../lib/trim-text.ts";
import { highlightTree, type Highlighter } from "@lezer/highlight";
import {
  longestSymbolName,
  mostSymbols,
  type CodeLanguage,
  type CodeSymbol,
  type PutToken,
  type TokenClass,
} from "./code-language.ts";

/** What a node of a grammar declares. */
interface Declaration {
  readonly kind: CodeSymbol["kind"];
  /** Where its name is: "A/B" is a B that is a child of an A in the node. The first one that is there counts. */
  readonly name: readonly string[];
  /** It declares something only with one of these in it. */
  readonly having?: readonly string[];
}

/** What a grammar's nodes declare, by their names. */
export type Outline = Readonly<Record<string, Declaration>>;

/** What is in these is nobody else's. */
const closed: ReadonlySet<string> = new Set(["ArrowFunction", "LambdaExpression", "ClosureExpression"]);

/** So many steps of a parser are taken between two looks at the clock. */
const stepsAtOnce = 64;

/** Ends the colouring of a tree: nothing else can. */
class OutOfTime extends Error {}

/** A language with a grammar of Lezer. */
export function treeLanguage(parser: Parser, classes: Highlighter, outline: Outline | null): CodeLanguage {
  return {
    read(text, deadline, put) {
      const tree = parseUntil(parser, text, deadline);
      colour(tree, classes, deadline, put);
      return outline === null ? [] : outlineOf(tree, text, outline);
    },
  };
}

function parseUntil(parser: Parser, text: string, deadline: number): Tree {
  const parse = parser.startParse(text);
  for (let step = 1; ; step++) {
    const tree = parse.advance();
    if (tree !== null) {
      return tree;
    }
    if (step % stepsAtOnce === 0 && parse.stoppedAt === null && performance.now() > deadline) {
      parse.stopAt(parse.parsedPos);
    }
  }
}

function colour(tree: Tree, classes: Highlighter, deadline: number, put: PutToken): void {
  let tokens = 0;
  try {
    highlightTree(tree, classes, (from, to, names) => {
      // Of a heading's link, the link.
      put(from, to, names.slice(names.lastIndexOf(" ") + 1) as TokenClass);
      if (++tokens % stepsAtOnce === 0 && performance.now() > deadline) {
        throw new OutOfTime();
      }
    });
  } catch (error) {
    if (!(error instanceof OutOfTime)) {
      throw error;
    }
  }
}

/** What a tree declares, outside of functions: what they have within is their own. */
function outlineOf(tree: Tree, text: string, outline: Outline): CodeSymbol[] {
  const symbols: CodeSymbol[] = [];
  const ends: number[] = [];
  let line = 1;
  let lineEnd = text.indexOf("\n");
  tree.iterate({
    enter(node) {
      if (symbols.length >= mostSymbols || closed.has(node.name)) {
        return false;
      }
      const declaration = outline[node.name];
      const name = declaration === undefined ? null : findName(node.node, declaration);
      if (declaration === undefined || name === null) {
        return undefined;
      }
      while (lineEnd >= 0 && lineEnd < name.from) {
        line++;
        lineEnd = text.indexOf("\n", lineEnd + 1);
      }
      while ((ends.at(-1) ?? Infinity) <= node.from) {
        ends.pop();
      }
      const { kind } = declaration;
      const label = text.slice(name.from, Math.min(name.to, name.from + longestSymbolName));
      symbols.push({ name: nameOf(kind, label), kind, line, depth: ends.length });
      ends.push(node.to);
      return kind !== "function" && kind !== "method";
    },
  });
  return symbols;
}

/** A heading has its marks around its words. */
function nameOf(kind: CodeSymbol["kind"], label: string): string {
  const words = kind === "heading" ? trimOf(label.split("\n", 1)[0] ?? "", "# \t") : label;
  return words.replace(/\s+/g, " ").trim();
}

function findName(node: SyntaxNode, { name: paths, having = [] }: Declaration): SyntaxNode | null {
  if (having.length > 0 && !having.some((child) => node.getChild(child) !== null)) {
    return null;
  }
  for (const path of paths) {
    let found: SyntaxNode | null = node;
    for (const child of path === "" ? [] : path.split("/")) {
      found = found?.getChild(child) ?? null;
    }
    if (found !== null) {
      return found;
    }
  }
  return null;
}
