import type { PackageAbout } from "../../db/schema/packages.ts";

/** Bounds of what is kept of a package's own words: pages show that much, and packages may say megabytes. */
const longestLine = 300;
const longestDescription = 8_000;
const mostKinds = 12;
const mostNames = 100;

/** A text as the database keeps it: without NUL and halves of characters. */
function kept(text: string, longest: number): string {
  return text.replaceAll("\0", "").trim().slice(0, longest).toWellFormed();
}

type Line = Exclude<keyof PackageAbout, "description" | "relations">;

/** What a package says of itself, without what it leaves empty, in its bounds. */
export function aboutPackage({
  description = "",
  relations = [],
  ...lines
}: { [Name in Line]?: string | undefined } & {
  description?: string | undefined;
  relations?: readonly { kind: string; names: readonly string[] | undefined }[];
}): PackageAbout {
  const texts = Object.entries(lines).map(([name, text = ""]) => [name, kept(text, longestLine)] as const);
  const related = relations
    .map(({ kind, names = [] }) => ({ kind, names: names.map((name) => kept(name, longestLine)).filter(Boolean) }))
    .filter(({ names }) => names.length > 0)
    .map(({ kind, names }) => ({ kind, names: names.slice(0, mostNames) }));
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== "")),
    ...(description.trim() === "" ? {} : { description: kept(description, longestDescription) }),
    ...(related.length === 0 ? {} : { relations: related.slice(0, mostKinds) }),
  };
}
