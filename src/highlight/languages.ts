import type { Parser } from "@lezer/common";
import { styleTags, tags } from "@lezer/highlight";
import type { CodeLanguage } from "./code-language.ts";
import { lineRules, outlines } from "./outlines.ts";
import { streamLanguage, type LineRule, type StreamMode } from "./stream-language.ts";
import { dataClasses, programClasses } from "./tag-classes.ts";
import { treeLanguage, type Outline } from "./tree-language.ts";

/** The grammar has methods as properties. */
const methods = {
  "MethodDeclaration/PropertyDefinition MethodDeclaration/PrivatePropertyDefinition": tags.function(
    tags.definition(tags.propertyName),
  ),
};

type Load = () => Promise<CodeLanguage>;

const program =
  (load: () => Promise<Parser>, outline: Outline | null = null): Load =>
  async () =>
    treeLanguage(await load(), programClasses, outline);
const data =
  (load: () => Promise<Parser>, outline: Outline | null = null): Load =>
  async () =>
    treeLanguage(await load(), dataClasses, outline);
const stream =
  (load: () => Promise<StreamMode>, rules: readonly LineRule[] = []): Load =>
  async () =>
    streamLanguage(await load(), rules);

const javascript = (dialect: string): Load =>
  program(async () => {
    const { parser } = await import("@lezer/javascript");
    return parser.configure({ dialect, props: [styleTags(methods)] });
  }, outlines.javascript);
const cpp = program(async () => (await import("@lezer/cpp")).parser, outlines.cpp);
const json = data(async () => (await import("@lezer/json")).parser);
const xml = data(async () => (await import("@lezer/xml")).parser);
const html = data(async () => (await import("./html-parser.ts")).htmlParser);
const markdown: Load = async () => {
  const { hasShortBlocks, markdownParser } = await import("./markdown-parser.ts");
  const language = treeLanguage(markdownParser, dataClasses, outlines.markdown);
  return { read: (text, ...how) => (hasShortBlocks(text) ? language.read(text, ...how) : []) };
};
const sass = (dialect: string | undefined): Load =>
  data(async () => (await import("@lezer/sass")).parser.configure(dialect === undefined ? {} : { dialect }));
const clike = (
  name: "csharp" | "kotlin" | "scala" | "dart" | "objectiveC" | "objectiveCpp" | "shader" | "squirrel",
  rules: readonly LineRule[] = [],
): Load => stream(async () => (await import("@codemirror/legacy-modes/mode/clike"))[name], rules);
const ml = (name: "oCaml" | "fSharp" | "sml"): Load =>
  stream(async () => (await import("@codemirror/legacy-modes/mode/mllike"))[name]);
const sql = (name: "standardSQL" | "mySQL" | "pgSQL" | "plSQL" | "msSQL" | "sqlite" | "hive"): Load =>
  stream(async () => (await import("@codemirror/legacy-modes/mode/sql"))[name]);

/**
 * How to read a language, by its name in Linguist's tables. A grammar is loaded when the first text in its language is read.
 * A language that is in none of these may be read as the one that it is counted as.
 */
