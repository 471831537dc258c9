import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { isSuspended } from "../remotes/queries.ts";

/** The server calls nobody for somebody who is suspended. Throws RemoteFailed. */
export async function demandActive(db: Reader, { owner }: RepositoryAccess): Promise<void> {
  if (await isSuspended(db, owner.id)) {
    throw new RemoteFailed("refused", `The account "${owner.name}" is suspended: its mirrors rest`);
  }
}
