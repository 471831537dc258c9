import { join } from "node:path";
import type { FiledBytes } from "../git/pack/filed-bytes.ts";
import { InvalidInput } from "../lib/errors.ts";
import type { JsonParser } from "../lib/json/json-parser.ts";
import { releaseBytes } from "../lib/release-bytes.ts";
import { ScratchDirectory } from "../lib/scratch-directory.ts";
import { Turns } from "../lib/turns.ts";
import { Base64File } from "./base64-file.ts";
import { parseJsonBytes, readJson } from "./json-body.ts";
import { bodyPieces } from "./time-limit.ts";
import { BodyTooLarge, MalformedBody } from "./request-body.ts";

/** Bodies, and values in them, up to this are held as they are. */
const smallBytes = 1024 * 1024;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [slash, n, r, u] = [0x2f, 0x6e, 0x72, 0x75]; // as in \\/, \\n, \\r and \\u002B
const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** A JSON body whose large base64 values are in files, which are gone when it is disposed of. */
export class StagedJson implements AsyncDisposable {
  readonly #staged = new Map<string, FiledBytes>();
  #value: unknown = {};

  private constructor(private readonly scratch: ScratchDirectory | null) {}

  /**
   * Reads a body of JSON. Where the text that belongs to the key `field` is large, it is decoded as it arrives and put
   * into a file in a directory of its own in `temporaryDirectory`. Throws what readJson throws, InvalidInput for such a
   * text that is not base64, StorageFull.
   */
  static async read(
    parser: JsonParser,
    request: Request,
    limitBytes: number,
    field: string,
    temporaryDirectory: string,
  ): Promise<StagedJson> {
    const declared = Number(request.headers.get("content-length") ?? 0);
    if (declared > limitBytes) {
      throw new BodyTooLarge(limitBytes);
    }
    if (request.body === null || (declared > 0 && declared <= smallBytes)) {
      const small = new StagedJson(null);
      small.#value = await readJson(parser, request, limitBytes);
      return small;
    }
    await using stack = new AsyncDisposableStack();
    const scratch = stack.use(await ScratchDirectory.make(temporaryDirectory));
    const json = new StagedJson(scratch);
    await using scanner = new Scanner(field, scratch.path, json.#staged);
    const counter = parser.counter();
    const turns = new Turns();
    let length = 0;
    for await (const chunk of bodyPieces(request)) {
      length += chunk.length;
      if (length > limitBytes) {
        throw new BodyTooLarge(limitBytes);
      }
      counter.take(chunk, 0, chunk.length);
      await scanner.take(chunk);
      if (turns.over) {
        await turns.pass();
      }
      releaseBytes(chunk);
    }
    json.#value = await parseJsonBytes(parser, scanner.finish(), request.signal);
    stack.move();
    return json;
  }

  /** The value that was sent. A text that is in a file has a placeholder, by which `find` knows it. */
  get value(): unknown {
    return this.#value;
  }

  /** The file that stands for a text of the value; null for a text as it was sent. */
  find(text: string): FiledBytes | null {
    return this.#staged.get(text) ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scratch?.[Symbol.asyncDispose]();
  }
}

/** Goes through JSON as it comes. It tells texts from the rest and no more: what is wrong is found when it is parsed. */
class Scanner implements AsyncDisposable {
  /** All but what is in files. */
  #text = new Uint8Array(64 * 1024);
  #length = 0;
  /** Where in `#text` the current or last text starts, behind its quote; and ends. */
  #start = 0;
  #end = 0;
  #isInText = false;
  #isEscaped = false;
  /** How many digits of a \u escape in a staged text are missing, and the value of those before. */
  #digits = 0;
  #code = 0;
  /** Whether a colon was the last that came outside of texts, blanks aside, and the last text the key. */
  #isKeyed = false;
  #file: Base64File | null = null;
  /** Nobody can send this. */
  readonly #name = crypto.randomUUID();

  constructor(
    private readonly field: string,
    private readonly directory: string,
    private readonly staged: Map<string, FiledBytes>,
  ) {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  async take(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      at =
        this.#file !== null
          ? await this.#takeStaged(this.#file, chunk, at)
          : this.#isInText
            ? await this.#takeText(chunk, at)
            : this.#takeRest(chunk, at);
    }
  }

