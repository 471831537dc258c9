import { BlobTooLarge } from "../blobs/blob-store.ts";
import { NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { checkLfsOid } from "../domain/git/lfs/oid.ts";
import { findContent } from "../domain/git/lfs/find-content.ts";
import { findObject } from "../domain/git/lfs/queries.ts";
import { storeObject } from "../domain/git/lfs/store-object.ts";
import { demandMaintainerOfAny } from "../domain/work/pulls/maintainer-push.ts";
import { fileResponse } from "../http/file-response.ts";
import { bodyPieces, extendTimeLimit } from "../http/time-limit.ts";
import type { FairShare } from "../lib/fair-share.ts";
import { currentPrincipal } from "../lib/request-context.ts";
import { readWithin } from "../lib/read-within.ts";
import type { LfsRequest } from "./open-request.ts";
import { LfsRefusal } from "./refusals.ts";

const retrySeconds = 5;
const contentType = "application/octet-stream";

/** Takes an object. Throws LfsRefusal when too many arrive at once or this one takes too long, BlobTooLarge, and what storeObject throws. */
export async function receiveObject(
  forge: Forge,
  request: Request,
  opened: LfsRequest,
  oid: string,
  places: FairShare,
): Promise<void> {
  const { lfs } = forge.config;
  checkLfsOid(oid);
  if (Number(request.headers.get("content-length") ?? 0) > lfs.object_limit_bytes) {
    throw new BlobTooLarge(lfs.object_limit_bytes);
  }
  if (!["identity", null].includes(request.headers.get("content-encoding"))) {
    throw new LfsRefusal(415, "Objects are taken as they are, without an encoding");
  }
  using place = places.tryTake(currentPrincipal());
  if (place === null) {
    throw new LfsRefusal(429, "Too many uploads are under way", { "retry-after": String(retrySeconds) });
  }
  const late = () => new LfsRefusal(408, `The object did not arrive within ${lfs.upload_timeout_seconds} seconds`);
  const content = readWithin(bodyPieces(request), lfs.upload_timeout_seconds * 1000, late);
  await storeObject(forge, opened.doer, {
    access: opened.access,
    ...(opened.proposesOnly === null
      ? {}
      : { demand: (work) => demandMaintainerOfAny(work, opened.access.repository.id) }),
    oid,
    content: atEnd(content, () => extendTimeLimit(request)),
  });
}

/**
 * Yields the chunks and calls `act` after the last: the disk may need longer for them than a silent connection lives.
 */
async function* atEnd(chunks: AsyncIterable<Uint8Array>, act: () => void): AsyncGenerator<Uint8Array> {
  yield* chunks;
  act();
}

/** Answers with an object of the repository, or the part asked for. Throws NotFound for every other object. */
export async function sendObject(forge: Forge, request: Request, opened: LfsRequest, oid: string): Promise<Response> {
  const found = await findContent(forge, opened.access.repository.id, oid);
  if (found === null) {
    throw new NotFound("LFS object", oid);
  }
  const headers = {
    "content-type": contentType,
    etag: `"${oid}"`,
    "cache-control": "private, no-cache",
    "content-disposition": "attachment",
  };
  const { content, size } = found;
  return fileResponse(request, { content, size, contentType, etag: oid, headers }, headers);
}

/** Says that the repository has the object whole: asked by the client when it has uploaded it. Throws NotFound and LfsRefusal. */
export async function verifyObject(
  forge: Forge,
  opened: LfsRequest,
  object: { oid: string; size: number },
): Promise<void> {
  checkLfsOid(object.oid);
  const bytes = await findObject(forge.database.db, opened.access.repository.id, object.oid);
  if (bytes === null) {
    throw new NotFound("LFS object", object.oid);
  }
  if (bytes !== object.size) {
    throw new LfsRefusal(422, `The object has ${bytes} bytes, not ${object.size}`);
  }
}
