import { StithyError } from "../../../lib/errors.ts";

/** A repository cannot be made of a template: `why` says what of the template is in the way. Nothing was made. */
export class TemplateRefused extends StithyError {
  constructor(why: string) {
    super("invalid", "template-refused", `The template cannot be used: ${why}`);
  }
}
