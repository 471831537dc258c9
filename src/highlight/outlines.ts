import type { LineRule } from "./stream-language.ts";
import type { Outline } from "./tree-language.ts";

/** What the nodes of grammars declare. */
export const outlines = {
  javascript: {
    ClassDeclaration: { kind: "class", name: ["VariableDefinition"] },
    MethodDeclaration: { kind: "method", name: ["PropertyDefinition", "PrivatePropertyDefinition"] },
    FunctionDeclaration: { kind: "function", name: ["VariableDefinition"] },
    VariableDeclaration: {
      kind: "function",
      name: ["VariableDefinition"],
      having: ["ArrowFunction", "FunctionExpression"],
    },
    InterfaceDeclaration: { kind: "interface", name: ["TypeDefinition"] },
    TypeAliasDeclaration: { kind: "type", name: ["TypeDefinition"] },
    EnumDeclaration: { kind: "enum", name: ["TypeDefinition"] },
    NamespaceDeclaration: { kind: "module", name: ["VariableDefinition"] },
  },
  python: {
    ClassDefinition: { kind: "class", name: ["VariableName"] },
    FunctionDefinition: { kind: "function", name: ["VariableName"] },
  },
  go: {
    FunctionDecl: { kind: "function", name: ["DefName"] },
    MethodDecl: { kind: "method", name: ["FieldName"] },
    TypeSpec: { kind: "type", name: ["DefName"] },
  },
  rust: {
    FunctionItem: { kind: "function", name: ["BoundIdentifier"] },
    StructItem: { kind: "class", name: ["TypeIdentifier"] },
    UnionItem: { kind: "class", name: ["TypeIdentifier"] },
    EnumItem: { kind: "enum", name: ["TypeIdentifier"] },
    TraitItem: { kind: "interface", name: ["TypeIdentifier"] },
    ImplItem: { kind: "class", name: ["GenericType", "TypeIdentifier"] },
    TypeItem: { kind: "type", name: ["TypeIdentifier"] },
    ModItem: { kind: "module", name: ["BoundIdentifier"] },
    MacroDefinition: { kind: "function", name: ["Identifier"] },
  },
  java: {
    ClassDeclaration: { kind: "class", name: ["Definition"] },
    RecordDeclaration: { kind: "class", name: ["Definition"] },
    InterfaceDeclaration: { kind: "interface", name: ["Definition"] },
    AnnotationTypeDeclaration: { kind: "interface", name: ["Identifier"] },
    EnumDeclaration: { kind: "enum", name: ["Definition"] },
    ConstructorDeclaration: { kind: "method", name: ["Definition"] },
    MethodDeclaration: { kind: "method", name: ["Definition"] },
  },
  cpp: {
    NamespaceDefinition: { kind: "module", name: ["Identifier"] },
    ClassSpecifier: { kind: "class", name: ["TypeIdentifier"], having: ["FieldDeclarationList"] },
    StructSpecifier: { kind: "class", name: ["TypeIdentifier"], having: ["FieldDeclarationList"] },
    UnionSpecifier: { kind: "class", name: ["TypeIdentifier"], having: ["FieldDeclarationList"] },
    EnumSpecifier: { kind: "enum", name: ["TypeIdentifier"], having: ["EnumeratorList"] },
    TypeDefinition: { kind: "type", name: ["TypeIdentifier"] },
    AliasDeclaration: { kind: "type", name: ["TypeIdentifier"] },
    FunctionDefinition: {
      kind: "function",
      name: ["", "PointerDeclarator/", "ReferenceDeclarator/"].flatMap((before) =>
        ["Identifier", "FieldIdentifier", "ScopedIdentifier", "DestructorName", "OperatorName"].map(
          (name) => `${before}FunctionDeclarator/${name}`,
        ),
      ),
    },
  },
  php: {
    ClassDeclaration: { kind: "class", name: ["Name"] },
    InterfaceDeclaration: { kind: "interface", name: ["Name"] },
    TraitDeclaration: { kind: "class", name: ["Name"] },
    EnumDeclaration: { kind: "enum", name: ["Name"] },
    FunctionDefinition: { kind: "function", name: ["Name"] },
    MethodDeclaration: { kind: "method", name: ["Name"] },
  },
  markdown: Object.fromEntries(
    ["ATXHeading1", "ATXHeading2", "ATXHeading3", "SetextHeading1", "SetextHeading2"].map((name) => [
      name,
      { kind: "heading", name: [""] },
    ]),
  ),
} as const satisfies Record<string, Outline>;

