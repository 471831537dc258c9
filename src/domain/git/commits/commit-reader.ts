import type { GitEngine } from "../../../git/engine.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { LogArgs, LogCommit, LogResult } from "../../../git/operations/log.ts";
import type { TagRecord } from "../../../git/operations/read-tag.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { currentPrincipal } from "../../../lib/request-context.ts";
import { NotFound } from "../../spine/errors.ts";

const recordBytes = 3 * 1024 * 1024;
const pageBytes = 5 * 1024 * 1024;

function sizeOf(commit: CommitRecord): number {
  return (
    600 +
    2 * commit.message.length +
    2 * ((commit.signature?.signature.length ?? 0) + (commit.signature?.payload.length ?? 0))
  );
}

function sizeOfFiles({ files }: LogCommit): number {
  return (files ?? []).reduce((bytes, file) => bytes + 64 + 2 * file.filename.length, 0);
}

function sizeOfPage({ commits }: LogResult): number {
  return commits.reduce((bytes, commit) => bytes + sizeOf(commit) + sizeOfFiles(commit), 64);
}

/**
 * Commits and tags, kept in this thread under their oids, which never come to mean anything else. Callers have made sure
 * that the repository's refs reach what they ask for.
 */
export class CommitReader {
  private readonly records = new ByteCache<CommitRecord>(recordBytes);
  private readonly tags = new ByteCache<TagRecord>(recordBytes);
  private readonly pages = new ByteCache<LogResult>(pageBytes);
  private readonly pagesInMaking = new JoinedWork<LogResult>();

  constructor(private readonly git: GitEngine) {}

  /** Commits by their oids; an oid of something else, or of nothing, is missing from the answer. */
  async find(view: RepositoryView, oids: readonly string[]): Promise<Map<string, CommitRecord>> {
    const found = new Map<string, CommitRecord>();
    const missing = new Set<string>();
    for (const oid of oids) {
      const record = this.records.get(oid);
      if (record === undefined) {
        missing.add(oid);
      } else {
        found.set(oid, record);
      }
    }
    const records = missing.size === 0 ? [] : await this.git.call(view, "readCommits", { oids: [...missing] });
    for (const record of records) {
      if (record !== null) {
        this.records.set(record.oid, record, sizeOf(record));
        found.set(record.oid, record);
      }
    }
    return found;
  }

  /** One commit. Throws NotFound. */
  async get(view: RepositoryView, oid: string): Promise<CommitRecord> {
    const record = (await this.find(view, [oid])).get(oid);
    if (record === undefined) {
      throw new NotFound("commit", oid);
    }
    return record;
  }

  /** Commits in the order of `git log`. */
  async log(view: RepositoryView, args: LogArgs, signal?: AbortSignal): Promise<LogResult> {
    const key = JSON.stringify(args);
    const known = this.pages.get(key);
    if (known !== undefined) {
      return known;
    }
    const read = async (left: AbortSignal) => {
      const result = await this.git.call(view, "log", args, left);
      this.pages.set(key, result, sizeOfPage(result));
      return result;
    };
    // Each principal waits in its own turn: a queue that is full for one is not full for others.
    return this.pagesInMaking.do(`${currentPrincipal()} ${key}`, read, signal);
  }

  /** An annotated tag by its own oid; null for anything else. */
  async findTag(view: RepositoryView, oid: string): Promise<TagRecord | null> {
    const known = this.tags.get(oid);
    if (known !== undefined) {
      return known;
    }
    const tag = await this.git.call(view, "readTag", { oid });
    if (tag !== null) {
      this.tags.set(oid, tag, 500 + 2 * tag.message.length);
    }
    return tag;
  }
}