const loaders: ReadonlyMap<string, Load> = new Map<string, Load>(
  Object.entries({
    // Grammars of Lezer.
    JavaScript: javascript("jsx"),
    TypeScript: javascript("ts"),
    TSX: javascript("jsx ts"),
    Python: program(async () => (await import("@lezer/python")).parser, outlines.python),
    Starlark: program(async () => (await import("@lezer/python")).parser, outlines.python),
    Go: program(async () => (await import("@lezer/go")).parser, outlines.go),
    Rust: program(async () => (await import("@lezer/rust")).parser, outlines.rust),
    Java: program(async () => (await import("@lezer/java")).parser, outlines.java),
    C: cpp,
    "C++": cpp,
    Cuda: cpp,
    PHP: program(async () => (await import("./html-parser.ts")).phpParser, outlines.php),
    HTML: html,
    Vue: html,
    Svelte: html,
    Astro: html,
    "HTML+ERB": html,
    "HTML+EEX": html,
    Handlebars: html,
    CSS: data(async () => (await import("@lezer/css")).parser),
    SCSS: sass(undefined),
    Sass: sass("indented"),
    JSON: json,
    "JSON with Comments": data(async () => (await import("@lezer/javascript")).parser),
    JSON5: data(async () => (await import("@lezer/javascript")).parser),
    "Jupyter Notebook": json,
    XML: xml,
    SVG: xml,
    YAML: data(async () => (await import("@lezer/yaml")).parser),
    Markdown: markdown,
    MDX: markdown,

    // Modes that read line by line.
    "C#": clike("csharp", lineRules.csharp),
    Kotlin: clike("kotlin", lineRules.kotlin),
    Scala: clike("scala", lineRules.scala),
    Dart: clike("dart"),
    "Objective-C": clike("objectiveC"),
    "Objective-C++": clike("objectiveCpp"),
    GLSL: clike("shader"),
    HLSL: clike("shader"),
    Squirrel: clike("squirrel"),
    OCaml: ml("oCaml"),
    "F#": ml("fSharp"),
    "Standard ML": ml("sml"),
    SQL: sql("standardSQL"),
    PLpgSQL: sql("pgSQL"),
    PLSQL: sql("plSQL"),
    TSQL: sql("msSQL"),
    SQLPL: sql("standardSQL"),
    HiveQL: sql("hive"),
    Swift: stream(async () => (await import("@codemirror/legacy-modes/mode/swift")).swift, lineRules.swift),
    Ruby: stream(async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby, lineRules.ruby),
    Crystal: stream(async () => (await import("@codemirror/legacy-modes/mode/crystal")).crystal, lineRules.ruby),
    Shell: stream(async () => (await import("@codemirror/legacy-modes/mode/shell")).shell, lineRules.shell),
    ShellSession: stream(async () => (await import("@codemirror/legacy-modes/mode/shell")).shell),
    PowerShell: stream(async () => (await import("@codemirror/legacy-modes/mode/powershell")).powerShell),
    Lua: stream(async () => (await import("@codemirror/legacy-modes/mode/lua")).lua, lineRules.lua),
    Perl: stream(async () => (await import("@codemirror/legacy-modes/mode/perl")).perl, lineRules.perl),
    R: stream(async () => (await import("@codemirror/legacy-modes/mode/r")).r),
    Julia: stream(async () => (await import("@codemirror/legacy-modes/mode/julia")).julia),
    Haskell: stream(async () => (await import("@codemirror/legacy-modes/mode/haskell")).haskell),
    Elm: stream(async () => (await import("@codemirror/legacy-modes/mode/elm")).elm),
    Erlang: stream(async () => (await import("@codemirror/legacy-modes/mode/erlang")).erlang),
    Clojure: stream(async () => (await import("@codemirror/legacy-modes/mode/clojure")).clojure),
    "Common Lisp": stream(async () => (await import("@codemirror/legacy-modes/mode/commonlisp")).commonLisp),
    "Emacs Lisp": stream(async () => (await import("@codemirror/legacy-modes/mode/commonlisp")).commonLisp),
    Scheme: stream(async () => (await import("@codemirror/legacy-modes/mode/scheme")).scheme),
    Racket: stream(async () => (await import("@codemirror/legacy-modes/mode/scheme")).scheme),
    Groovy: stream(async () => (await import("@codemirror/legacy-modes/mode/groovy")).groovy),
    Gradle: stream(async () => (await import("@codemirror/legacy-modes/mode/groovy")).groovy),
    CoffeeScript: stream(async () => (await import("@codemirror/legacy-modes/mode/coffeescript")).coffeeScript),
    D: stream(async () => (await import("@codemirror/legacy-modes/mode/d")).d),
    Haxe: stream(async () => (await import("@codemirror/legacy-modes/mode/haxe")).haxe),
    Pascal: stream(async () => (await import("@codemirror/legacy-modes/mode/pascal")).pascal),
    Fortran: stream(async () => (await import("@codemirror/legacy-modes/mode/fortran")).fortran),
    "Fortran Free Form": stream(async () => (await import("@codemirror/legacy-modes/mode/fortran")).fortran),
    COBOL: stream(async () => (await import("@codemirror/legacy-modes/mode/cobol")).cobol),
    MATLAB: stream(async () => (await import("@codemirror/legacy-modes/mode/octave")).octave),
    Smalltalk: stream(async () => (await import("@codemirror/legacy-modes/mode/smalltalk")).smalltalk),
    "Visual Basic .NET": stream(async () => (await import("@codemirror/legacy-modes/mode/vb")).vb),
    VBScript: stream(async () => (await import("@codemirror/legacy-modes/mode/vbscript")).vbScript),
    Tcl: stream(async () => (await import("@codemirror/legacy-modes/mode/tcl")).tcl),
    Verilog: stream(async () => (await import("@codemirror/legacy-modes/mode/verilog")).verilog),
    SystemVerilog: stream(async () => (await import("@codemirror/legacy-modes/mode/verilog")).verilog),
    VHDL: stream(async () => (await import("@codemirror/legacy-modes/mode/vhdl")).vhdl),
    Assembly: stream(async () => (await import("@codemirror/legacy-modes/mode/gas")).gas),
    "Unix Assembly": stream(async () => (await import("@codemirror/legacy-modes/mode/gas")).gas),
    WebAssembly: stream(async () => (await import("@codemirror/legacy-modes/mode/wast")).wast),
    Less: stream(async () => (await import("@codemirror/legacy-modes/mode/css")).less),
    Stylus: stream(async () => (await import("@codemirror/legacy-modes/mode/stylus")).stylus),
    Pug: stream(async () => (await import("@codemirror/legacy-modes/mode/pug")).pug),
    TeX: stream(async () => (await import("@codemirror/legacy-modes/mode/stex")).stex),
    Roff: stream(async () => (await import("@codemirror/legacy-modes/mode/troff")).troff),
    Dockerfile: stream(async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile),
    CMake: stream(async () => (await import("@codemirror/legacy-modes/mode/cmake")).cmake),
    TOML: stream(async () => (await import("@codemirror/legacy-modes/mode/toml")).toml),
    INI: stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
    "Java Properties": stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
    EditorConfig: stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
    "Git Config": stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
    Dotenv: stream(async () => (await import("@codemirror/legacy-modes/mode/properties")).properties),
    Nginx: stream(async () => (await import("@codemirror/legacy-modes/mode/nginx")).nginx),
    Puppet: stream(async () => (await import("@codemirror/legacy-modes/mode/puppet")).puppet),
    "Protocol Buffer": stream(async () => (await import("@codemirror/legacy-modes/mode/protobuf")).protobuf),
    WebIDL: stream(async () => (await import("@codemirror/legacy-modes/mode/webidl")).webIDL),
    Gherkin: stream(async () => (await import("@codemirror/legacy-modes/mode/gherkin")).gherkin),
    Diff: stream(async () => (await import("@codemirror/legacy-modes/mode/diff")).diff),
    HTTP: stream(async () => (await import("@codemirror/legacy-modes/mode/http")).http),
    Turtle: stream(async () => (await import("@codemirror/legacy-modes/mode/turtle")).turtle),
    Cypher: stream(async () => (await import("@codemirror/legacy-modes/mode/cypher")).cypher),
    XQuery: stream(async () => (await import("@codemirror/legacy-modes/mode/xquery")).xQuery),
    Jinja: stream(async () => (await import("@codemirror/legacy-modes/mode/jinja2")).jinja2),
    NSIS: stream(async () => (await import("@codemirror/legacy-modes/mode/nsis")).nsis),

    // Our own.
    Nix: stream(async () => (await import("./modes/nix.ts")).nix),
    Zig: stream(async () => (await import("./modes/zig.ts")).zig, lineRules.zig),
    Elixir: stream(async () => (await import("./modes/elixir.ts")).elixir, lineRules.elixir),
    Makefile: stream(async () => (await import("./modes/make.ts")).make, lineRules.make),
    HCL: stream(async () => (await import("./modes/hcl.ts")).hcl, lineRules.hcl),
    GraphQL: stream(async () => (await import("./modes/graphql.ts")).graphql, lineRules.graphql),
  }),
);

const loaded = new Map<string, Promise<CodeLanguage>>();

/** How to read a language of Linguist's tables; null where nobody knows. */
export async function findCodeLanguage(name: string, group: string | undefined): Promise<CodeLanguage | null> {
  const key = loaders.has(name) ? name : (group ?? "");
  const load = loaders.get(key);
  if (load === undefined) {
    return null;
  }
  const known = loaded.get(key) ?? load();
  loaded.set(key, known);
  return known;
}

/** The languages that can be read. */
export function codeLanguages(): string[] {
  return [...loaders.keys()];
}
