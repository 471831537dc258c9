import type { Steps } from "../job/job.ts";
import { mayRefer } from "../objects/may-refer.ts";
import type { Signature } from "../objects/signature.ts";
import type { OpenRepository } from "./open-repository.ts";
import { pushedCommits, type PushedCommitsArgs } from "./pushed-commits.ts";

/** A commit whose message may name an issue. */
export interface ReferringCommit {
  readonly oid: string;
  readonly author: Signature;
  /** cut to 16 KiB of UTF-16 code units */
  readonly message: string;
}

const longestMessage = 16_384;

/**
 * Returns those of the first `limit` commits of each move whose messages may name an issue, the newest first. Throws
 * MissingObject, CorruptObject, CorruptPack.
 */
export function* referringCommits(repository: OpenRepository, args: PushedCommitsArgs): Steps<ReferringCommit[][]> {
  const moves = yield* pushedCommits(repository, { ...args, count: false });
  return moves.map(({ commits }) =>
    commits.flatMap(({ oid, author, message }) => {
      const start = message.slice(0, longestMessage);
      return mayRefer.test(start) ? [{ oid, author, message: start }] : [];
    }),
  );
}
