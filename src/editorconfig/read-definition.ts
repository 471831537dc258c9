import { parseFromFiles } from "editorconfig";

/** A file named .editorconfig. */
export interface EditorconfigFile {
  /** The directory that it lies in: empty for the root, else with a final slash. */
  directory: string;
  text: string;
}

/** Properties such as `indent_style` with their values as text, names and known values in lower case. */
export type Definition = Record<string, string>;

/**
 * What the files say of a path, by the rules of the EditorConfig specification: the nearest file comes first, and one
 * with `root = true` is the last that counts. A property that is `unset` is left out. Patterns can be made to match
 * for hours.
 */
export async function readDefinition(path: string, files: readonly EditorconfigFile[]): Promise<Definition> {
  const named = files.map(({ directory, text }) => ({
    name: `/${directory}.editorconfig`,
    contents: Buffer.from(text.replace(/^\uFEFF/, "")),
  }));
  const properties = await parseFromFiles(`/${path}`, Promise.resolve(named), { root: "/", unset: true });
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, String(value)]));
}
