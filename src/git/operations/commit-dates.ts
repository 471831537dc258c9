import { ObjectType } from "../objects/object-type.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface CommitDatesArgs {
  /** hexadecimal */
  readonly oids: readonly string[];
}

/** For each oid the committer date of its commit, in seconds; 0 where there is no commit. Throws CorruptObject, CorruptPack. */
export function* commitDates({ odb, graph }: OpenRepository, { oids }: CommitDatesArgs): Steps<readonly number[]> {
  const dates: number[] = [];
  for (const oid of oids) {
    const position = odb.findHex(oid);
    dates.push(position < 0 || odb.typeAt(position) !== ObjectType.commit ? 0 : graph.dateOf(position));
    if ((dates.length & 0xff) === 0) {
      yield;
    }
  }
  return dates;
}