  /** The JSON, texts in files replaced. */
  finish(): Uint8Array {
    if (this.#file !== null) {
      throw new MalformedBody("it is cut off");
    }
    return this.#text.subarray(0, this.#length);
  }

  #takeRest(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === quote) {
        this.#keep(chunk, from, at + 1);
        this.#isInText = true;
        this.#start = this.#length;
        return at + 1;
      }
      if (byte === colon) {
        this.#isKeyed =
          Buffer.from(this.#text.buffer, this.#start, this.#end - this.#start).toString("latin1") === this.field;
      } else if (byte > 0x20) {
        this.#isKeyed = false;
      }
    }
    this.#keep(chunk, from, chunk.length);
    return chunk.length;
  }

  async #takeText(chunk: Uint8Array, from: number): Promise<number> {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (byte === backslash) {
        this.#isEscaped = true;
      } else if (byte === quote) {
        break;
      }
    }
    this.#keep(chunk, from, at);
    if (this.#isKeyed && this.#length - this.#start > smallBytes) {
      await this.#stage();
    } else if (at < chunk.length) {
      this.#end = this.#length;
      this.#keep(chunk, at, at + 1);
      this.#isInText = false;
      this.#isKeyed = false;
      return at + 1;
    }
    return at;
  }

  /** Puts what has come of a text into a file. */
  async #stage(): Promise<void> {
    const begun = this.#text.slice(this.#start, this.#length);
    this.#length = this.#start;
    this.#isEscaped = false;
    this.#file = await Base64File.create(join(this.directory, String(this.staged.size)));
    await this.#takeStaged(this.#file, begun, 0);
  }

  async #takeStaged(file: Base64File, chunk: Uint8Array, from: number): Promise<number> {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const found = text.indexOf(quote, from);
    const end = found < 0 ? text.length : found;
    if (!(await file.write(this.#unescape(text.subarray(from, end))))) {
      throw this.#invalid();
    }
    if (found < 0) {
      return end;
    }
    const staged = this.#isEscaped || this.#digits > 0 ? null : file.finish();
    if (staged === null) {
      throw this.#invalid();
    }
    const name = `${this.#name} ${this.staged.size}`;
    this.staged.set(name, staged);
    this.#file = null;
    await file[Symbol.asyncDispose]();
    this.#keep(Buffer.from(`${name}"`), 0, name.length + 1);
    this.#isInText = false;
    this.#isKeyed = false;
    return end + 1;
  }

  /** Line breaks may stand in base64; some programs write a slash with a backslash, or a plus by its number. */
  #unescape(text: Buffer): Buffer {
    if (!this.#isEscaped && this.#digits === 0 && !text.includes(backslash)) {
      return text;
    }
    const kept = Buffer.alloc(text.length);
    let length = 0;
    for (const byte of text) {
      if (this.#digits > 0) {
        this.#code = this.#code * 16 + this.#hexDigit(byte);
        // Line breaks are left out; what is no ASCII is no base64 either, as little as a NUL.
        if (--this.#digits === 0 && this.#code !== lineFeed && this.#code !== carriageReturn) {
          kept[length++] = this.#code < 0x80 ? this.#code : 0;
        }
      } else if (this.#isEscaped) {
        this.#isEscaped = false;
        if (byte === u) {
          this.#digits = 4;
          this.#code = 0;
        } else if (byte === slash) {
          kept[length++] = byte;
        } else if (byte !== n && byte !== r) {
          throw this.#invalid();
        }
      } else if (byte === backslash) {
        this.#isEscaped = true;
      } else {
        kept[length++] = byte;
      }
    }
    return kept.subarray(0, length);
  }

  #hexDigit(byte: number): number {
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) {
      throw this.#invalid();
    }
    return digit;
  }

  #invalid(): InvalidInput {
    return new InvalidInput(`${this.field} must be base64`, this.field);
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const needed = this.#length + to - from;
    if (needed > this.#text.length) {
      const grown = new Uint8Array(needed * 2);
      grown.set(this.#text.subarray(0, this.#length));
      this.#text = grown;
    }
    this.#text.set(bytes.subarray(from, to), this.#length);
    this.#length = needed;
  }
}
