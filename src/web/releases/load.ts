import type { RepositoryAccess } from "../../auth/subject.ts";
import { archiveDownloadsOf, type ArchiveDownloads } from "../../domain/git/archives/download-queries.ts";
import { attachmentsOfReleases, type AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { findLatestRelease, findTagsBefore, type FoundRelease } from "../../domain/repos/releases/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { reads } from "../frame/subject-tabs.ts";
import { readTagFacts, type TagFacts } from "../history/tag-facts.ts";
import type { Html } from "../html.ts";
import { renderComments } from "../issues/texts.ts";
import type { Visit } from "../visit.ts";

/** The most files that a page has. */
const mostAssets = 500;

/** A release with all that its panel shows. */
export interface ShownRelease extends FoundRelease {
  readonly notes: Html;
  readonly assets: readonly AttachmentRow[];
  readonly downloads: ArchiveDownloads | undefined;
  /** The tag of the release before; null for the first one. */
  readonly before: string | null;
  readonly isLatest: boolean;
  /** null: there is no such tag, or the reader may not see the code. */
  readonly tag: TagFacts | null;
  /** How many commits the default branch has that the release has not; null: nobody knows. */
  readonly since: number | null;
}

async function readTags(forge: Forge, visit: Visit, access: RepositoryAccess, names: readonly string[]) {
  const { repository } = access;
  const facts = new Map<string, TagFacts & { since: number | null }>();
  if (!reads(visit, "code") || names.length === 0) {
    return facts;
  }
  const found = await Promise.all(names.map((name) => forge.git.refs.findRef(repository.id, `refs/tags/${name}`)));
  const refs = found.filter((ref) => ref !== null) as Ref[];
  const [view, tip] = await Promise.all([forge.git.views.current(repository), forge.git.revisions.find(repository)]);
  const known = await readTagFacts(forge, visit, view, refs);
  const count = { paths: [], skip: 0, limit: 1, count: true, files: false, stats: false };
  await Promise.all(
    known.map(async (tag, index) => {
      const log =
        tip === null || tag.commit === undefined
          ? null
          : await forge.git.commits.log(
              tip.view,
              { tips: [tip.commit], not: [tag.commit.oid], ...count },
              visit.request.signal,
            );
      facts.set((refs[index]?.name ?? "").slice("refs/tags/".length), { ...tag, since: log?.total ?? null });
    }),
  );
  return facts;
}

/** Reads what the panels of releases show. */
export async function loadReleases(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  rows: readonly FoundRelease[],
): Promise<ShownRelease[]> {
  const { db } = forge.database;
  const { id: repositoryId } = access.repository;
  const [ids, tags] = [rows.map(({ release }) => release.id), rows.map(({ release }) => release.tagName)];
  const [notes, assets, downloads, before, latest, facts] = await Promise.all([
    renderComments(
      forge,
      visit,
      access,
      rows.map(({ release }) => release.body),
    ),
    attachmentsOfReleases(db, ids, mostAssets),
    archiveDownloadsOf(db, repositoryId, tags),
    findTagsBefore(db, repositoryId, ids),
    findLatestRelease(db, visit, repositoryId),
    readTags(forge, visit, access, tags),
  ]);
  const byRelease = Map.groupBy(assets, ({ releaseId }) => releaseId);
  return rows.map((row, index) => {
    const { id, tagName } = row.release;
    const tag = facts.get(tagName) ?? null;
    return {
      ...row,
      notes: notes[index]!,
      assets: byRelease.get(id) ?? [],
      downloads: downloads.get(tagName),
      before: before.get(id) ?? null,
      isLatest: latest?.release.id === id,
      tag,
      since: tag?.since ?? null,
    };
  });
}
