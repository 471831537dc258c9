import { isMapping, textOf, UnreadableFile } from "../issue-templates/fields.ts";

/** Pull requests that are left out: with one of these labels, or of one of these authors. Lower case. */
interface Exclusion {
  readonly labels: ReadonlySet<string>;
  readonly authors: ReadonlySet<string>;
}

/** A heading of notes, and the labels of what stands below it; `*` is any pull request. */
interface NotesCategory {
  readonly title: string;
  readonly labels: ReadonlySet<string>;
  readonly exclude: Exclusion;
}

/** How the notes of a release are grouped. */
export interface NotesConfig {
  readonly exclude: Exclusion;
  readonly categories: readonly NotesCategory[];
}

const mostCategories = 100;
const mostNames = 200;

const nobody: Exclusion = { labels: new Set(), authors: new Set() };
export const plainNotes: NotesConfig = { exclude: nobody, categories: [] };

function readNames(value: unknown): ReadonlySet<string> {
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  return new Set(list.slice(0, mostNames).map((one) => textOf(one).toLowerCase()));
}

function readExclusion(value: unknown): Exclusion {
  return isMapping(value) ? { labels: readNames(value["labels"]), authors: readNames(value["authors"]) } : nobody;
}

/** Reads the value of a `release.yml`, by the rules of GitHub. Throws UnreadableFile. */
export function readNotesConfig(value: unknown): NotesConfig {
  const fields = isMapping(value) ? value["changelog"] : null;
  if (!isMapping(fields)) {
    throw new UnreadableFile("it has no mapping changelog");
  }
  const categories = fields["categories"] ?? [];
  if (!Array.isArray(categories) || categories.length > mostCategories) {
    throw new UnreadableFile(`categories is a list of at most ${mostCategories}`);
  }
  return {
    exclude: readExclusion(fields["exclude"]),
    categories: categories.filter(isMapping).map((one) => ({
      title: textOf(one["title"]),
      labels: readNames(one["labels"]),
      exclude: readExclusion(one["exclude"]),
    })),
  };
}
