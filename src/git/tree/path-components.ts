/** The names in a path, in bytes; slashes at its ends and double ones do not count. */
export function pathComponents(path: string): Uint8Array[] {
  return path
    .split("/")
    .filter((name) => name !== "")
    .map((name) => Buffer.from(name, "utf8"));
}
