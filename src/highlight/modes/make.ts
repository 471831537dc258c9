import { simpleMode } from "@codemirror/legacy-modes/mode/simple-mode";

const variable = { regex: /\$\(|\$\{/, token: "variableName.special", push: "variable" } as const;
const automatic = { regex: /\$[@<^+?*%|$\w]/, token: "atom" } as const;

export const make = simpleMode({
  start: [
    { regex: /\t/, sol: true, next: "recipe" },
    { regex: /#.*/, token: "comment" },
    {
      regex:
        /\s*(?:-?include|sinclude|ifeq|ifneq|ifdef|ifndef|else|endif|define|endef|export|unexport|override|private|vpath|undefine)\b/,
      sol: true,
      token: "keyword",
    },
    { regex: /\.[A-Z_]+(?=\s*:)/, sol: true, token: "keyword" },
    { regex: /[\w.-]+(?=\s*(?:[:?+!]|::)?=)/, token: "property" },
    { regex: /[\w./%-]+(?= *:(?!=))/, sol: true, token: "def" },
    { regex: /"[^"]*"|'[^']*'/, token: "string" },
    variable,
    automatic,
    { regex: /[\w./%-]+/ },
  ],
  recipe: [
    { regex: /(?=[^\t])/, sol: true, next: "start" },
    { regex: /\t?#.*/, token: "comment" },
    { regex: /\t/ },
    { regex: /[@+-](?=\S)/, token: "keyword" },
    { regex: /"(?:[^"\\$]|\\.|\$\$?[^"({])*"|'[^']*'/, token: "string" },
    { regex: /\b(?:if|then|else|elif|fi|for|in|do|done|while|case|esac|exit|set|cd|echo|export)\b/, token: "keyword" },
    variable,
    automatic,
    { regex: /[\w./-]+/ },
  ],
  variable: [
    variable,
    { regex: /[)}]/, token: "variableName.special", pop: true },
    {
      regex:
        /(?:abspath|addprefix|addsuffix|basename|call|dir|error|eval|file|filter|filter-out|findstring|firstword|foreach|if|info|join|lastword|notdir|origin|patsubst|realpath|shell|sort|strip|subst|suffix|value|warning|wildcard|word|words)(?=\s)/,
      token: "builtin",
    },
    automatic,
    { regex: /[^$(){}]/, token: "variableName.special" },
  ],
});
