import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

const interpolation = { regex: /\$\{/, token: "keyword", push: "start" } as const;

export const nix = simpleMode({
  start: [
    { regex: /#.*/, token: "comment" },
    { regex: /\/\*/, token: "comment", push: "comment" },
    { regex: /''/, token: "string", push: "indented" },
    { regex: /"/, token: "string", push: "string" },
    { regex: /\{/, push: "start" },
    { regex: /\}/, pop: true },
    { regex: /(?:assert|else|if|in|inherit|let|or|rec|then|with)\b(?!-)/, token: "keyword" },
    { regex: /(?:true|false|null)\b(?!-)/, token: "atom" },
    {
      regex: /(?:import|throw|abort|map|toString|removeAttrs|derivation|fetchTarball|builtins)\b(?!-)/,
      token: "builtin",
    },
    { regex: /(?:~|\.{1,2})?(?:\/[\w.+-]+)+/, token: "string" },
    { regex: /<[\w./+-]+>/, token: "string" },
    { regex: /[a-z][\w+.-]*:\/\/[\w%/?:@&=+$,.!~*'-]+/i, token: "string" },
    { regex: /[\w'-]+(?=(?:\.[\w'-]+)*\s*=(?!=))/, token: "property" },
    { regex: /\d+(?:\.\d+)?/, token: "number" },
    { regex: /[a-zA-Z_][\w'-]*(?=\s*:\s)/, token: "def" },
    { regex: /[a-zA-Z_][\w'-]*/ },
  ],
  comment: [
    { regex: /.*?\*\//, token: "comment", pop: true },
    { regex: /.+/, token: "comment" },
  ],
  string: [
    { regex: /\\./, token: "string" },
    interpolation,
    { regex: /"/, token: "string", pop: true },
    { regex: /[^"\\$]+|\$/, token: "string" },
  ],
  indented: [
    { regex: /''(?:\$|\\.|')/, token: "string" },
    interpolation,
    { regex: /''/, token: "string", pop: true },
    { regex: /[^'$]+|['$]/, token: "string" },
  ],
});
