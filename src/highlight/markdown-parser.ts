import type { Parser } from "@lezer/common";
import { parser as css } from "@lezer/css";
import { parser as javascript } from "@lezer/javascript";
import { parser as json } from "@lezer/json";
import { GFM, parseCode, parser as markdown } from "@lezer/markdown";
import { parser as python } from "@lezer/python";
import { parser as yaml } from "@lezer/yaml";
import { htmlParser } from "./html-parser.ts";

const typescript = javascript.configure({ dialect: "ts" });
const inCode: Readonly<Record<string, Parser>> = {
  js: javascript,
  javascript,
  ts: typescript,
  typescript,
  json,
  css,
  html: htmlParser,
  python,
  py: python,
  yaml,
  yml: yaml,
};

/** Markdown with the code in it, where that is in one of the languages that such code mostly is in. */
export const markdownParser: Parser = markdown.configure([
  GFM,
  parseCode({ codeParser: (info) => inCode[info.toLowerCase()] ?? null, htmlParser }),
]);

/** What begins a block, as far as it begins a line. */
const blockBegin = /\n(?=[ \t]*(?:\n|[-*+|#]|\d+[.)]))/;
const longestBlock = 16 * 1024;

/** Whether no paragraph is so long that the grammar's time for it, which grows with the square of its length, would be felt. */
export function hasShortBlocks(text: string): boolean {
  return text.split(blockBegin).every((block) => block.length <= longestBlock);
}
