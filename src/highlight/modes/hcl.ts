import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

export const hcl = simpleMode({
  start: [
    { regex: /#.*|\/\/.*/, token: "comment" },
    { regex: /\/\*/, token: "comment", push: "comment" },
    { regex: /<<-?\w+/, token: "string", push: "heredoc" },
    { regex: /"/, token: "string", push: "string" },
    { regex: /\{/, push: "start" },
    { regex: /\}/, pop: true },
    { regex: /(?:true|false|null)\b/, token: "atom" },
    { regex: /(?:for|in|if|else|endif|endfor)\b(?!\s*[={])/, token: "keyword" },
    { regex: /[\w-]+(?=(?:\s+(?:"[^"]*"|[\w-]+))*\s*\{)/, sol: true, token: "keyword" },
    { regex: /\s+(?=[\w-]+\s*(?:\{|"))/, sol: true, next: "block" },
    { regex: /[\w-]+(?=\s*=(?![=>]))/, token: "property" },
    { regex: /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, token: "number" },
    { regex: /[a-z_]\w*(?=\()/, token: "variableName.function" },
    { regex: /(?:string|number|bool|list|map|set|object|tuple|any)\b/, token: "type" },
    { regex: /(?:var|local|module|data|each|count|self|path|terraform)(?=\.)/, token: "variableName.special" },
    { regex: /[a-zA-Z_][\w-]*/ },
  ],
  block: [{ regex: /[\w-]+/, token: "keyword", next: "start" }],
  comment: [
    { regex: /.*?\*\//, token: "comment", pop: true },
    { regex: /.+/, token: "comment" },
  ],
  string: [
    { regex: /\\./, token: "string" },
    { regex: /[$%]\{/, token: "keyword", push: "start" },
    { regex: /"/, token: "string", pop: true },
    { regex: /[^"\\$%]+|[$%]/, token: "string" },
  ],
  heredoc: [
    { regex: /\s*[A-Z_]+\s*$/, sol: true, token: "string", pop: true },
    { regex: /[$%]\{/, token: "keyword", push: "start" },
    { regex: /[^$%]+|[$%]/, token: "string" },
  ],
});
