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

/** Says what a payload tells. */
export function summarize(type: string, payload: Payload): Summary {
  const repository = part(payload["repository"]);
  const sender = part(payload["sender"]);
  const name = text(sender["login"]);
  const found = describe(type, payload);
  return {
    title: `[${text(repository["full_name"]) || text(part(part(payload["package"])["owner"])["login"])}] ${clip(found.title, 300)}${name === "" ? "" : ` by ${name}`}`,
    text: clip(found.text, longest),
    link: found.link || text(repository["html_url"]),
    sender: { name, link: text(sender["html_url"]), picture: text(sender["avatar_url"]) },
  };
}

function describe(type: string, payload: Payload): { title: string; text: string; link: string } {
  const action = text(payload["action"]).replaceAll("_", " ");
  switch (type) {
    case "push": {
      const commits = (payload["commits"] ?? []) as readonly unknown[];
      const list = commits
        .map(part)
        .map(({ id, message }) => `${text(id).slice(0, 10)} ${text(message).split("\n")[0]}`);
      return {
        title: `${text(payload["total_commits"])} commits pushed to ${shortRef(payload["ref"])}`,
        text: list.join("\n"),
        link: text(payload["compare_url"]),
      };
    }
    case "create":
    case "delete":
      return { title: `${text(payload["ref_type"])} ${shortRef(payload["ref"])} ${type}d`, text: "", link: "" };
    case "fork":
      return { title: `forked from ${text(part(payload["forkee"])["full_name"])}`, text: "", link: "" };
    case "wiki":
      return { title: `wiki page "${text(payload["page"])}" ${action}`, text: text(payload["comment"]), link: "" };
    case "release": {
      const release = part(payload["release"]);
      return {
        title: `release ${text(release["tag_name"])} ${action}`,
        text: text(release["body"]),
        link: text(release["html_url"]),
      };
    }
    case "package": {
      const version = part(payload["package"]);
      const name = `${text(version["name"])} ${text(version["version"])}`;
      return { title: `${text(version["type"])} package ${name} ${action}`, text: "", link: text(version["html_url"]) };
    }
    case "repository":
      return { title: `repository ${action}`, text: "", link: "" };
    case "status":
      return {
        title: `${text(payload["context"])}: ${text(payload["state"])}`,
        text: text(payload["description"]),
        link: text(payload["target_url"]),
      };
    default:
      return describeIssue(action, payload);
  }
}

function describeIssue(action: string, payload: Payload): { title: string; text: string; link: string } {
  const pull = part(payload["pull_request"]);
  const issue = { ...part(payload["issue"]), ...pull };
  const comment = part(payload["comment"]);
  const review = part(payload["review"]);
  const what = Object.keys(pull).length > 0 || payload["is_pull"] === true ? "pull request" : "issue";
  const about = `#${text(issue["number"])} ${text(issue["title"])}`;
  return Object.keys(comment).length > 0
    ? { title: `comment ${action} on ${what} ${about}`, text: text(comment["body"]), link: text(comment["html_url"]) }
    : {
        title: `${what} ${action}: ${about}`,
        text: text(review["content"]) || (action === "opened" ? text(issue["body"]) : ""),
        link: text(issue["html_url"]),
      };
}
