import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, topicLink } from "../links.ts";
import { avatar } from "./avatar.ts";
import { icon } from "./icon.ts";
import { languageDot } from "./language.ts";
import { empty } from "./note.ts";
import { shortNumber } from "./size.ts";
import { ago } from "./time.ts";

/** Words that say what is special about a repository. */
export function tags(reader: Reader, { repository }: RepositoryAccess): Html {
  return html`${repository.private && html`<span class="tag">${icon(reader, "lock")}private</span>`}
    ${repository.archivedAt !== null && html`<span class="tag amber">${icon(reader, "archive")}archived</span>`}
    ${repository.template && html`<span class="tag">template</span>`}
    ${repository.mirror && html`<span class="tag">${icon(reader, "refresh-cw")}mirror</span>`}`;
}

function card(reader: Reader, access: RepositoryAccess, withOwner: boolean): Html {
  const { owner, repository, counts } = access;
  const topics = repository.topics
    .slice(0, 8)
    .map((topic) => html`<a class="tag topic" href="${topicLink(reader.root, topic)}">${topic}</a>`);
  const stars = html`${icon(reader, "star")}${shortNumber(counts.stars)}<span class="sr"> stars</span>`;
  return html`<li class="card">
    <h2>${withOwner && avatar(reader, owner)}<a href="${repositoryLink(reader.root, access)}">${withOwner ? `${owner.name}/` : ""}<b>${repository.name}</b></a>${tags(reader, access)}${withOwner && html`<a class="button s apart" href="${repositoryLink(reader.root, access)}/stars">${stars}</a>`}</h2>
    ${repository.description !== "" && html`<p dir="auto">${repository.description}</p>`}
    <div class="meta">${counts.language !== "" && html`<span>${languageDot(counts.language)}${counts.language}</span>`}
    ${!withOwner && html`<span>${stars}</span>`}
    ${counts.forks > 0 && html`<span>${icon(reader, "git-fork")}${shortNumber(counts.forks)}<span class="sr"> forks</span></span>`}
    ${!withOwner && counts.openIssues > 0 && html`<span>${icon(reader, "circle-dot")}${shortNumber(counts.openIssues)}<span class="sr"> open issues</span></span>`}
    <span>updated ${ago(reader, repository.updatedAt)}</span>${topics.length > 0 && html`<span class="line flow">${topics}</span>`}</div></li>`;
}

/** Repositories, with their owner's name where they are of several. */
export function repositoryList(reader: Reader, rows: readonly RepositoryAccess[], withOwner: boolean): Html {
  return rows.length === 0
    ? empty(reader, "book", "No repositories", "There is none here that you can see and that fits.")
    : html`<ul>${rows.map((access) => card(reader, access, withOwner))}</ul>`;
}
