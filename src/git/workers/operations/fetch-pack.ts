import { fetchPack as answerFetch } from "../../transport/fetch-pack.ts";
import type { ResolvedFetch } from "../../transport/fetch-request.ts";
import type { ByteSteps, Job } from "../job.ts";
import type { OpenRepository } from "../open-repository.ts";
import { rememberAnswer } from "../remember-answer.ts";

export type FetchPackArgs = ResolvedFetch;

/** With more oids than this a request is hardly the same as another one. */
const mostOids = 5000;

/** The framed answer to one fetch request of a git client, of any protocol version. */
export function fetchPack(repository: OpenRepository, args: FetchPackArgs, job: Job): ByteSteps {
  const pieceBytes = (): number => job.pieceBytes;
  // The memory would only hold what the system keeps of the file.
  let isStored = false;
  const steps = answerFetch(repository.reader, args, pieceBytes, () => (isStored = true));
  const packed = (args.wants.length + args.unadvertised.length + args.tips.length) / repository.reader.db.format.oidBytes;
  const oids = packed + args.haves.length + args.shallow.length + args.tags.length;
  return oids > mostOids ? steps : rememberAnswer(repository.viewMemo, keyOf(args), () => steps, pieceBytes, () => isStored);
}

/** All that the answer depends on but the view; hashed so that nobody can make up two requests of one key. */
function keyOf(args: FetchPackArgs): string {
  const { wants, unadvertised, tips } = args;
  const hasher = new Bun.CryptoHasher("sha256").update(JSON.stringify({ ...args, wants: wants.length, unadvertised: unadvertised.length, tips: tips.length }));
  return `fetch ${hasher.update(wants).update(unadvertised).update(tips).digest("base64")}`;
}
