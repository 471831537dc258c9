import type { Static } from "elysia";
import type { DeployKey, PublicKey } from "./schema.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { RepositoryWithParent } from "../../domain/repos/forks/with-parent.ts";
import type { DeployKeyRow, SshKeyRow } from "../../domain/identity/keys/queries.ts";
import { presentRepository } from "../repos/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

type Account = Parameters<typeof presentOwner>[3];

/** A key's line, as it was sent. */
const lineOf = (content: string, comment: string) => (comment === "" ? content : `${content} ${comment}`);

/**
 * A user's key. Its comment, whose it is and what it is for is shown where `account` is known: to the user and to site administrators. The comment
 * usually names a machine, or is an e-mail address.
 */
export function presentPublicKey(
  addresses: Addresses,
  row: SshKeyRow,
  owner: OwnerRow,
  viewer: Actor,
  account: Account,
): Static<typeof PublicKey> {
  return {
    id: row.id,
    key: account ? lineOf(row.content, row.comment) : row.content,
    url: addresses.api(`/user/keys/${row.id}`),
    title: row.title,
    fingerprint: row.fingerprint,
    created_at: presentInstant(row.createdAt),
    ...(account ? { user: presentOwner(addresses, owner, viewer, account), read_only: false, key_type: "user" } : {}),
  };
}

export function presentDeployKey(
  addresses: Addresses,
  { deployKey, key }: DeployKeyRow,
  access: RepositoryWithParent,
  viewer: Actor,
): Static<typeof DeployKey> {
  const { owner, repository } = access;
  return {
    id: deployKey.id,
    key_id: key.id,
    key: lineOf(key.content, deployKey.comment),
    url: addresses.repositoryApi(owner.name, repository.name, `/keys/${deployKey.id}`),
    title: deployKey.title,
    fingerprint: key.fingerprint,
    created_at: presentInstant(deployKey.createdAt),
    read_only: deployKey.readOnly,
    repository: presentRepository(addresses, access, viewer),
  };
}