/** What lines declare in languages without a grammar. */
export const lineRules = {
  csharp: [
    { kind: "module", line: /^\s*namespace\s+(?<name>[\w.]+)/ },
    { kind: "interface", line: /^\s*(?:\[[^\]]*\]\s*)?(?:\w+\s+){0,6}interface\s+(?<name>\w+)/ },
    { kind: "enum", line: /^\s*(?:\w+\s+){0,4}enum\s+(?<name>\w+)/ },
    { kind: "class", line: /^\s*(?:\w+\s+){0,6}(?:class|struct|record)\s+(?<name>\w+)/ },
    {
      kind: "method",
      line: /^\s*(?:(?:public|private|protected|internal|static|async|override|virtual|abstract|sealed|partial|extern|unsafe|new)\s+){1,6}(?:[\w.<>[\],?]+\s+)?(?<name>\w+)(?:<[\w, ]+>)?\s*\(/,
    },
  ],
  kotlin: [
    { kind: "interface", line: /^\s*(?:\w+\s+){0,4}interface\s+(?<name>\w+)/ },
    { kind: "enum", line: /^\s*(?:\w+\s+){0,3}enum\s+class\s+(?<name>\w+)/ },
    { kind: "class", line: /^\s*(?:\w+\s+){0,5}(?:class|object)\s+(?<name>\w+)/ },
    { kind: "function", line: /^\s*(?:\w+\s+){0,5}fun\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?(?<name>\w+)\s*\(/ },
  ],
  swift: [
    { kind: "interface", line: /^\s*(?:\w+\s+){0,3}protocol\s+(?<name>\w+)/ },
    { kind: "enum", line: /^\s*(?:\w+\s+){0,3}enum\s+(?<name>\w+)/ },
    { kind: "class", line: /^\s*(?:\w+\s+){0,3}(?:class|struct|actor|extension)\s+(?<name>\w[\w.]*)\b(?!\s+func)/ },
    { kind: "function", line: /^\s*(?:@\w+\s+){0,3}(?:\w+\s+){0,5}func\s+(?<name>\w+)/ },
  ],
  ruby: [
    { kind: "module", line: /^\s*module\s+(?<name>[A-Z][\w:]*)/ },
    { kind: "class", line: /^\s*class\s+(?<name>[A-Z][\w:]*)/ },
    { kind: "method", line: /^\s*def\s+(?:self\.)?(?<name>[\w]+[?!=]?)/ },
  ],
  shell: [
    { kind: "function", line: /^\s*function\s+(?<name>[\w:.-]+)/ },
    { kind: "function", line: /^\s*(?<name>[\w:.-]+)\s*\(\)/ },
  ],
  lua: [{ kind: "function", line: /^\s*(?:local\s+)?function\s+(?<name>[\w.:]+)/ }],
  perl: [
    { kind: "module", line: /^\s*package\s+(?<name>[\w:]+)/ },
    { kind: "function", line: /^\s*sub\s+(?<name>\w+)/ },
  ],
  scala: [
    { kind: "interface", line: /^\s*(?:\w+\s+){0,4}trait\s+(?<name>\w+)/ },
    { kind: "class", line: /^\s*(?:\w+\s+){0,4}(?:class|object)\s+(?<name>\w+)/ },
    { kind: "function", line: /^\s*(?:\w+\s+){0,4}def\s+(?<name>\w+)/ },
  ],
  elixir: [
    { kind: "module", line: /^\s*def(?:module|protocol|impl)\s+(?<name>[\w.]+)/ },
    { kind: "function", line: /^\s*def(?:p|macrop?|guardp?|delegate)?\s+(?<name>\w+[?!]?)/ },
  ],
  zig: [
    { kind: "class", line: /^\s*(?:pub\s+)?const\s+(?<name>\w+)\s*=\s*(?:\w+\s+)?(?:struct|union|opaque)\b/ },
    { kind: "enum", line: /^\s*(?:pub\s+)?const\s+(?<name>\w+)\s*=\s*(?:enum|error)\b/ },
    { kind: "function", line: /^\s*(?:(?:pub|export|inline|extern|noinline)\s+){0,3}fn\s+(?<name>\w+)/ },
  ],
  make: [{ kind: "function", line: /^(?<name>[\w./%-]+)\s*:(?!=)/ }],
  hcl: [{ kind: "module", line: /^(?<name>(?:resource|data|module|variable|output|provider)(?:\s+"[^"]*"){1,2})/ }],
  graphql: [
    { kind: "interface", line: /^\s*interface\s+(?<name>\w+)/ },
    { kind: "enum", line: /^\s*enum\s+(?<name>\w+)/ },
    { kind: "type", line: /^\s*(?:extend\s+)?(?:type|input|union|scalar)\s+(?<name>\w+)/ },
    { kind: "function", line: /^\s*(?:query|mutation|subscription|fragment)\s+(?<name>\w+)/ },
  ],
} as const satisfies Record<string, readonly LineRule[]>;
