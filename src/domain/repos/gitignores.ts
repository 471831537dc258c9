import { readGitignores } from "./read-gitignores.ts" with { type: "macro" };

const texts = new Map(Object.entries(readGitignores()));
const names: readonly string[] = [...texts.keys()].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
const byLowerName = new Map(names.map((name) => [name.toLowerCase(), name]));

/** The names of all .gitignore templates, in order. */
export function listGitignores(): readonly string[] {
  return names;
}

/** Returns the template of this name, in whatever case: its own spelling of the name, and its text. */
export function findGitignore(name: string): { name: string; source: string } | null {
  const spelled = byLowerName.get(name.toLowerCase());
  const source = spelled === undefined ? undefined : texts.get(spelled);
  return spelled === undefined || source === undefined ? null : { name: spelled, source };
}
