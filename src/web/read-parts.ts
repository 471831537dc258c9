import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Forge } from "../domain/spine/forge.ts";
import { isForm, readParts, type FormFile } from "../http/read-form.ts";
import { BodyTooLarge } from "../http/request-body.ts";
import { bodyPieces } from "../http/time-limit.ts";
import { StithyError } from "../lib/errors.ts";
import { FairShare } from "../lib/fair-share.ts";
import { explainFull } from "../lib/files.ts";
import { readWithin } from "../lib/read-within.ts";
import { currentPrincipal } from "../lib/request-context.ts";
import { ScratchDirectory } from "../lib/scratch-directory.ts";
import { Form, readForm, type SentFile } from "./form.ts";

/** The most files of one form. */
export const mostFiles = 1000;
/** The texts of a form together: a text of a megabyte arrives with two bytes for each line break. */
const textBytes = 4 * 1024 * 1024;
const fileField = "files";
/** A form of an issue template has a hundred fields, and boxes to tick. */
const mostFields = 500;

/** A form may take this long, and a second more for each 4,000 bytes, as other bodies may. */
const leastMs = 60_000;
const bytesPerMs = 4;

class FormTooSlow extends StithyError {
  constructor(seconds: number) {
    super("too-slow", "form-too-slow", `The form did not arrive within ${seconds} seconds`, { seconds });
  }
}

/**
 * Returns what reads a form with long texts and with files. Files of people who are signed in are in a directory of the form,
 * which is gone when the form is disposed of. Others' are passed over.
 * It throws InvalidInput, BodyTooLarge, MalformedBody, FormTooSlow, Busy, StorageFull.
 */
export function prepareReadParts(forge: Forge): (request: Request, isSignedIn: boolean) => Promise<Form> {
  const limits = { what: "forms with files", placesEach: 4, waiting: 100, waitingEach: 10, waitingMs: 30_000 };
  const members = new FairShare({ ...limits, places: 32 });
  // They come from as many addresses as they like, and no page has such a form for them: theirs are of sessions that ended.
  const strangers = new FairShare({ ...limits, places: 8 });

  return async (request, isSignedIn) => {
    const type = request.headers.get("content-type");
    if (type === null || !isForm(type)) {
      return readForm(request, textBytes);
    }
    const limit = textBytes + (isSignedIn ? forge.config.api.content_limit_bytes : 0);
    const declared = Number(request.headers.get("content-length") ?? 0);
    if (declared > limit) {
      throw new BodyTooLarge(limit);
    }
    using _place = await (isSignedIn ? members : strangers).take(currentPrincipal(), request.signal);
    await using stack = new AsyncDisposableStack();
    const scratch = stack.use(await ScratchDirectory.make(forge.files.temporaryDirectory));
    const longestMs = leastMs + Math.ceil((declared || limit) / bytesPerMs);
    const body = readWithin(bodyPieces(request), longestMs, () => new FormTooSlow(Math.ceil(longestMs / 1000)));
    let count = 0;
    const { fields, taken } = await readParts(
      type,
      bounded(body, limit),
      { fileField, mostFiles, keepsDirectories: true, fieldBytes: textBytes, mostFields, textLength: textBytes },
      async (file) => keep(file, isSignedIn ? join(scratch.path, String(count++)) : null),
    );
    const files = taken.flatMap(({ sent }) => sent ?? []);
    const form = new Form(new URLSearchParams(fields), files, scratch);
    stack.move();
    return form;
  };
}

async function* bounded(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limit) {
      throw new BodyTooLarge(limit);
    }
    yield piece;
  }
}

/** Nothing needs to be given back: the directory goes as a whole. */
interface Kept extends AsyncDisposable {
  sent: SentFile | null;
}

const nothing = async (): Promise<void> => {};

/** Writes a file to the path. A field without a file is sent as one without a name. */
async function keep({ filename = "", content }: FormFile, path: string | null): Promise<Kept> {
  if (path === null || filename === "") {
    for await (const _piece of content) {
      // It is passed over.
    }
    return { sent: null, [Symbol.asyncDispose]: nothing };
  }
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const piece of content) {
      for (let written = 0; written < piece.length;) {
        written += (await file.write(piece, written)).bytesWritten;
      }
      size += piece.length;
    }
  } catch (error) {
    throw explainFull(error);
  } finally {
    await file.close();
  }
  return { sent: { name: unquoted(filename), content: { path, size } }, [Symbol.asyncDispose]: nothing };
}

/** Browsers write these three characters so in the name of a file, and leave all others (HTML, "multipart/form-data encoding algorithm"). */
function unquoted(name: string): string {
  return name.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}
