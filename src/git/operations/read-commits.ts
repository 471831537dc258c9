import { ObjectType } from "../objects/object-type.ts";
import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ReadCommitsArgs {
  /** hexadecimal, at most some hundreds */
  readonly oids: readonly string[];
}

/** For each oid its commit, or null where there is none (or something else). Throws CorruptObject. */
export function readCommits(repository: OpenRepository, args: ReadCommitsArgs): (CommitRecord | null)[] {
  const { odb } = repository;
  return args.oids.map((oid) => {
    const position = odb.findHex(oid);
    return position < 0 || odb.typeAt(position) !== ObjectType.commit ? null : readCommitRecord(odb, position);
  });
}
