import type { RepositoryAccess } from "../../../auth/subject.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { editRepository } from "../../repos/edit-repository.ts";
import { openWiki } from "../../git/wiki-stores/queries.ts";
import { bringRefs, type BringRefs } from "./bring-refs.ts";
import { RemoteFailed } from "./errors.ts";
import { openRemote } from "./open-remote.ts";
import { storedAddress, type RemoteAddress } from "./remote-address.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

const branchPrefix = "refs/heads/";

/** Where the wiki of a repository elsewhere is, with the family and with GitHub. */
function wikiAddress({ text }: RemoteAddress): RemoteAddress {
  const url = new URL(text);
  url.pathname = `${trimEndOf(url.pathname, "/").replace(/\.git$/, "")}.wiki.git`;
  return storedAddress(url.href);
}

/**
 * Lets the wiki of a repository have what that of the other repository has. Returns false where that has none, or nothing is written there. Throws RemoteFailed
 * and AddressRefused.
 */
export async function bringWiki(forge: Forge, access: RepositoryAccess, request: BringRefs): Promise<boolean> {
  const remote = { ...request.remote, address: wikiAddress(request.remote.address) };
  const branch = await findBranch(forge, { ...request, remote });
  if (branch === null) {
    return false;
  }
  const { reason } = request;
  const repository =
    branch === access.repository.wikiBranch
      ? access.repository
      : await forge.change(serverDoer(reason), (work) => editRepository(work, access, { wikiBranch: branch }));
  const wiki = await openWiki(forge.database.db, { ...access, repository });
  await bringRefs(forge, wiki, { ...request, remote, pulls: false });
  return true;
}

/** The branch with the pages. The code could be read with the same credentials: servers say of a wiki that is not there that it is closed. */
async function findBranch(forge: Forge, { remote, signal }: BringRefs): Promise<string | null> {
  try {
    await using opened = await openRemote(forge, remote, "git-upload-pack", signal);
    const { head, refs } = opened.advertisement;
    return head !== null && refs.some(({ name }) => name === head) ? head.slice(branchPrefix.length) : null;
  } catch (error) {
    if (error instanceof RemoteFailed && (error.reason === "no-repository" || error.reason === "credentials")) {
      return null;
    }
    throw error;
  }
}
