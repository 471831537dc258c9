import { issueOrders, type IssueOrderName } from "../../domain/work/issues/list-filter.ts";

/** What a list of issues was asked for, in the words of its search box: `is:closed label:"good first issue" author:lea slow clone`. */
export interface IssueQuery {
  readonly state: "open" | "closed" | "all";
  readonly labels: readonly string[];
  readonly withoutLabels: readonly string[];
  readonly milestone: string | null;
  /** What it has none of. */
  readonly without: readonly Missing[];
  /** `owner/name` of a repository, in lists over several. */
  readonly repository: string | null;
  /** Names of users; "@me" is the visitor. */
  readonly author: string | null;
  readonly assignee: string | null;
  readonly mentions: string | null;
  /** The following two are of pull requests. */
  readonly reviewRequested: string | null;
  readonly reviewedBy: string | null;
  readonly sort: IssueOrderName;
  /** The words that are left. */
  readonly text: string;
  /** Those of the words that look like qualifiers, but are none. */
  readonly unknown: readonly string[];
}

const missing = ["label", "milestone", "assignee"] as const;
type Missing = (typeof missing)[number];
const isMissing = (name: string): name is Missing => (missing as readonly string[]).includes(name);

export const everyOpenIssue: IssueQuery = {
  state: "open",
  labels: [],
  withoutLabels: [],
  milestone: null,
  without: [],
  repository: null,
  author: null,
  assignee: null,
  mentions: null,
  reviewRequested: null,
  reviewedBy: null,
  sort: "latest",
  text: "",
  unknown: [],
};

/** The names of the qualifiers that take one user. */
export const userQualifiers = {
  author: "author",
  assignee: "assignee",
  mentions: "mentions",
  "review-requested": "reviewRequested",
  "reviewed-by": "reviewedBy",
} as const;

/** The longest search that is read, characters, and the most labels in it. */
const longestQuery = 1000;
const mostLabels = 20;

/** A word, or a qualifier with a value that may stand in double quotes. */
const word = /(-?[a-z-]+):"([^"]*)"|"([^"]*)"|(\S+)/g;

const isOrder = (name: string): name is IssueOrderName => name in issueOrders;

/** Reads a search box. What is no qualifier is a word to search for; nothing is refused. */
export function readIssueQuery(text: string): IssueQuery {
  const words: string[] = [];
  const labels: string[] = [];
  const withoutLabels: string[] = [];
  const without = new Set<Missing>();
  const unknown: string[] = [];
  const found: { -readonly [Key in keyof IssueQuery]?: IssueQuery[Key] } = {};
  for (const [whole, quotedKey, quotedValue, quoted, plain = ""] of text.slice(0, longestQuery).matchAll(word)) {
    const colon = plain.indexOf(":");
    const key = quotedKey ?? (colon > 0 ? plain.slice(0, colon) : "");
    const value = quotedValue ?? plain.slice(colon + 1);
    if (value === "" && key !== "") {
      continue;
    }
    if (key === "is" && (value === "open" || value === "closed" || value === "all")) {
      found.state = value;
    } else if (key === "label" || key === "-label") {
      (key === "label" ? labels : withoutLabels).push(value);
    } else if (key === "milestone") {
      found.milestone = value;
    } else if (key === "no" && isMissing(value)) {
      without.add(value);
    } else if (key === "repo") {
      found.repository = value;
    } else if (key === "sort" && isOrder(value)) {
      found.sort = value;
    } else if (Object.hasOwn(userQualifiers, key)) {
      found[userQualifiers[key as keyof typeof userQualifiers]] = value;
    } else {
      words.push(quoted ?? whole);
      if (/^-?[a-z-]+$/.test(key) && !value.startsWith("//")) {
        unknown.push(whole);
      }
    }
  }
  return {
    ...everyOpenIssue,
    ...found,
    labels: labels.slice(0, mostLabels),
    withoutLabels: withoutLabels.slice(0, mostLabels),
    without: [...without],
    text: words.join(" "),
    unknown,
  };
}

/** A value as a qualifier takes it. */
export const quote = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value);

/** Writes a search as its box shows it. What everybody sees anyway is left out, but for the state. */
export function writeIssueQuery(query: IssueQuery): string {
  const users = Object.entries(userQualifiers).flatMap(([key, field]) => {
    const name = query[field];
    return name === null ? [] : [`${key}:${quote(name)}`];
  });
  return [
    `is:${query.state}`,
    ...query.labels.map((name) => `label:${quote(name)}`),
    ...query.withoutLabels.map((name) => `-label:${quote(name)}`),
    ...(query.milestone === null ? [] : [`milestone:${quote(query.milestone)}`]),
    ...query.without.map((name) => `no:${name}`),
    ...(query.repository === null ? [] : [`repo:${quote(query.repository)}`]),
    ...users,
    ...(query.sort === everyOpenIssue.sort ? [] : [`sort:${query.sort}`]),
    ...(query.text === "" ? [] : [query.text]),
  ].join(" ");
}
