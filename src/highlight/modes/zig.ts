import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

const keywords =
  /(?:addrspace|align|allowzero|and|anyframe|anytype|asm|async|await|break|callconv|catch|comptime|const|continue|defer|else|enum|errdefer|error|export|extern|fn|for|if|inline|linksection|noalias|noinline|nosuspend|opaque|or|orelse|packed|pub|resume|return|struct|suspend|switch|test|threadlocal|try|union|unreachable|usingnamespace|var|volatile|while)\b/;

export const zig = simpleMode({
  start: [
    { regex: /\/\/.*/, token: "comment" },
    { regex: /\\\\.*/, token: "string" },
    { regex: /c?"(?:[^"\\]|\\.)*"?/, token: "string" },
    { regex: /'(?:[^'\\]|\\.)[^']{0,12}'/, token: "string" },
    { regex: /@"(?:[^"\\]|\\.)*"?/ },
    { regex: /@\w+/, token: "builtin" },
    { regex: /(fn)(\s+)(\w+)/, token: ["keyword", "", "def"] },
    { regex: keywords, token: "keyword" },
    { regex: /(?:true|false|null|undefined)\b/, token: "atom" },
    {
      regex:
        /(?:[iu]\d+|f(?:16|32|64|80|128)|[iu]size|c_\w+|bool|void|noreturn|type|anyerror|anyopaque|comptime_(?:int|float))\b/,
      token: "type",
    },
    { regex: /0[xob][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?/, token: "number" },
    { regex: /[A-Z]\w*(?=[({.\s,;)!])/, token: "type" },
    { regex: /[a-z_]\w*(?=\()/, token: "variableName.function" },
    { regex: /\w+/ },
  ],
});
