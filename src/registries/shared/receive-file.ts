import { BlobTooLarge, extraDigests, type StagedBlob } from "../../blobs/blob-store.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isForm, readForm } from "../../http/read-form.ts";
import { bodyPieces, extendTimeLimit } from "../../http/time-limit.ts";
import { FairShare } from "../../lib/fair-share.ts";
import { currentPrincipal } from "../../lib/request-context.ts";
import { readWithin } from "../../lib/read-within.ts";
import { RegistryRefusal } from "./refusals.ts";

const retrySeconds = 5;
/** Room for the other parts of a form. */
const formBytes = 1024 * 1024;
/** Part of a form that holds the file, where a client sends one. */
const formField = "file";

/**
 * Returns the function that takes a file out of a request while it comes: the body itself, or the part `file` of a form. The file is hashed with all
 * digests in one pass, and durable when it is returned. It throws RegistryRefusal when too many come at once or this one takes too long, and
 * what BlobStore.stage throws.
 */
export function prepareReceiveFile(forge: Forge): (request: Request) => Promise<StagedBlob> {
  const {
    concurrent_uploads: places,
    upload_timeout_seconds: seconds,
    file_limit_bytes: limit,
  } = forge.config.packages;
  const share = new FairShare({ what: "uploads", places, placesEach: places, waiting: 0, waitingEach: 0 });
  const stage = (content: AsyncIterable<Uint8Array>) =>
    forge.files.blobs.stage(null, content, { bytes: limit, digests: extraDigests });

  return async (request) => {
    const type = request.headers.get("content-type");
    const isInForm = type !== null && isForm(type);
    if (Number(request.headers.get("content-length") ?? 0) > limit + (isInForm ? formBytes : 0)) {
      throw new BlobTooLarge(limit);
    }
    if (!["identity", null].includes(request.headers.get("content-encoding"))) {
      throw new RegistryRefusal(415, "Files are taken as they are, without a Content-Encoding");
    }
    using place = share.tryTake(currentPrincipal());
    if (place === null) {
      throw new RegistryRefusal(429, "Too many uploads are under way", { "retry-after": String(retrySeconds) });
    }
    const late = () => new RegistryRefusal(408, `The file did not arrive within ${seconds} seconds`);
    const body = atEnd(readWithin(bodyPieces(request), seconds * 1000, late), () => extendTimeLimit(request));
    if (!isInForm) {
      return stage(body);
    }
    const { taken } = await readForm(type, body, formField, ({ content }) => stage(content));
    if (taken === null) {
      throw new RegistryRefusal(400, `The form has no part "${formField}" with a file`);
    }
    return taken;
  };
}

/**
 * Yields the chunks and calls `act` after the last: the disk may need longer for them than a silent connection lives.
 */
async function* atEnd(chunks: AsyncIterable<Uint8Array>, act: () => void): AsyncGenerator<Uint8Array> {
  yield* chunks;
  act();
}
