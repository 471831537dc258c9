/*
 * What a go.mod says, read as leniently as the go command reads it where it looks for a module. Source: golang.org/x/mod/modfile,
 * ModulePath; the Go modules reference, "go.mod files".
 */

/** The value of the first line that begins with a word; null where there is none. */
function valueOf(text: string, word: string): string | null {
  for (const line of text.split("\n")) {
    const [, value] = new RegExp(`^\\s*${word}\\s+(.*?)\\s*$`).exec(line.replace(/\/\/.*$/, "")) ?? [];
    if (value !== undefined && value !== "") {
      return value;
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
