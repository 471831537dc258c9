import { linguistTables, type LinguistTables } from "./linguist-tables.ts";
import { trimEndOf } from "../trim-text.ts";

/**
 * If a text fits several languages, the first in this list counts, as it is the most common one. Linguist uses a
 * classifier that was trained with samples, which the tables do not have.
 */
const common = [
  ["JavaScript", "TypeScript", "Python", "Java", "C#", "C", "C++", "PHP", "Go", "Rust", "Ruby", "Kotlin", "Swift"],
  ["Objective-C", "Perl", "R", "SQL", "Scala", "Dart", "Lua", "Haskell", "Elixir", "Erlang", "Clojure", "Common Lisp"],
  ["Julia", "OCaml", "F#", "Assembly", "Verilog", "Prolog", "MATLAB", "Smalltalk", "Pascal", "Fortran", "HTML", "XML"],
].flat();

/**
 * The language of a file as Linguist finds it: by a mode line, the name of the file, the interpreter of a script, the
 * extension, and what the text of those of one extension looks like. `text`: its beginning. Null when nothing tells.
 */
export function detectLanguage(path: string, text: string): string | null {
  const tables = linguistTables();
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  let candidates: readonly string[] = [];
  for (const strategy of [byModeLine, byFilename, byInterpreter, byExtension]) {
    const found = strategy(tables, name, text);
    const both = candidates.length === 0 ? found : found.filter((language) => candidates.includes(language));
    if (both.length === 1) {
      return both[0] ?? null;
    }
    candidates = both.length === 0 ? candidates : both;
  }
  return candidates.length === 0 ? null : choose(tables, name, text, candidates);
}

/** The language that a name or an alias stands for, as in the attribute linguist-language; null for none. */
export function findLanguage(alias: string): string | null {
  return linguistTables().byAlias.get(alias.toLowerCase().replaceAll(" ", "-"))?.[0] ?? null;
}

/** The most common language of an extension, which is written without its dot; null for none. */
export function languageOfExtension(extension: string): string | null {
  const candidates = linguistTables().byExtension.get(`.${extension.toLowerCase()}`) ?? [];
  return mostCommon(candidates);
}

const emacs = /-\*-[ \t]*(?:[^\n]{0,200}?\bmode[ \t]*:[ \t]*)?([\w+#-]+)[ \t]*(?:;[^\n]{0,200}?)?-\*-/i;
const vim = /(?:^|[ \t])(?:vi|vim|ex):[^\n]{0,200}?\b(?:ft|filetype|syntax)=([\w+#-]+)/i;

/** Editors look for their settings in the first and last lines; here in the first. */
function byModeLine({ byAlias }: LinguistTables, _name: string, text: string): readonly string[] {
  for (const line of text.slice(0, 2000).split("\n", 5)) {
    const [, mode] = (line.includes("-*-") ? emacs.exec(line) : null) ?? vim.exec(line) ?? [];
    const found = mode === undefined ? undefined : byAlias.get(mode.toLowerCase());
    if (found !== undefined) {
      return found;
    }
  }
  return [];
}

function byFilename({ byFilename: index }: LinguistTables, name: string): readonly string[] {
  return index.get(name) ?? [];
}

/** `#!/usr/bin/env -S python3.12 -u` is python3.12, or python3, or python. */
function byInterpreter({ byInterpreter: index }: LinguistTables, _name: string, text: string): readonly string[] {
  const [, line] = /^#![ \t]*([^\r\n]{1,300})/.exec(text) ?? [];
  const words = (line ?? "").split(/[ \t]+/).filter((word) => word !== "");
  const isEnv = words[0]?.endsWith("/env") === true;
  const program = isEnv ? words.slice(1).find((word) => !word.startsWith("-") && !word.includes("=")) : words[0];
  const name = (program ?? "").slice((program ?? "").lastIndexOf("/") + 1).toLowerCase();
  return index.get(name) ?? index.get(name.replace(/\.\d+$/, "")) ?? index.get(trimEndOf(name, "0123456789.")) ?? [];
}

/** Extensions from the longest on: `.d.ts`, and then `.ts`. */
function extensionsOf(name: string): string[] {
  const extensions: string[] = [];
  for (let at = name.indexOf("."); at >= 0 && extensions.length < 10; at = name.indexOf(".", at + 1)) {
    extensions.push(name.slice(at));
  }
  return extensions;
}

function byExtension({ byExtension: index }: LinguistTables, name: string): readonly string[] {
  return (
    extensionsOf(name)
      .map((extension) => index.get(extension) ?? [])
      .find((found) => found.length > 0) ?? []
  );
}

function choose(tables: LinguistTables, name: string, text: string, candidates: readonly string[]): string | null {
  for (const extension of extensionsOf(name)) {
    const [language] = tables.decide(extension, text);
    if (language !== undefined) {
      return language;
    }
  }
  return mostCommon(candidates);
}

function mostCommon(candidates: readonly string[]): string | null {
  return common.find((language) => candidates.includes(language)) ?? candidates[0] ?? null;
}
