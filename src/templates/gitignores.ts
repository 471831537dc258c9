import { readGitignores } from "./read-gitignores.ts" with { type: "macro" };

const texts = new Map(Object.entries(readGitignores()));
const names: readonly string[] = [...texts.keys()].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
const byLowerName = new Map(names.map((name) => [name.toLowerCase(), name]));

/** The names of all .gitignore templates, in order. */
export function listGitignores(): readonly string[] {
  return names;
}

/** The text of the template of this name in any case; null when there is none. */
export function findGitignore(name: string): string | null {
  return texts.get(byLowerName.get(name.toLowerCase()) ?? "") ?? null;
}

/** The template's own spelling of its name; null when there is none. */
export function findGitignoreName(name: string): string | null {
  return byLowerName.get(name.toLowerCase()) ?? null;
}
