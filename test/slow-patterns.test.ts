import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { analyse } from "scslre";

/**
 * The regular expressions of the product. One that can be tried in many ways on the same text takes time that grows with the square of the text,
 * or faster, and nobody can interrupt it: a megabyte of spaces in a patch held all requests for a quarter of an hour.
 */

/** Expressions that look slow and are not. */
const allowed: Readonly<Record<string, string>> = {
  "/^ ([0-9]+)( ?)(.*)$/s": "what follows the number fits always, so that nothing is tried again",
  "/^[ \\0]+|[ \\0][\\s\\S]*$/g": "of a field of 12 bytes",
  '/(-?[a-z-]+):"([^"]*)"|"([^"]*)"|(\\S+)/g': "of a search of 1,000 characters",
  '/(?:[^\\s"]|"[^"]*"?)*$/': "of what a reader types into a search, in their own browser",
  "/^(LOG|FATAL|PANIC|ERROR|WARNING|HINT|DETAIL):\\s+(.*)$/": "of lines that our own database logs",
};

const root = join(import.meta.dir, "..", "src");
/** Behind one of these a slash begins an expression; elsewhere it divides. */
const literal =
  /(?<=[=(,:!&|?;{}[>]\s*|return\s+)\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?!\w)/g;

const found = [...new Glob("**/*.ts").scanSync(root)]
  .filter((file) => !file.endsWith(".test.ts"))
  .sort()
  .flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(?:\*|\/[/*])/.test(line))
      .flatMap((line) => Array.from(line.matchAll(literal)))
      .map(([text, source = "", flags = ""]) => ({ file, text, source: asTried(file, source), flags }))
      .filter(isExpression),
  );

/** The rules of a mode are tried at one place each. */
function asTried(file: string, source: string): string {
  return file.startsWith("highlight/modes/") ? `^(?:${source})` : source;
}

/** What looks like an expression in a text is left out. */
function isExpression({ source, flags }: { source: string; flags: string }): boolean {
  try {
    return new RegExp(source, flags).flags.length === flags.length;
  } catch {
    return false;
  }
}

function isSlow({ source, flags }: { source: string; flags: string }): boolean {
  return analyse({ source, flags }).reports.length > 0;
}

test("are found", () => {
  expect(found.length).toBeGreaterThan(300);
  expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining(Object.keys(allowed)));
});

test("take a time that grows as the text does", () => {
  expect(isSlow({ source: "[ \\t]+$", flags: "gm" })).toBe(true);
  const slow = found.filter((one) => !(one.text in allowed) && isSlow(one)).map(({ file, text }) => `${file}: ${text}`);
  expect(slow).toEqual([]);
});
