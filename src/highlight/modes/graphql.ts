import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

export const graphql = simpleMode({
  start: [
    { regex: /#.*/, token: "comment" },
    { regex: /"""/, token: "string", next: "description" },
    { regex: /"(?:[^"\\]|\\.)*"?/, token: "string" },
    {
      regex: /(type|interface|union|enum|input|scalar|fragment|query|mutation|subscription)(\s+)(\w+)/,
      token: ["keyword", "", "def"],
    },
    {
      regex:
        /(?:type|interface|union|enum|input|scalar|schema|extend|implements|directive|on|fragment|query|mutation|subscription|repeatable)\b(?!\s*[:(])/,
      token: "keyword",
    },
    { regex: /(?:true|false|null)\b/, token: "atom" },
    { regex: /\$\w+/, token: "variableName.special" },
    { regex: /@\w+/, token: "meta" },
    { regex: /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, token: "number" },
    { regex: /\w+(?=\s*[:(])/, token: "property" },
    { regex: /[A-Z]\w*/, token: "type" },
    { regex: /\w+/ },
  ],
  description: [
    { regex: /.*?"""/, token: "string", next: "start" },
    { regex: /.+/, token: "string" },
  ],
});
