/** Parts of the library that are loaded without the rest of it: its types tell of the whole only. */

declare module "ssh2/lib/protocol/keyParser.js" {
  import type { utils } from "ssh2";
  export const parseKey: typeof utils.parseKey;
}

declare module "ssh2/lib/keygen.js" {
  import type { utils } from "ssh2";
  export const generateKeyPair: typeof utils.generateKeyPair;
}
