import { StithyError } from "../lib/errors.ts";
import { pathOf } from "./path-of.ts";

/** The path cannot be decoded, for example because of broken percent-encoding. */
class MalformedAddress extends StithyError {
  constructor() {
    super("malformed", "malformed-address", "The address cannot be read: it is not percent-encoded UTF-8 without NUL");
  }
}

/**
 * Elysia decodes named parameters and leaves a broken one as it is; the rest of a path (`*`) it never decodes, so that
 * happens here, without its one final slash. Throws MalformedAddress (code "malformed-address").
 */
export function readParams<Params extends Record<string, string>>(request: Request, params: Params): Params {
  const path = pathOf(request.url);
  const rest = params["*"];
  if (!path.includes("%") && rest === undefined) {
    return params;
  }
  try {
    if (decodeURIComponent(path).includes("\0")) {
      throw new MalformedAddress();
    }
    return rest === undefined ? params : { ...params, "*": decodeURIComponent(rest.replace(/\/$/, "")) };
  } catch {
    throw new MalformedAddress();
  }
}
