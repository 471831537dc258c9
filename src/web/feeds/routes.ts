import type { RepositoryAccess } from "../../auth/subject.ts";
import { everyRef } from "../../domain/git/refs/refs-by-date.ts";
import { splitTagMessage } from "../../domain/git/signatures/tag-signature.ts";
import { pageOfReleases } from "../../domain/repos/releases/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import { readTagFacts } from "../history/tag-facts.ts";
import { html } from "../html.ts";
import { renderComments } from "../issues/texts.ts";
import { commitLink, releaseLink, releasesLink, repositoryLink, sourceLink } from "../links.ts";
import { readsCode, readsReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { findSource } from "../repos/find-source.ts";
import type { Visit } from "../visit.ts";
import { feedResponse, feedSize, type FeedEntry, type FeedFormat } from "./feed.ts";

const formats: readonly FeedFormat[] = ["rss", "atom"];
const first = { size: feedSize, offset: 0 };
/** UTF-16 code units of a message. */
const shownMessage = 4000;
const tagPrefix = "refs/tags/";

const at = (seconds: number | undefined) => new Date((seconds ?? 0) * 1000);
const nameOf = ({ owner, repository }: RepositoryAccess) => `${owner.name}/${repository.name}`;
const messageMarkup = (message: string) => html`<pre>${clip(message.trim(), shownMessage)}</pre>`;

/** Feeds of a repository's releases, tags, and the commits of a branch or of a path in it. */
export function feedPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function releases(visit: Visit, access: RepositoryAccess, format: FeedFormat): Promise<Response> {
    const { base } = forge.addresses;
    const { rows } = await pageOfReleases(db, visit, access.repository.id, { showsDrafts: false }, first);
    const bodies = rows.map(({ release }) => release.body);
    const notes = await renderComments(forge, visit, access, bodies);
    const entries = rows.map(({ release, author }, index): FeedEntry => ({
      link: releaseLink(base, access, release.tagName),
      title: release.title || release.tagName,
      at: release.publishedAt,
      author: author?.name ?? "",
      content: notes[index]!,
    }));
    const link = releasesLink(base, access);
    const about = `What ${nameOf(access)} released`;
    return feedResponse(visit, base, format, { title: `Releases of ${nameOf(access)}`, about, link, entries });
  }

  async function tags(visit: Visit, access: RepositoryAccess, format: FeedFormat): Promise<Response> {
    const { base } = forge.addresses;
    const refs = await forge.git.refsByDate.page(access.repository, tagPrefix, everyRef, first);
    const facts = await readTagFacts(forge, visit, refs.view, refs.rows);
    const entries = facts.map(({ annotated, commit }, index): FeedEntry => {
      const name = (refs.rows[index]?.name ?? "").slice(tagPrefix.length);
      const message = annotated === null ? (commit?.message ?? "") : splitTagMessage(annotated.message).text;
      return {
        link: sourceLink(base, access, { kind: "tag", name }, ""),
        title: name,
        at: at(annotated?.tagger?.seconds ?? commit?.committer.seconds),
        author: annotated?.tagger?.name ?? commit?.author.name ?? "",
        content: messageMarkup(message),
      };
    });
    const link = `${repositoryLink(base, access)}/tags`;
    const about = `The tags of ${nameOf(access)}`;
    return feedResponse(visit, base, format, { title: about, about, link, entries });
  }

  async function commits(visit: Visit, access: RepositoryAccess, format: FeedFormat): Promise<Response> {
    const { base } = forge.addresses;
    const rest = visit.params["*"] ?? "";
    const source = await findSource(forge, access.repository, `branch/${rest}`);
    if (source === null) {
      throw new NotFound("branch", clip(rest, 80));
    }
    const { revision, path } = source;
    const slice = { skip: 0, limit: feedSize, count: false, files: false, stats: false };
    const walk = { tips: [revision.commit], not: [], paths: path === "" ? [] : [path] };
    const log = await forge.git.commits.log(revision.view, { ...walk, ...slice }, visit.request.signal);
    const entries = log.commits.map(({ oid, author, committer, message }): FeedEntry => ({
      link: commitLink(base, access, oid),
      title: commitTitle(message),
      at: at(committer.seconds),
      author: author.name,
      content: messageMarkup(message),
    }));
    const what = path === "" ? revision.name : `${path} in ${revision.name}`;
    const link = sourceLink(base, access, revision, path, "commits");
    const title = `Commits to ${what} of ${nameOf(access)}`;
    return feedResponse(visit, base, format, { title, about: title, link, entries });
  }

  return formats.flatMap((format) => [
    page("GET", `/:owner/:repo/releases.${format}`, readsReleases, ({ visit, repository }) =>
      releases(visit, repository, format),
    ),
    page("GET", `/:owner/:repo/tags.${format}`, readsCode, ({ visit, repository }) => tags(visit, repository, format)),
    page("GET", `/:owner/:repo/${format}/branch/*`, { ...readsCode, past: true }, ({ visit, repository }) =>
      commits(visit, repository, format),
    ),
  ]);
}
