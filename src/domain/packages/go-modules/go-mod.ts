/*
 * What a go.mod says, read as leniently as the go command reads it where it looks for a module. Source: golang.org/x/mod/modfile,
 * ModulePath; the Go modules reference, "go.mod files".
 */

/** The value of the first line that begins with a word; null where there is none. */
function valueOf(text: string, word: string): string | null {
  // The file may be large, and made to be slow: each character is looked at a few times.
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    let start = at;
    while (start > 0 && /[^\S\n]/.test(text.charAt(start - 1))) {
      start--;
    }
    if (start > 0 && text.charAt(start - 1) !== "\n") {
      continue;
    }
    const end = text.indexOf("\n", at);
    const [rest = ""] = text.slice(at + word.length, end < 0 ? text.length : end).split("//");
    if (/^\s/.test(rest) && rest.trim() !== "") {
      return rest.trim();
    }
  }
  return null;
}

/** The module path that a go.mod says; an empty text where it says none. */
export function modulePathOf(goMod: Uint8Array): string {
  const value = valueOf(Buffer.from(goMod).toString("utf8"), "module") ?? "";
  return /^(["`]).*\1$/.test(value) ? value.slice(1, -1) : value;
}

/** Whether a go.mod asks for Go 1.24 or later, from which on a module has other files of vendored packages. */
export function isSince124(goMod: Uint8Array): boolean {
  const [, major = "0", minor = "0"] =
    /^([0-9]+)\.([0-9]+)/.exec(valueOf(Buffer.from(goMod).toString("utf8"), "go") ?? "") ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 24);
}

/** The modules that a go.mod asks for, each as "path version", without those that only others need. */
export function requiredBy(goMod: Uint8Array): string[] {
  const found: string[] = [];
  let isInBlock = false;
  for (const line of Buffer.from(goMod).toString("utf8").split("\n")) {
    const [text = "", remark = ""] = line.split("//");
    const words = text.trim().split(/\s+/);
    const asked: string[] = isInBlock ? words : words[0] === "require" ? words.slice(1) : [];
    if (asked[0] === "(" || asked[0] === ")") {
      isInBlock = asked[0] === "(";
    } else if (asked.length === 2 && remark.trim() !== "indirect") {
      found.push(asked.join(" "));
    }
  }
  return found;
}
