import { StithyError } from "../lib/errors.ts";

/** A text that cannot be rendered, because of its nesting or the time it would take. */
export class UnrenderableText extends StithyError {
  constructor(reason: string) {
    super("unrenderable-text", `The text cannot be rendered: ${reason}`);
  }
}

/** Too many texts wait to be rendered. */
export class RendererBusy extends StithyError {
  constructor() {
    super("renderer-busy", "Too many texts wait to be rendered");
  }
}
