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
