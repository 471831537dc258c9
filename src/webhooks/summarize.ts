import type { HookEventType } from "../domain/spine/events/hook-types.ts";
import { clip } from "../lib/show-value.ts";
import type { Payload } from "./compose-message.ts";

/** An event in a few words, for services that show messages to people. */
export interface Summary {
  readonly title: string;
  /** More about it; empty: nothing. */
  readonly text: string;
  readonly link: string;
  readonly sender: { readonly name: string; readonly link: string; readonly picture: string };
}

type Part = Readonly<Record<string, unknown>>;

const part = (value: unknown): Part => (typeof value === "object" && value !== null ? (value as Part) : {});
const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
const shortRef = (ref: unknown) => text(ref).replace(/^refs\/(heads|tags)\//, "");

/** The longest text of a message, in characters. */
const longest = 1000;

/** Says what a payload tells. Throws for a type that there is not. */
export function summarize(type: string, payload: Payload): Summary {
  const repository = part(payload["repository"]);
  const sender = part(payload["sender"]);
  const name = text(sender["login"]);
  const action = text(payload["action"]).replaceAll("_", " ");
  const found = describers[type as HookEventType](payload, action);
  return {
    title: `[${text(repository["full_name"]) || text(part(part(payload["package"])["owner"])["login"])}] ${clip(found.title, 300)}${name === "" ? "" : ` by ${name}`}`,
    text: clip(found.text, longest),
    link: found.link || text(repository["html_url"]),
    sender: { name, link: text(sender["html_url"]), picture: text(sender["avatar_url"]) },
  };
}

type Describe = (payload: Payload, action: string) => { title: string; text: string; link: string };

/** A type that has none does not compile. */
const describers: Readonly<Record<HookEventType, Describe>> = {
  push: describePush,
  create: describeRef("created"),
  delete: describeRef("deleted"),
  fork: ({ forkee }) => ({ title: `forked from ${text(part(forkee)["full_name"])}`, text: "", link: "" }),
  wiki: ({ page, comment }, action) => ({
    title: `wiki page "${text(page)}" ${action}`,
    text: text(comment),
    link: "",
  }),
  release: describeRelease,
  package: describePackage,
  repository: (_, action) => ({ title: `repository ${action}`, text: "", link: "" }),
  status: ({ context, state, description, target_url: url }) => ({
    title: `${text(context)}: ${text(state)}`,
    text: text(description),
    link: text(url),
  }),
  issues: describeIssue,
  issue_assign: describeIssue,
  issue_label: describeIssue,
  issue_milestone: describeIssue,
  issue_comment: describeComment,
  pull_request: describeIssue,
  pull_request_assign: describeIssue,
  pull_request_label: describeIssue,
  pull_request_milestone: describeIssue,
  pull_request_comment: describeComment,
  pull_request_review_approved: describeIssue,
  pull_request_review_rejected: describeIssue,
  pull_request_review_comment: describeIssue,
  pull_request_sync: describeIssue,
  pull_request_review_request: describeIssue,
};

function describePush({ commits, total_commits: total, ref, compare_url: url }: Payload): ReturnType<Describe> {
  const list = ((commits ?? []) as readonly unknown[])
    .map(part)
    .map(({ id, message }) => `${text(id).slice(0, 10)} ${text(message).split("\n")[0]}`);
  return { title: `${text(total)} commits pushed to ${shortRef(ref)}`, text: list.join("\n"), link: text(url) };
}

function describeRef(what: string): Describe {
  return ({ ref_type: type, ref }) => ({ title: `${text(type)} ${shortRef(ref)} ${what}`, text: "", link: "" });
}

function describeRelease(payload: Payload, action: string): ReturnType<Describe> {
  const release = part(payload["release"]);
  return {
    title: `release ${text(release["tag_name"])} ${action}`,
    text: text(release["body"]),
    link: text(release["html_url"]),
  };
}

function describePackage(payload: Payload, action: string): ReturnType<Describe> {
  const version = part(payload["package"]);
  const name = `${text(version["name"])} ${text(version["version"])}`;
  return { title: `${text(version["type"])} package ${name} ${action}`, text: "", link: text(version["html_url"]) };
}

/** The issue or pull request of a payload, which of the two it is, and its name. */
function subjectOf(payload: Payload): { subject: Part; what: string; name: string } {
  const pull = part(payload["pull_request"]);
  const subject = { ...part(payload["issue"]), ...pull };
  const what = Object.keys(pull).length > 0 || payload["is_pull"] === true ? "pull request" : "issue";
  return { subject, what, name: `#${text(subject["number"])} ${text(subject["title"])}` };
}

function describeComment(payload: Payload, action: string): ReturnType<Describe> {
  const { name, what } = subjectOf(payload);
  const comment = part(payload["comment"]);
  return {
    title: `comment ${action} on ${what} ${name}`,
    text: text(comment["body"]),
    link: text(comment["html_url"]),
  };
}

function describeIssue(payload: Payload, action: string): ReturnType<Describe> {
  const { subject, name, what } = subjectOf(payload);
  return {
    title: `${what} ${action}: ${name}`,
    text: text(part(payload["review"])["content"]) || (action === "opened" ? text(subject["body"]) : ""),
    link: text(subject["html_url"]),
  };
}
