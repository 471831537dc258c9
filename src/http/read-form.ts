import type { BusboyConstructor, BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { StithyError } from "../lib/errors.ts";
import { BodyTooLarge, MalformedBody } from "./request-body.ts";

/** A file in a form. */
export interface FormFile {
  /** Undefined where the client says none. */
  filename: string | undefined;
  content: AsyncIterable<Uint8Array>;
}

/** A form that was read: its texts, and what was made of its file, if it had one. */
interface ReadForm<Taken> {
  fields: ReadonlyMap<string, string>;
  taken: Taken | null;
}

/** How a form with several files is read. */
interface FormOptions {
  /** The parts whose files are taken. Others are passed over. */
  fileField: string;
  mostFiles: number;
  /** Names keep their directories, as browsers send them of the files of a folder. */
  keepsDirectories: boolean;
  /** The longest text of a field, bytes. */
  fieldBytes: number;
  mostFields: number;
  /** The names and texts of all fields together, UTF-16 code units: they are held in memory. */
  textLength: number;
}

/** More than any form with one file has. */
const oneFile = {
  mostFiles: 1,
  keepsDirectories: false,
  fieldBytes: 64 * 1024,
  mostFields: 24,
  textLength: 24 * 64 * 1024,
} as const;
/** More files that are passed over than any form has. */
const mostOtherFiles = 7;
const headerLimits = { headerPairs: 32, headerSize: 16 * 1024 };

/** Whether a body of this type is a form with parts. */
export function isForm(contentType: string | null): boolean {
  return contentType !== null && /^multipart\/form-data\b/i.test(contentType);
}

/**
 * Reads a form (RFC 7578) as it arrives: texts are held, the file of the part `fileField` is given to `take` piece by
 * piece, and other files are passed over. When anything fails, what `take` returned is disposed of. Throws MalformedBody,
 * and what reading the body and `take` throw.
 */
export async function readForm<Taken extends AsyncDisposable>(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  fileField: string,
  take: (file: FormFile) => Promise<Taken>,
): Promise<ReadForm<Taken>> {
  const { fields, taken } = await readParts(contentType, body, { ...oneFile, fileField }, take);
  return { fields: new Map(fields), taken: taken[0] ?? null };
}

/** Reads a form as `readForm` does, with all the files of its parts `fileField`, and with fields that have several values. */
export async function readParts<Taken extends AsyncDisposable>(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  options: FormOptions,
  take: (file: FormFile) => Promise<Taken>,
): Promise<{ fields: [name: string, value: string][]; taken: Taken[] }> {
  const { Busboy } = await import("@fastify/busboy");
  const form = new FormReader(Busboy, contentType, options, take);
  try {
    await form.read(body);
    return { fields: form.fields, taken: await Promise.all(form.taken) };
  } catch (error) {
    throw await form.giveUp(error);
  }
}

/** Returns the boundary of a form's parts from its Content-Type; null if that has none. */
function boundaryOf(contentType: string): string | null {
  // Printable ASCII without what would have to be escaped: more than RFC 2046 allows.
  const found = /;\s*boundary\s*=\s*(?:"([ !#$&-:<-[\]-~]{1,70})"|([!#$&-:<-[\]-~]{1,70}))\s*(?:;|$)/i.exec(
    contentType,
  );
  return found?.[1] ?? found?.[2] ?? null;
}

function describe(error: unknown): string {
  return error instanceof Error && /unexpected end/i.test(error.message)
    ? "it ends before the form does"
    : "it is not a form of parts";
}

class FormReader<Taken extends AsyncDisposable> {
  readonly fields: [name: string, value: string][] = [];
  readonly taken: Promise<Taken>[] = [];
  #parser: BusboyInstance;
  /** The delimiter before each part but the first. */
  #divider: Buffer;
  #files: BusboyFileStream[] = [];
  /** The parser does not say so again: it may, before the body ends. */
  #isFinished = false;
  #failure: { error: unknown } | null = null;
  #reject: ((error: unknown) => void) | null = null;
  readonly #parsersFaults = new WeakSet<object>();

  #textLength = 0;

  constructor(
    makeParser: BusboyConstructor,
    contentType: string,
    private readonly options: FormOptions,
    private readonly take: (file: FormFile) => Promise<Taken>,
  ) {
    const boundary = boundaryOf(contentType);
    try {
      // Written again, so that the parser reads the same boundary.
      const headers = { "content-type": `multipart/form-data${boundary === null ? "" : `; boundary="${boundary}"`}` };
      this.#divider = Buffer.from(`\r\n--${boundary}`);
      this.#parser = makeParser({
        headers,
        limits: {
          ...headerLimits,
          parts: options.mostFields + options.mostFiles + mostOtherFiles,
          fields: options.mostFields,
          files: options.mostFiles + mostOtherFiles,
          fieldSize: options.fieldBytes,
        },
        preservePath: options.keepsDirectories,
        isPartAFile: (field, _type, filename) => filename !== undefined || field === options.fileField,
      });
    } catch {
      throw new MalformedBody("its Content-Type names no boundary between the parts");
    }
    this.#parser.on("error", (error: unknown) => this.#failInParser(error));
    this.#parser.on("field", (name, value, _nameCut, isCut) => this.#takeField(name, value, isCut));
    this.#parser.on("file", (name, stream, filename) => this.#takeFile(name, stream, filename));
    this.#parser.on("finish", () => (this.#isFinished = true));
    for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      this.#parser.on(event, () => this.#fail(new MalformedBody("the form has too many parts")));
    }
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of body) {
      for (const piece of this.#divide(chunk)) {
        // Bytes after the end of the form are ignored.
        if (!this.#isFinished) {
          await this.#step((done) => this.#parser.write(piece, done));
        }
      }
    }
    if (!this.#isFinished) {
      await this.#step((done) => {
        this.#parser.once("finish", () => done());
        this.#parser.end();
      });
    }
  }

  /** The parser goes through all that it is given at once: with one part at a time it ends soon behind the last that is allowed. */
  *#divide(chunk: Uint8Array): Generator<Uint8Array> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let start = 0; start < bytes.length && !this.#isFinished;) {
      const found = bytes.indexOf(this.#divider, start);
      const end = found === -1 ? bytes.length : found + this.#divider.length;
      yield bytes.subarray(start, end);
      start = end;
    }
  }

  /** Ends what is under way, and disposes of what was taken. Returns the error to tell. */
  async giveUp(failure: unknown): Promise<unknown> {
    const cause = failure instanceof Error ? failure : new Error("The form could not be read");
    for (const file of this.#files) {
      file.destroy(cause);
    }
    this.#parser.destroy();
    const all = await Promise.allSettled(this.taken);
    for (const taken of all) {
      await (taken.status === "fulfilled" ? taken.value[Symbol.asyncDispose]() : undefined);
    }
    // The handler stopped reading a file, which the parser may notice first.
    const refused = all.find((taken) => taken.status === "rejected" && taken.reason instanceof StithyError);
    if (refused?.status === "rejected") {
      return refused.reason;
    }
    return this.#isParsersFault(failure) ? new MalformedBody(describe(failure)) : failure;
  }

  /** Waits for a callback of the parser, or for a failure anywhere. */
  #step(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) {
        reject(this.#failure.error);
        return;
      }
      this.#reject = reject;
      begin((error) => (error ? this.#failInParser(error) : resolve()));
    });
  }

  /** Whether an error is one that the parser found in the body. */
  #isParsersFault(error: unknown): boolean {
    return (
      !(error instanceof StithyError) && typeof error === "object" && error !== null && this.#parsersFaults.has(error)
    );
  }

  #failInParser(error: unknown): void {
    if (typeof error === "object" && error !== null) {
      this.#parsersFaults.add(error);
    }
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#reject?.(this.#failure.error);
  }

  #takeField(name: string, value: string, isCut: boolean): void {
    this.#textLength += name.length + value.length;
    if (this.#textLength > this.options.textLength) {
      this.#fail(new BodyTooLarge(this.options.textLength));
      return;
    }
    if (isCut) {
      this.#fail(new MalformedBody(`the field has more than ${this.options.fieldBytes} bytes`));
    } else if (value.includes("\0")) {
      this.#fail(new MalformedBody("a field contains a NUL character"));
    } else {
      this.fields.push([name, value]);
    }
  }

  #takeFile(name: string, stream: BusboyFileStream, filename: string | undefined): void {
    this.#files.push(stream);
    // Errors are those of the form, which are heard of there.
    stream.on("error", (error: unknown) => this.#failInParser(error));
    const { fileField, mostFiles } = this.options;
    if (name !== fileField) {
      stream.resume();
      return;
    }
    if (this.taken.length === mostFiles) {
      const many = mostFiles === 1 ? "one file" : `${mostFiles} files`;
      this.#fail(new MalformedBody(`the form has more than ${many} as ${name}`));
      return;
    }
    const taken = this.take({ filename, content: stream });
    this.taken.push(taken);
    taken.catch((error: unknown) => this.#fail(error));
  }
}
