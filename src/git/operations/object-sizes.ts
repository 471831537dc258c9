import { objectSizes as sizesOf, type ObjectSizesRequest } from "../transport/object-info.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export type ObjectSizesArgs = ObjectSizesRequest;

/** Sizes of objects, as far as the tips reach them. */
export function objectSizes(repository: OpenRepository, args: ObjectSizesArgs): Steps<readonly (number | null)[]> {
  return sizesOf(repository.reader, args);
}
