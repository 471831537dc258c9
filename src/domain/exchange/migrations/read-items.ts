import type { BroughtAuthor, CommentToSeed, IssueToSeed } from "../seeding/seed-issues.ts";
import type { LabelToSeed, MilestoneToSeed } from "../seeding/seed-labels.ts";

/** Readers of another server's JSON, in which any field may be missing or have another type. */
type Item = Readonly<Record<string, unknown>>;

const longestTitle = 255;
const mostLabels = 100;

export function itemOf(value: unknown): Item {
  return typeof value === "object" && value !== null ? (value as Item) : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : "";
}

export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The instant; null where there is none. */
export function instantOf(value: unknown): Date | null {
  const date = typeof value === "string" ? new Date(value) : null;
  // Where something has no time, the family writes the beginning of the era.
  return date === null || Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1970 ? null : date;
}

/** Names of labels and titles of milestones cannot have what they cannot have here. */
function nameOf(value: unknown): string {
  return textOf(value)
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, longestTitle);
}

export function readLabel(value: unknown, repository: string): LabelToSeed | null {
  const { name, color, description, exclusive } = itemOf(value);
  const digits = textOf(color).replace(/^#/, "");
  return nameOf(name) === ""
    ? null
    : {
        place: "label",
        repository,
        name: nameOf(name),
        color: /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(digits) ? digits : "cccccc",
        description: textOf(description).slice(0, 1000),
        exclusive: exclusive === true,
      };
}

export function readMilestone(value: unknown, repository: string): MilestoneToSeed | null {
  const { title, description, due_on: dueOn, state } = itemOf(value);
  return nameOf(title) === ""
    ? null
    : {
        place: "milestone",
        repository,
        title: nameOf(title),
        description: textOf(description),
        dueAt: instantOf(dueOn),
        closed: state === "closed",
      };
}

/** Finds the author of an item. `isKnown`: the text is given to a user here who is named, not only to the one who asked for the migration. */
export type AuthorOf = (item: Item) => BroughtAuthor & { isKnown: boolean };

/** A text. Unless its author has an account here, it says who wrote it there. */
export function attributed(value: unknown, authorOf: AuthorOf): string {
  const item = itemOf(value);
  const { isKnown, originalAuthor } = authorOf(item);
  if (isKnown) {
    return textOf(item["body"]);
  }
  const who = originalAuthor.replace(/[^\w.-]/g, "").slice(0, 60) || "somebody";
  const when = instantOf(item["created_at"])?.toISOString().slice(0, 10);
  return `*Written by ${who} there${when === undefined ? "" : ` on ${when}`}*\n\n${textOf(item["body"])}`;
}

/** An issue, and how many comments the server says that it has; null: it does not say. */
export type IssueToBring = Omit<IssueToSeed, "comments"> & { commentCount: number | null };

/** Returns the parts of an issue that can be brought. `has` says which labels and milestones are there. */
export function readIssue(
  value: unknown,
  {
    repository,
    authorOf,
    labels,
    milestones,
  }: { repository: string; authorOf: AuthorOf; labels: ReadonlySet<string>; milestones: ReadonlySet<string> },
): IssueToBring {
  const item = itemOf(value);
  const number = numberOf(item["number"]);
  const names = (Array.isArray(item["labels"]) ? item["labels"] : []).map((label) => nameOf(itemOf(label)["name"]));
  const milestone = nameOf(itemOf(item["milestone"])["title"]);
  const closed = item["state"] === "closed";
  return {
    place: `issue ${number}`,
    repository,
    number,
    title: nameOf(item["title"]) || `Issue ${number}`,
    body: attributed(item, authorOf),
    author: authorOf(item),
    labels: withoutRivals([...new Set(names)].filter((name) => labels.has(name))).slice(0, mostLabels),
    assignees: [],
    milestone: milestones.has(milestone) ? milestone : null,
    ref: "",
    closed,
    locked: item["is_locked"] === true || item["locked"] === true,
    dueAt: instantOf(item["due_date"]),
    createdAt: instantOf(item["created_at"]),
    closedAt: closed ? instantOf(item["closed_at"]) : null,
    commentCount: typeof item["comments"] === "number" ? numberOf(item["comments"]) : null,
  };
}

/** Keeps the first label of each scope. It does not look up whether the labels exclude each other. */
function withoutRivals(names: readonly string[]): string[] {
  const scopes = new Set<string>();
  return names.filter((name) => {
    const slash = name.lastIndexOf("/");
    const scope = slash < 0 ? null : name.slice(0, slash);
    const isFirst = scope === null || !scopes.has(scope);
    if (scope !== null) {
      scopes.add(scope);
    }
    return isFirst;
  });
}

export function readComment(value: unknown, authorOf: AuthorOf): CommentToSeed {
  const item = itemOf(value);
  return { body: attributed(item, authorOf), author: authorOf(item), createdAt: instantOf(item["created_at"]) };
}
