import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import { UnreadableYaml } from "../../../lib/yaml/yaml-reader.ts";
import type { Revision } from "../../git/refs/revisions.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { longestFile, UnreadableFile } from "../issue-templates/fields.ts";
import { completeIssues } from "../issues/queries.ts";
import { plainNotes, readNotesConfig, type NotesConfig } from "./notes-config.ts";
import { findFirstMerged, listMergedBy } from "./queries.ts";
import { writeNotes } from "./write-notes.ts";

/** Where the configuration is, on the default branch; the first file counts. */
const configPaths = [".gitea", ".forgejo", ".github"].flatMap((folder) => [
  `${folder}/release.yml`,
  `${folder}/release.yaml`,
]);
/** The most commits of which it is asked which pull request they merged, and the most pull requests that notes name. */
const mostCommits = 10_000;
const mostPulls = 300;

/** What notes are about. */
export interface NotesRange {
  /** The tag of the release; it need not exist. */
  readonly tag: string;
  /** Where the tag will be, if it does not exist; empty: at the default branch. */
  readonly target: string;
  /** The tag of the release before; empty: there is none. */
  readonly before: string;
}

/** How the notes are grouped. A file that cannot be read says nothing. */
async function findNotesConfig(forge: Forge, { view, commit }: Revision, signal: AbortSignal): Promise<NotesConfig> {
  for (const path of configPaths) {
    const found = await forge.git.engine.call(view, "readPath", { commit, path, maxBytes: longestFile }, signal);
    if (found?.bytes != null) {
      try {
        return readNotesConfig(await forge.yaml.read(Buffer.from(found.bytes).toString(), signal));
      } catch (error) {
        if (error instanceof UnreadableFile || error instanceof UnreadableYaml) {
          return plainNotes;
        }
        throw error;
      }
    }
  }
  return plainNotes;
}

/**
 * Returns notes in Markdown of what was merged since another release, as far as the viewer may know of it. Throws NotFound for a tag or target
 * that is not there.
 */
export async function makeNotes(
  forge: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  { tag, target, before }: NotesRange,
  signal: AbortSignal,
): Promise<string> {
  const { repository, owner } = access;
  const { revisions, commits } = forge.git;
  const [head, base, tip] = await Promise.all([
    revisions.find(repository, `refs/tags/${tag}`).then((found) => found ?? revisions.find(repository, target)),
    before === "" ? null : revisions.find(repository, `refs/tags/${before}`),
    revisions.find(repository),
  ]);
  if (head === null || (before !== "" && base === null)) {
    throw new NotFound("branch, tag or commit", head === null ? target || tag : before);
  }
  const walk = { paths: [], skip: 0, limit: mostCommits, count: false, files: false, stats: false };
  const not = base === null ? [] : [base.commit];
  const merged = await commits.log(head.view, { tips: [head.commit], not, ...walk }, signal);
  const { db } = forge.database;
  const oids = merged.commits.map(({ oid }) => oid);
  const rows = await listMergedBy(db, repository.id, oids, mostPulls);
  const authors = [...new Set(rows.flatMap(({ authorId }) => (authorId === null ? [] : [authorId])))];
  const [config, found, first] = await Promise.all([
    tip === null ? plainNotes : findNotesConfig(forge, tip, signal),
    completeIssues(db, viewer, rows),
    findFirstMerged(db, repository.id, authors),
  ]);
  const pulls = found.map(({ issue: row, author, labels }) => ({
    number: row.number,
    title: row.title,
    author: author?.name ?? null,
    labels: labels.map(({ name }) => name),
    isFirst: row.authorId !== null && first.get(row.authorId) === row.id,
  }));
  const range = base === null ? null : `${encodeURI(before)}...${encodeURI(tag)}`;
  const address = forge.addresses.own.repository(owner.name, repository.name);
  return writeNotes(config, pulls, range === null ? null : `${address}/compare/${range}`);
}
