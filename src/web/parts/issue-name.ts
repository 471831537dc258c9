import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { icon } from "./icon.ts";

/** An issue or a pull request, as its name is written. */
interface Named {
  readonly number: number;
  readonly isPull: boolean;
}

/** The words that lead to an issue or a pull request. They have no pages yet: when they do, this is where the link goes. */
export function issueName(_reader: Reader, _repository: string, _issue: Named, words: HtmlValue): Html {
  return html`<span class="issue-name" dir="auto">${words}</span>`;
}

/** The icon of an open issue or pull request. */
export function openIssueIcon(reader: Reader, isPull: boolean, isDraft: boolean): Html {
  const name: IconName = isPull ? "git-pull-request" : "circle-dot";
  return html`<span class="${isDraft ? "soft" : "green"}">${icon(reader, name)}</span>`;
}
