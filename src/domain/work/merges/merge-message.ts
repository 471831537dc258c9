import type { MergeStyle } from "../../../db/schema/repositories.ts";
import type { Identity } from "../../git/commits/identity.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

/** Characters of the message of a merge: its first line, and the rest. */
export const longestMergeTitle = 1000;
export const longestMergeText = 256 * 1024;

/** The first line of a commit message, and the text below it; either may be empty. */
export interface MergeMessage {
  readonly title: string;
  readonly body: string;
}

/** The values that the message of a merge can contain. */
export interface MergeSubject {
  readonly number: number;
  readonly title: string;
  readonly description: string;
  /** null: gone */
  readonly posterName: string | null;
  readonly base: { readonly ownerName: string; readonly name: string; readonly branch: string };
  /** `repository` null: gone */
  readonly head: {
    readonly repository: { readonly ownerName: string; readonly name: string } | null;
    readonly isBase: boolean;
    readonly branch: string;
  };
  /** address of the page of the pull request */
  readonly url: string;
  /** those whose approvals count */
  readonly approvers: readonly Identity[];
  /** those who wrote commits, without the one whom the squashed commit has as its author */
  readonly coAuthors: readonly Identity[];
  /** numbers of the issues that the merge closes */
  readonly closes: readonly number[];
}

/** Where templates are, in the order in which they are looked for; of the default branch. */
export function templatePaths(style: MergeStyle): string[] {
  return [".forgejo", ".gitea"].map(
    (directory) => `${directory}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`,
  );
}

/** Bytes of a template that are read; the same bound that Gitea and Forgejo have. */
export const templateBytes = 5 * 1024;

/**
 * The message of a merge for which nobody has written one, in the words of Gitea and Forgejo; null for commits that keep their own:
 * without a template, those of a rebase.
 */
export function defaultMessage(style: MergeStyle, subject: MergeSubject, template: string | null): MergeMessage | null {
  if (template !== null) {
    return expandTemplate(template, variablesOf(subject));
  }
  const reviewed = [`Reviewed-on: ${subject.url}`, ...reviewedBy(subject)];
  switch (style) {
    case "squash": {
      const trailers = [...subject.coAuthors.map((one) => `Co-authored-by: ${lineOf(one)}`), ...reviewed];
      const body = withTrailers(subject.description, trailers);
      return { title: `${subject.title} (#${subject.number})`, body };
    }
    case "merge":
    case "rebase-merge":
      return { title: mergeTitle(subject), body: reviewed.join("\n") };
    default:
      return null;
  }
}

function mergeTitle({ number, title, head, base }: MergeSubject): string {
  const from = head.isBase
    ? head.branch
    : `${head.repository === null ? "<deleted>" : `${head.repository.ownerName}/${head.repository.name}`}:${head.branch}`;
  return `Merge pull request '${title}' (#${number}) from ${from} into ${base.branch}`;
}

const lineOf = ({ name, email }: Identity) => `${name} <${email}>`;
const reviewedBy = ({ approvers }: MergeSubject) => approvers.map((one) => `Reviewed-by: ${lineOf(one)}`);

function variablesOf(subject: MergeSubject): ReadonlyMap<string, string> {
  const { base, head, number } = subject;
  return new Map([
    ["BaseRepoOwnerName", base.ownerName],
    ["BaseRepoName", base.name],
    ["BaseBranch", base.branch],
    ["HeadRepoOwnerName", head.repository?.ownerName ?? ""],
    ["HeadRepoName", head.repository?.name ?? ""],
    ["HeadBranch", head.branch],
    ["PullRequestTitle", subject.title],
    ["PullRequestDescription", subject.description],
    ["PullRequestPosterName", subject.posterName ?? ""],
    ["PullRequestIndex", String(number)],
    ["PullRequestReference", `#${number}`],
    ["ReviewedOn", `Reviewed-on: ${subject.url}`],
    ["ReviewedBy", reviewedBy(subject).join("\n")],
    ["ClosingIssues", subject.closes.map((one) => `close #${one}`).join(", ")],
  ]);
}

/** The message of the last commit of a rebase by its template, which knows the commit's own. */
export function rebasedMessage(subject: MergeSubject, template: string, own: string): MergeMessage {
  const [title = "", ...rest] = own.split("\n");
  const variables = new Map([
    ...variablesOf(subject),
    ["CommitTitle", title] as const,
    ["CommitBody", rest.join("\n").trim()] as const,
  ]);
  return expandTemplate(template, variables);
}

/** Replaces `$Name` and `${Name}`; a name that means nothing is replaced by nothing. The first line is the title. */
function expandTemplate(template: string, variables: ReadonlyMap<string, string>): MergeMessage {
  const text = template.replaceAll("\r\n", "\n").trim();
  const end = text.indexOf("\n");
  const expand = (part: string) =>
    part.replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (_, braced: string | undefined, plain: string | undefined) => variables.get(braced ?? plain ?? "") ?? "",
    );
  return end < 0
    ? { title: expand(text), body: "" }
    : { title: expand(text.slice(0, end)), body: expand(text.slice(end).trim()) };
}

const trailer = /^[A-Za-z0-9-]+: \S/;

/** Trailers join those at the end of a text; where it has none they begin a paragraph of their own. */
function withTrailers(text: string, trailers: readonly string[]): string {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "") {
    return trailers.join("\n");
  }
  const last = trimmed
    .slice(trimmed.lastIndexOf("\n\n") + 1)
    .trim()
    .split("\n");
  const added = trailers.filter((line) => !last.includes(line));
  const separator = trimmed.includes("\n\n") && last.every((line) => trailer.test(line)) ? "\n" : "\n\n";
  return added.length === 0 ? trimmed : trimmed + separator + added.join("\n");
}

/**
 * The message as it is stored, as `git commit` cleans it up (`--cleanup=whitespace`): no blanks at the ends of lines, one empty line at
 * a time, one line feed at the end.
 */
export function commitText({ title, body }: MergeMessage): string {
  const text = `${title}\n\n${body}`
    .replaceAll("\0", "")
    .replaceAll(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => trimEndOf(line, " \t\f\v"))
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n");
  return `${text.replace(/^\n+/, "").trimEnd()}\n`;
}
