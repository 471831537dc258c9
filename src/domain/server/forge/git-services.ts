import type { Database } from "../../../db/client.ts";
import type { GitEngine } from "../../../git/engine.ts";
import { KeyedLock } from "../../../lib/keyed-lock.ts";
import { Archives } from "../../git/archives/archives.ts";
import { CodeSearch } from "../../git/code-search/code-search.ts";
import { CommitReader } from "../../git/commits/commit-reader.ts";
import { ContentReader } from "../../git/contents/content-reader.ts";
import { RepositoryViews } from "../../git/packs/repository-views.ts";
import { prepareRefQueries, type RefQueries } from "../../git/refs/queries.ts";
import { RefsByDate } from "../../git/refs/refs-by-date.ts";
import { Revisions } from "../../git/refs/revisions.ts";
import type { InstanceKey } from "../../git/signatures/instance-key.ts";
import { SignatureVerifier } from "../../git/signatures/verify-signatures.ts";

export interface GitServices {
  readonly engine: GitEngine;
  /** The engine's views of repositories. */
  readonly views: RepositoryViews;
  readonly refs: RefQueries;
  /** From names of branches, tags and commits to objects. */
  readonly revisions: Revisions;
  /** Branches and tags, the latest first. */
  readonly refsByDate: RefsByDate;
  readonly commits: CommitReader;
  readonly contents: ContentReader;
  readonly archives: Archives;
  readonly codeSearch: CodeSearch;
  /** Whether commits and tags were signed by users whose keys are known. */
  readonly signatures: SignatureVerifier;
  /** The key that signs the commits of this server; null: they are not signed. */
  readonly instanceKey: InstanceKey | null;
  /**
   * In this process, commits over the API to one repository do not race each other, nor do its merges or its notes: the keys name both.
   * Pushes and other processes are met by comparing the tip of the ref.
   */
  readonly writing: KeyedLock;
}

/** Returns what reads repositories with this engine. The caller disposes the engine. */
export function buildGitServices(parts: {
  engine: GitEngine;
  db: Database;
  packDirectory: string;
  instanceKey: InstanceKey | null;
}): GitServices {
  const { engine, db, packDirectory, instanceKey } = parts;
  const views = new RepositoryViews(db, packDirectory);
  const refs = prepareRefQueries(db);
  const revisions = new Revisions(engine, views, refs);
  return {
    engine,
    views,
    refs,
    revisions,
    refsByDate: new RefsByDate(engine, views, revisions),
    commits: new CommitReader(engine),
    contents: new ContentReader(engine),
    archives: new Archives(engine, revisions, refs),
    codeSearch: new CodeSearch(engine, revisions),
    signatures: new SignatureVerifier(instanceKey),
    instanceKey,
    writing: new KeyedLock(),
  };
}
