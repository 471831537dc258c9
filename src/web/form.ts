import { InvalidInput } from "../lib/errors.ts";
import { readText } from "../http/request-body.ts";

/** Far more than any form here needs. */
const limitBytes = 64 * 1024;

/** The fields of a form that was sent. */
export class Form {
  constructor(private readonly fields: URLSearchParams) {}

  /** The field's text; empty when it was not sent. */
  text(name: string): string {
    return this.fields.get(name) ?? "";
  }

  /** Returns all texts under this name, for example of several ticked boxes. */
  all(name: string): string[] {
    return this.fields.getAll(name);
  }
}

/** Reads a form of the type that browsers send by themselves. Throws InvalidInput, BodyTooLarge, MalformedBody. */
export async function readForm(request: Request): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    throw new InvalidInput("A form is sent as application/x-www-form-urlencoded");
  }
  const fields = new URLSearchParams(await readText(request, limitBytes));
  for (const [name, value] of fields) {
    if (name.includes("\0") || value.includes("\0")) {
      throw new InvalidInput("The form contains a NUL character");
    }
  }
  return new Form(fields);
}
