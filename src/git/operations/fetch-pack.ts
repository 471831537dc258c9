import { fetchPack as answerFetch, sendKnown, type KnownAnswer } from "../transport/fetch-pack.ts";
import type { ResolvedFetch } from "../transport/fetch-request.ts";
import type { ByteSteps, Job } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { largestAnswerBytes, rememberAnswer } from "./remember-answer.ts";

export type FetchPackArgs = ResolvedFetch;

/** With more oids than this a request is hardly the same as another one. */
const maxOids = 5000;
/** A pack is hardly more than so many times what its entries take where they are stored: some have to be made anew. */
const maxGrowth = 2;

/** The framed answer to one fetch request of a git client, of any protocol version. */
export function fetchPack(repository: OpenRepository, args: FetchPackArgs, job: Job): ByteSteps {
  const pieceBytes = (): number => job.pieceBytes;
  const { reader, viewMemo } = repository;
  const packed = (args.wants.length + args.unadvertised.length + args.tips.length) / reader.db.format.oidBytes;
  const oids = packed + args.haves.length + args.shallow.length + args.tags.length;
  if (oids > maxOids) {
    return answerFetch(reader, args, pieceBytes);
  }
  const key = keyOf(args);
  const largest = largestAnswerBytes(viewMemo);
  /** whether its bytes are not worth putting aside */
  let isLeft = false;
  const make = (): ByteSteps => {
    const known = viewMemo.find<KnownAnswer>(`known ${key}`);
    if (known !== null) {
      return sendKnown(reader, known, args.sideband, pieceBytes);
    }
    return answerFetch(reader, args, pieceBytes, {
      wantsRecipe: (leastBytes) => {
        isLeft = leastBytes !== null && leastBytes > largest;
        return leastBytes === null || leastBytes * maxGrowth > largest;
      },
      keep: (answer) => {
        const { head, pack } = answer;
        // The bytes of the file itself are what the system keeps anyway.
        isLeft ||= typeof pack === "number";
        // A response that was put aside as a whole needs no recipe.
        if (isLeft || (typeof pack === "object" && pack.packBytes > largest)) {
          viewMemo.keepObject(
            `known ${key}`,
            answer,
            head.reduce((bytes, { length }) => bytes + length, typeof pack === "number" ? 200 : 200 + pack.heldBytes),
          );
        }
      },
    });
  };
  const isKnown = viewMemo.find(`known ${key}`) !== null;
  return isKnown ? make() : rememberAnswer(viewMemo, key, make, pieceBytes, () => isLeft);
}

/** All that the answer depends on but the view; hashed so that nobody can make up two requests of one key. */
function keyOf(args: FetchPackArgs): string {
  const { wants, unadvertised, tips } = args;
  const hasher = new Bun.CryptoHasher("sha256").update(
    JSON.stringify({ ...args, wants: wants.length, unadvertised: unadvertised.length, tips: tips.length }),
  );
  return `fetch ${hasher.update(wants).update(unadvertised).update(tips).digest("base64")}`;
}
