import { StithyError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/show-value.ts";

/** More of what another server says is not kept: its address may have 2,048 characters. */
const longest = 2500;

/** Why a repository elsewhere could not be read or written. */
export type RemoteReason =
  /** The address is none that can be used. */
  | "address"
  /** The other server does not accept the credentials, or wants some. */
  | "credentials"
  /** It knows no such repository, or what answers is no git server. */
  | "no-repository"
  /** It cannot be reached, or breaks off: the same may work later. */
  | "unreachable"
  /** Its answer breaks the protocol, or it refuses. */
  | "refused"
  /** Its host key is not the one that it had. */
  | "host-key";

/** A repository elsewhere could not be used. The message names its address, without credentials, and may quote the other server. */
export class RemoteFailed extends StithyError {
  constructor(
    readonly reason: RemoteReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super("invalid", `remote-${reason}`, oneLine(message, longest), {}, options);
  }
}
