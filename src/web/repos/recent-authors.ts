import type { EmailOwners } from "../../domain/git/commits/queries.ts";
import type { LogResult } from "../../git/operations/log.ts";
import { html, type Html } from "../html.ts";
import { avatar, letterAvatar } from "../parts/avatar.ts";
import type { Visit } from "../visit.ts";
import { ownerLink } from "../links.ts";

/** So many commits are looked at for who works on a repository. */
export const lookedAtCommits = 100;
const shownPeople = 14;

/** Pictures of those who made the last commits, the latest first. */
export function recentAuthors(visit: Visit, { commits }: Pick<LogResult, "commits">, users: EmailOwners): Html | null {
  const names = new Map<string, string>();
  for (const { author } of commits) {
    if (!names.has(author.email)) {
      names.set(author.email, author.name);
    }
  }
  const people = new Map<string, Html>();
  for (const [email, name] of names) {
    const user = users.find(email);
    const key = user === null ? `name ${name}` : `user ${user.id}`;
    const picture =
      user === null
        ? html`<li title="${name}">${letterAvatar(name, name, "me")}<span class="sr">${name}</span></li>`
        : html`<li><a href="${ownerLink(visit.root, user.name)}" title="${user.name}">${avatar(visit, user, "me")}<span class="sr">${user.name}</span></a></li>`;
    people.set(key, people.get(key) ?? picture);
  }
  return people.size === 0
    ? null
    : html`<section><h2>People</h2><ul class="line flow">${[...people.values()].slice(0, shownPeople)}</ul></section>`;
}
