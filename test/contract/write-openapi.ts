import { partsOf, writeParts } from "./openapi-files.ts";
import { productDocument } from "./product-document.ts";

/* Writes the OpenAPI document in parts, to be reviewed with the change that caused it: `bun run openapi`. */

const changed = writeParts(partsOf(productDocument()));
console.log(
  changed.length === 0 ? "Nothing has changed" : changed.map((name) => `test/contract/openapi/${name}`).join("\n"),
);
