import { StithyError } from "../lib/errors.ts";

/** A text that cannot be rendered, because of its length, its nesting, or the time or memory that it would take. */
export class UnrenderableText extends StithyError {
  constructor(reason: string) {
    super("invalid", "unrenderable-text", `The text cannot be rendered: ${reason}`);
  }
}
