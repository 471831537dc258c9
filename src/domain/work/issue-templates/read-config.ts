import { isMapping, textOf, UnreadableFile } from "./fields.ts";
import { parseWebAddress } from "../../../lib/web-address.ts";

/** How new issues are opened. */
export interface IssueConfig {
  /** Whether an issue can be opened without a template. */
  blankIssues: boolean;
  /** Where somebody should rather ask. */
  contactLinks: { name: string; url: string; about: string }[];
}

/** The configuration of a repository that has none. */
export const defaultConfig: IssueConfig = { blankIssues: true, contactLinks: [] };

const mostLinks = 50;

/** Reads a configuration, of which this is the value in YAML, by the rules of Gitea and Forgejo. Throws UnreadableFile. */
export function readConfig(value: unknown): IssueConfig {
  const fields = value ?? {};
  if (!isMapping(fields)) {
    throw new UnreadableFile("the file is no mapping");
  }
  const blankIssues = fields["blank_issues_enabled"] ?? true;
  const links = fields["contact_links"] ?? [];
  if (typeof blankIssues !== "boolean") {
    throw new UnreadableFile("blank_issues_enabled is true or false");
  }
  if (!Array.isArray(links) || links.length > mostLinks) {
    throw new UnreadableFile(`contact_links is a list of at most ${mostLinks}`);
  }
  return { blankIssues, contactLinks: links.map(readLink) };
}

function readLink(raw: unknown, index: number): IssueConfig["contactLinks"][number] {
  const fields = isMapping(raw) ? raw : {};
  const place = `contact_links at position ${index + 1}`;
  const [name, about, url] = ["name", "about", "url"].map((key) => {
    const value = textOf(fields[key]);
    if (value === "") {
      throw new UnreadableFile(`${place} misses ${key}`);
    }
    return value;
  }) as [string, string, string];
  if (parseWebAddress(url) === null) {
    throw new UnreadableFile(`${place}: url is no address with http or https`);
  }
  return { name, about, url };
}
