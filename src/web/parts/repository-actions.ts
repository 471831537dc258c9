import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Marks } from "../../domain/identity/social/queries.ts";
import type { IconName } from "../assets/icons.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import type { Visit } from "../visit.ts";
import { icon } from "./icon.ts";
import { shortNumber } from "./size.ts";

/** A button that does one thing or takes it back, and beside it the number of those who did, which links to them. */
interface Action {
  readonly icon: IconName;
  /** The forms' names in the address. */
  readonly does: string;
  readonly undoes: string;
  readonly words: string;
  /** The words while it is done, and what a press does then. */
  readonly doneWords: string;
  readonly undoWords: string;
}

const watch: Action = {
  icon: "eye",
  does: "watch",
  undoes: "unwatch",
  words: "Watch",
  doneWords: "Watching",
  undoWords: "stop watching",
};
const star: Action = {
  icon: "star",
  does: "star",
  undoes: "unstar",
  words: "Star",
  doneWords: "Starred",
  undoWords: "take the star back",
};

function number(href: string, count: number, what: string): Html {
  return html`<a class="button s" href="${href}"><span class="count">${shortNumber(count)}</span><span class="sr"> ${what}</span></a>`;
}

function mark(visit: Visit, base: string, action: Action, isDone: boolean): Html {
  const content = html`${icon(visit, action.icon)}${isDone ? html`${action.doneWords}<span class="sr">: ${action.undoWords}</span>` : action.words}`;
  if (visit.actor === null) {
    const back = new URLSearchParams({ redirect_to: visit.here }).toString();
    return html`<a class="button s" rel="nofollow" href="${visit.root}/user/login?${back}">${content}</a>`;
  }
  return html`<form method="post" action="${base}/action/${isDone ? action.undoes : action.does}">${visit.formField()}<input type="hidden" name="back" value="${visit.here}"><button class="button s${isDone ? " on" : ""}">${content}</button></form>`;
}

/** Watch, star and fork, at the head of every page of a repository. `marks`: what the visitor did; null for strangers. */
export function repositoryActions(visit: Visit, access: RepositoryAccess, marks: Marks | null): Html {
  const { counts } = access;
  const base = repositoryLink(visit.root, access);
  const fork = reads(visit, "code")
    ? html`<a class="button s" rel="nofollow" href="${base}/fork">${icon(visit, "git-fork")}Fork</a>`
    : null;
  return html`<div class="actions line"><span class="group">${mark(visit, base, watch, marks?.watched ?? false)}${number(`${base}/watchers`, counts.watchers, "watchers")}</span>
<span class="group">${mark(visit, base, star, marks?.starred ?? false)}${number(`${base}/stars`, counts.stars, "stars")}</span>
<span class="group">${fork}${number(`${base}/forks`, counts.forks, "forks")}</span></div>`;
}
