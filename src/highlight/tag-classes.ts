import { tagHighlighter, tags, type Highlighter } from "@lezer/highlight";
import type { TokenClass } from "./code-language.ts";

const common: Parameters<typeof tagHighlighter>[0] = [
  { tag: [tags.keyword, tags.modifier, tags.self, tags.operatorKeyword], class: "k" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.escape, tags.url, tags.monospace], class: "s" },
  { tag: [tags.comment, tags.documentMeta], class: "c" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], class: "n" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
      tags.function(tags.definition(tags.propertyName)),
      tags.macroName,
      tags.attributeName,
      tags.labelName,
      tags.meta,
      tags.annotation,
    ],
    class: "f",
  },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.namespace], class: "t" },
  { tag: [tags.heading], class: "h" },
  { tag: [tags.inserted], class: "a" },
  { tag: [tags.deleted], class: "d" },
];

/** The classes of programs. */
export const programClasses: Highlighter = tagHighlighter([
  ...common,
  { tag: [tags.processingInstruction], class: "k" },
]);

/** The classes of data and of documents, where the names of properties are what one looks for. */
export const dataClasses: Highlighter = tagHighlighter([
  ...common,
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "f" },
  { tag: [tags.processingInstruction, tags.quote], class: "c" },
]);

/** The styles of stream modes. */
const styles: Readonly<Record<string, TokenClass>> = {
  keyword: "k",
  controlKeyword: "k",
  definitionKeyword: "k",
  moduleKeyword: "k",
  operatorKeyword: "k",
  modifier: "k",
  qualifier: "k",
  self: "k",
  string: "s",
  "string-2": "s",
  regexp: "s",
  character: "s",
  escape: "s",
  url: "s",
  link: "s",
  comment: "c",
  quote: "c",
  documentMeta: "c",
  number: "n",
  integer: "n",
  float: "n",
  unit: "n",
  color: "n",
  atom: "n",
  bool: "n",
  null: "n",
  "variableName.constant": "n",
  builtin: "f",
  "variableName.standard": "f",
  "variableName.function": "f",
  function: "f",
  macroName: "f",
  labelName: "f",
  def: "f",
  "variableName.definition": "f",
  meta: "f",
  attribute: "f",
  attributeName: "f",
  annotation: "f",
  property: "f",
  propertyName: "f",
  processingInstruction: "k",
  type: "t",
  typeName: "t",
  className: "t",
  tag: "t",
  tagName: "t",
  namespace: "t",
  header: "h",
  heading: "h",
  inserted: "a",
  positive: "a",
  deleted: "d",
  negative: "d",
};

/** The class of a style that a stream mode has given, as `variableName.definition` or several with spaces between them. */
export function classOfStyle(style: string): TokenClass | null {
  for (const one of style.split(" ")) {
    const found = styles[one] ?? styles[one.split(".", 1)[0] ?? ""];
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}
