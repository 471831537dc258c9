import type { Transaction } from "../../../db/client.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";

/**
 * Returns what stores the key of an SSH server that is met for the first time, with the mirror, and says so in the log: nobody has compared
 * it with the right one yet.
 */
export function noteHostKeyOf(
  { change, log }: Forge,
  mirror: { repositoryId: number; address: string },
  store: (tx: Transaction, hostKey: string) => Promise<unknown>,
): (hostKey: string) => Promise<void> {
  return async (hostKey) => {
    await change(serverDoer("mirror"), ({ tx }) => store(tx, hostKey));
    log.info(
      { repository: mirror.repositoryId, address: mirror.address, hostKey },
      "Met the SSH server of a mirror for the first time; it has to keep this host key",
    );
  };
}
