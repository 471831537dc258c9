import { BlobTooLarge } from "../../blobs/blob-store.ts";
import {
  checkAttachmentName,
  checkExternalUrl,
  nameOfExternal,
} from "../../domain/repos/attachments/attachment-name.ts";
import { InvalidAttachment } from "../../domain/repos/attachments/errors.ts";
import { stageAttachment, type StagedAttachment } from "../../domain/repos/attachments/stage-attachment.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isForm, readForm } from "../../http/read-form.ts";
import { bodyPieces, extendTimeLimit } from "../../http/time-limit.ts";
import { StithyError } from "../../lib/errors.ts";
import { FairShare } from "../../lib/fair-share.ts";
import { currentPrincipal } from "../../lib/request-context.ts";
import { readWithin } from "../../lib/read-within.ts";

/** Room for the other parts of a form, and for the bytes between them. */
const formBytes = 4 * 1024 * 1024;

/** A file that came, or the address of one elsewhere. Disposing removes the file, unless it was published. */
export interface Upload extends AsyncDisposable {
  readonly name: string;
  readonly content: StagedAttachment | { externalUrl: string };
}

/** The file took longer to arrive than it may. */
class UploadTooSlow extends StithyError {
  constructor(seconds: number) {
    super("too-slow", "upload-too-slow", `The file did not arrive within ${seconds} seconds`, { seconds });
  }
}

/**
 * Returns the function that takes a file out of a request as it arrives: the part `attachment` of a form, or the body itself;
 * or the address of a file elsewhere, which is the field `external_url` of a form. `name` is that of the query. It throws
 * InvalidAttachment, MalformedBody, BlobTooLarge, UploadTooSlow, Busy, and what BlobStore.stage throws.
 */
export function prepareReceiveUpload(forge: Forge): (request: Request, name: string | undefined) => Promise<Upload> {
  const {
    concurrent_uploads: places,
    upload_timeout_seconds: seconds,
    file_limit_bytes: limit,
  } = forge.config.attachments;
  const share = new FairShare({ what: "uploads", places, placesEach: places, waiting: 0, waitingEach: 0 });

  return async (request, name) => {
    const type = request.headers.get("content-type");
    checkHead(request, isForm(type) ? limit + formBytes : limit, limit);
    using _place = await share.take(currentPrincipal(), request.signal);
    const body = readWithin(bodyPieces(request), seconds * 1000, () => new UploadTooSlow(seconds));
    const content = atEnd(body, () => extendTimeLimit(request));
    if (type === null || !isForm(type)) {
      // Known before the bytes come, unlike the names in a form.
      checkAttachmentName(name ?? "");
      const staged = await stageAttachment(forge, content);
      return { name: name ?? "", content: staged, [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose]() };
    }
    let filename: string | undefined;
    const { fields, taken } = await readForm(type, content, "attachment", (file) => {
      filename = file.filename;
      return stageAttachment(forge, file.content);
    });
    const externalUrl = fields.get("external_url") ?? "";
    const chosen = name ?? (fields.get("name") || undefined);
    if (taken !== null && externalUrl === "") {
      return {
        name: chosen ?? filename ?? "",
        content: taken,
        [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose](),
      };
    }
    await taken?.[Symbol.asyncDispose]();
    if (taken !== null || externalUrl === "") {
      throw new InvalidAttachment(
        `The form must have either a file as attachment or an address as external_url, not ${taken === null ? "neither" : "both"}`,
      );
    }
    const address = checkExternalUrl("external_url", externalUrl);
    return {
      name: chosen ?? nameOfExternal(address),
      content: { externalUrl: address },
      [Symbol.asyncDispose]: async () => {},
    };
  };
}

function checkHead(request: Request, bodyLimit: number, fileLimit: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > bodyLimit) {
    throw new BlobTooLarge(fileLimit);
  }
  if (!["identity", null].includes(request.headers.get("content-encoding"))) {
    throw new InvalidAttachment("Files are taken as they are, without a Content-Encoding");
  }
  if (request.body === null) {
    throw new InvalidAttachment("No file was sent: send it as the part attachment of a form, or as the body itself");
  }
}

/** Yields the chunks and calls `act` after the last: the disk may need longer for them than a silent connection lives. */
async function* atEnd(chunks: AsyncIterable<Uint8Array>, act: () => void): AsyncGenerator<Uint8Array> {
  yield* chunks;
  act();
}
