import { negotiateRound, type NegotiationRound, type RoundResult } from "../transport/negotiate.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export type NegotiateArgs = NegotiationRound;

/** One round of a git client's negotiation where the caller keeps the state. */
export function negotiate(repository: OpenRepository, args: NegotiateArgs): Steps<RoundResult> {
  return negotiateRound(repository.reader, args);
}
