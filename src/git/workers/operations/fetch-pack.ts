import { fetchPack as answerFetch } from "../../transport/fetch-pack.ts";
import type { ResolvedFetch } from "../../transport/fetch-request.ts";
import type { ByteSteps, Job } from "../job.ts";
import type { OpenRepository } from "../open-repository.ts";

export type FetchPackArgs = ResolvedFetch;

/** The framed answer to one fetch request of a git client, of any protocol version. */
export function fetchPack(repository: OpenRepository, args: FetchPackArgs, job: Job): ByteSteps {
  return answerFetch(repository.reader, args, () => job.pieceBytes);
}
