import type { FiledBytes } from "../git/pack/filed-bytes.ts";
import { InvalidInput } from "../lib/errors.ts";
import { readText } from "../http/request-body.ts";

/** Far more than most forms here need. */
const limitBytes = 64 * 1024;

/** A file of a form, as it lies in the form's directory. */
export interface SentFile {
  /** With its directories, if it is of a folder. */
  readonly name: string;
  readonly content: FiledBytes;
}

/** The fields of a form that was sent. */
export class Form implements AsyncDisposable {
  constructor(
    private readonly fields: URLSearchParams,
    readonly files: readonly SentFile[] = [],
    private readonly held: AsyncDisposable | null = null,
  ) {
    for (const [name, value] of fields) {
      if (name.includes("\0") || value.includes("\0")) {
        throw new InvalidInput("The form contains a NUL character");
      }
    }
  }

  /** The field's text; empty when it was not sent. */
  text(name: string): string {
    return this.fields.get(name) ?? "";
  }

  /** The field's text with the line ends of git and the database: browsers send CRLF. */
  lines(name: string): string {
    return this.text(name).replaceAll("\r\n", "\n");
  }

  /** Whether the field was sent, be it empty. */
  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Returns all texts under this name, for example of several ticked boxes. */
  all(name: string): string[] {
    return this.fields.getAll(name);
  }

  /** All fields in their order. */
  entries(): [name: string, value: string][] {
    return [...this.fields];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.held?.[Symbol.asyncDispose]();
  }
}

/** Reads a form of the type that browsers send by themselves. Throws InvalidInput, BodyTooLarge, MalformedBody. */
export async function readForm(request: Request, mostBytes = limitBytes): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    throw new InvalidInput("A form is sent as application/x-www-form-urlencoded");
  }
  return new Form(new URLSearchParams(await readText(request, mostBytes)));
}
