/** A setting of a file in git's configuration format; names are in lower case, subsections as they are written. */
interface ConfigSetting {
  readonly section: string;
  readonly subsection: string | null;
  readonly name: string;
  /** Null for a name without `=`, which means true. */
  readonly value: string | null;
}

/**
 * Parses git's configuration format: `[section "subsection"]` lines and `name = value` lines; `#` and `;` start comments,
 * a backslash at the end of a line continues it, values may be quoted in part. Of a file that breaks it the settings
 * before that place are returned. (Documented under "Syntax" in git-config.)
 */
export function parseConfig(text: string): ConfigSetting[] {
  const settings: ConfigSetting[] = [];
  // A variable may come before the first section.
  let section = "";
  let subsection: string | null = null;
  let rest = text.replaceAll("\r\n", "\n").replace(/^\uFEFF/, "");
  for (;;) {
    // Only the spaces of C: at any other character git stops.
    rest = rest.replace(/^(?:[ \t\r\n]+|[#;][^\n]*)*/, "");
    if (rest === "") {
      return settings;
    }
    const heading = /^\[([A-Za-z0-9.-]+)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/.exec(rest);
    if (heading !== null) {
      // A subsection may also stand behind a dot, in front of one in quotes.
      const [first, ...others] = heading[1]!.toLowerCase().split(".");
      const subsections = heading[2] === undefined ? others : [...others, heading[2].replaceAll(/\\(.)/g, "$1")];
      section = first!;
      subsection = subsections.length === 0 ? null : subsections.join(".");
      rest = rest.slice(heading[0].length);
      continue;
    }
    const name = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(=)?/.exec(rest);
    if (name === null) {
      return settings;
    }
    rest = rest.slice(name[0].length);
    let value: string | null = null;
    if (name[2] === undefined && rest !== "" && !rest.startsWith("\n")) {
      return settings;
    }
    if (name[2] !== undefined) {
      const parsed = parseValue(rest);
      if (parsed === null) {
        return settings;
      }
      ({ value, rest } = parsed);
    }
    settings.push({ section, subsection, name: name[1]!.toLowerCase(), value });
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\", "\n": "" };

/** The value up to the end of its line: spaces around it do not count, unless they are quoted. */
function parseValue(text: string): { value: string; rest: string } | null {
  let value = "";
  let significant = 0;
  let quoted = false;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\n") {
      if (quoted) return null;
      break;
    }
    if (!quoted && (character === "#" || character === ";")) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      break;
    }
    if (character === '"') {
      quoted = !quoted;
      significant = value.length;
    } else if (character === "\\") {
      const escaped = escapes[text[++at] ?? ""];
      if (escaped === undefined) return null;
      value += escaped;
      significant = value.length;
    } else if (quoted || (character !== " " && character !== "\t" && character !== "\r")) {
      value += character;
      significant = value.length;
    } else if (value !== "") {
      value += character;
    }
  }
  return quoted ? null : { value: value.slice(0, significant), rest: text.slice(at) };
}
