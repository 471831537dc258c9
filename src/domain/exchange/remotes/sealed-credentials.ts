import { seal, unseal } from "../../../lib/sealed-box.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { RemoteCredentials } from "./remote-address.ts";

/** Stored credentials cannot be opened: they were sealed with a key that was given up. */
class CredentialsLost extends StithyError {
  constructor() {
    super("fault", "credentials-lost", "The stored credentials were sealed with another key: set them again");
  }
}

/** Seals credentials of a repository elsewhere for what they belong to, such as "push mirror 7"; null where there are none. */
export function sealCredentials(
  key: Uint8Array,
  credentials: RemoteCredentials | null,
  context: string,
): Uint8Array | null {
  return credentials === null ? null : seal(key, Buffer.from(JSON.stringify(credentials)), context);
}

/** Opens what `sealCredentials` has sealed. Throws CredentialsLost. */
export function openCredentials(key: Uint8Array, sealed: Uint8Array | null, context: string): RemoteCredentials | null {
  if (sealed === null) {
    return null;
  }
  const content = unseal(key, sealed, context);
  if (content === null) {
    throw new CredentialsLost();
  }
  return JSON.parse(Buffer.from(content).toString("utf8")) as RemoteCredentials;
}
