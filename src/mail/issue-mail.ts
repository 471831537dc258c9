import type { Mail } from "./mailer.ts";

/** The content and the recipient of a mail about an issue or a pull request. */
export interface IssueNews {
  to: string;
  /** The host name of this server. */
  server: string;
  /** Such as `smith/anvil`. */
  repository: string;
  issue: { id: number; number: number; title: string; isPull: boolean };
  about:
    | "opened"
    | "commented"
    | "closed"
    | "reopened"
    | "merged"
    | "assigned"
    | "mentioned"
    | "reviewed"
    | "review-requested";
  /** null: it is no comment. */
  commentId: number | null;
  /** When it happened, milliseconds since 1970. */
  at: number;
  /** The user who did it; null: they are gone, or the reader may not know of them. */
  doer: string | null;
  /** The text, as Markdown and as HTML; null: the mail is not about a text. */
  text: { plain: string; html: string } | null;
  /** Where the issue, or the comment, is shown. */
  page: string;
  /** Where the mails about this issue end, with one click. */
  unsubscribe: string;
  /** Where somebody chooses which mails they get. */
  settings: string;
}

const deeds: Readonly<Record<IssueNews["about"], string>> = {
  opened: "opened",
  commented: "commented on",
  closed: "closed",
  reopened: "reopened",
  merged: "merged",
  assigned: "assigned you to",
  mentioned: "named you in",
  reviewed: "reviewed",
  "review-requested": "asks you for a review of",
};

/** A line as it stands in a header. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

function linkTo(url: string, label: string): string {
  return `<a href="${Bun.escapeHTML(url)}">${label}</a>`;
}

/**
 * A mail about an issue, as a text and as HTML. All mails about one issue are a thread (RFC 5322 section 3.6.4): the first is named after the issue, and the others refer to
 * it. Mail programs end the mails with one click (RFC 8058), without a sign-in.
 */
export function issueMail(news: IssueNews): Mail {
  const { to, server, repository, issue, about, doer, text, page, unsubscribe, settings } = news;
  const name = `${issue.isPull ? "pull request" : "issue"} ${repository}#${issue.number}`;
  const said = `${doer ?? "Somebody"} ${deeds[about]} the ${name}${text === null ? "." : ":"}`;
  const root = `<issue-${issue.id}@${server}>`;
  const isRoot = about === "opened";
  const foot = `You get this mail because you take part in, watch or are named in this ${issue.isPull ? "pull request" : "issue"}.`;
  return {
    to,
    ...(doer === null ? {} : { fromName: doer }),
    subject: `${isRoot ? "" : "Re: "}[${repository}] ${line(issue.title)} (#${issue.number})`,
    text: `${said}\n\n${text === null ? "" : `${text.plain.trimEnd()}\n\n`}-- \n${page}\n\n${foot}\nEnd the mails about it: ${unsubscribe}\nChoose which mails you get: ${settings}\n`,
    html: `<!doctype html>\n<html>\n<body>\n<p>${Bun.escapeHTML(said)}</p>\n${text?.html ?? ""}<hr>\n<p>${linkTo(page, "Show it")} · ${linkTo(unsubscribe, "End the mails about it")} · ${linkTo(settings, "Choose which mails you get")}</p>\n<p>${foot}</p>\n</body>\n</html>\n`,
    messageId: isRoot ? root : idOf(news),
    ...(isRoot ? {} : { repliesTo: root }),
    headers: {
      "List-ID": `${line(repository)} <${repository.replace("/", ".").toLowerCase()}.${server}>`,
      "List-Archive": `<${page.replace(/#.*/, "")}>`,
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

/** Returns the same id for a mail that is tried again. */
function idOf({ about, commentId, at, issue, server }: IssueNews): string {
  const what = commentId === null ? `${about}-${at}` : `comment-${commentId}`;
  return `<${what}.issue-${issue.id}@${server}>`;
}
