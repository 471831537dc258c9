import type { NotesConfig } from "./notes-config.ts";

/** A merged pull request, as notes name it. */
export interface NotedPull {
  readonly number: number;
  readonly title: string;
  /** null: nobody that may be named. */
  readonly author: string | null;
  readonly labels: readonly string[];
  /** Whether it is the first one of its author that was merged. */
  readonly isFirst: boolean;
}

const others = "Other changes";

/** Returns the notes in Markdown: each pull request below the first heading whose labels it has. `compare`: the address of all changes. */
export function writeNotes(config: NotesConfig, pulls: readonly NotedPull[], compare: string | null): string {
  const groups = new Map<string, string[]>(config.categories.map(({ title }) => [title, []]));
  const shown = pulls.filter((one) => !isExcluded(config.exclude, one));
  for (const one of shown) {
    const title = config.categories.find((category) => isIn(category, one))?.title ?? others;
    groups.set(title, [...(groups.get(title) ?? []), line(one)]);
  }
  const hasHeadings = config.categories.length > 0;
  const sections = [...groups]
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${hasHeadings ? `### ${title}\n\n` : ""}${lines.join("\n")}`);
  const first = shown.filter(({ isFirst, author }) => isFirst && author !== null);
  return [
    ...(sections.length === 0 ? [] : ["## What changed", ...sections]),
    ...(first.length === 0
      ? []
      : [
          "## New contributors",
          first.map(({ author, number }) => `- @${author} made their first contribution in #${number}`).join("\n"),
        ]),
    ...(compare === null ? [] : [`**All changes**: ${compare}`]),
  ]
    .join("\n\n")
    .concat("\n");
}

function line({ title, author, number }: NotedPull): string {
  return `- ${title.replaceAll(/\s+/g, " ").trim()}${author === null ? "" : ` by @${author}`} in #${number}`;
}

function isExcluded({ labels, authors }: NotesConfig["exclude"], pull: NotedPull): boolean {
  return (
    pull.labels.some((name) => labels.has(name.toLowerCase())) ||
    (pull.author !== null && authors.has(pull.author.toLowerCase()))
  );
}

function isIn({ labels, exclude }: NotesConfig["categories"][number], pull: NotedPull): boolean {
  return !isExcluded(exclude, pull) && (labels.has("*") || pull.labels.some((name) => labels.has(name.toLowerCase())));
}
