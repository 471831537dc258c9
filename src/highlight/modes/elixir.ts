import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

const keywords =
  /(?:after|alias|and|case|catch|cond|do|else|end|fn|for|if|import|in|not|or|quote|raise|receive|require|rescue|reraise|super|throw|try|unless|unquote(?:_splicing)?|use|when|with)\b(?![?!:])/;

export const elixir = simpleMode({
  start: [
    { regex: /#.*/, token: "comment" },
    { regex: /(?:@(?:module|type)?doc\s+)?~?[sS]?"""/, token: "string", push: "heredoc" },
    { regex: /"/, token: "string", push: "string" },
    { regex: /'(?:[^'\\]|\\.)*'?/, token: "string" },
    {
      regex:
        /~[a-zA-Z]+(?:\/(?:[^/\\]|\\.)*\/|\((?:[^)\\]|\\.)*\)|\[(?:[^\]\\]|\\.)*\]|\{(?:[^}\\]|\\.)*\}|\|(?:[^|\\]|\\.)*\||"(?:[^"\\]|\\.)*")[a-z]*/,
      token: "string",
    },
    { regex: /\?\\?./, token: "string" },
    {
      regex: /(def(?:p|macrop?|guardp?|delegate|module|protocol|impl|struct|exception|overridable)?)(\s+)([\w.]+[?!]?)/,
      token: ["keyword", "", "def"],
    },
    { regex: /def\w*\b/, token: "keyword" },
    { regex: keywords, token: "keyword" },
    { regex: /(?:true|false|nil)\b/, token: "atom" },
    { regex: /:"(?:[^"\\]|\\.)*"?|:[a-zA-Z_][\w@]*[?!]?/, token: "atom" },
    { regex: /[a-zA-Z_]\w*[?!]?:(?=\s|$)/, token: "atom" },
    { regex: /@[a-z_]\w*/, token: "attribute" },
    { regex: /[A-Z]\w*/, token: "type" },
    { regex: /0[xob][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?/, token: "number" },
    { regex: /[a-z_]\w*[?!]?(?=\()/, token: "variableName.function" },
    { regex: /[a-z_]\w*[?!]?/ },
    { regex: /\{/, push: "start" },
    { regex: /\}/, pop: true },
  ],
  string: [
    { regex: /\\./, token: "string" },
    { regex: /#\{/, token: "keyword", push: "start" },
    { regex: /"/, token: "string", pop: true },
    { regex: /[^"\\#]+|#/, token: "string" },
  ],
  heredoc: [
    { regex: /"""/, token: "string", pop: true },
    { regex: /#\{/, token: "keyword", push: "start" },
    { regex: /[^"#]+|["#]/, token: "string" },
  ],
});
