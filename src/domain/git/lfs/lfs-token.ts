import { createHmac, timingSafeEqual } from "node:crypto";
import type { Actor, Credential, RepositoryAccess } from "../../../auth/subject.ts";
import type { Forge } from "../../spine/forge.ts";

/** The purpose of a token. "upload" includes all operations on locks. */
export type LfsOperation = "upload" | "download";

/** On whose authority a token acts: what they came with is looked at again at each use, so that who lost it has lost this too. */
interface LfsBearer {
  kind: "user" | "access-token" | "ssh-key";
  /**
   * The id of the row: an account's owner id, or the id of the access token or of the key, a user's or a deploy key.
   */
  id: number;
  /** A user's sign-in stamp, see findSignInStamp. If it has changed, the token is invalid. */
  stamp?: string;
}

export interface LfsClaims {
  /** The id of the store: negative for a wiki. */
  repositoryId: number;
  operation: LfsOperation;
  bearer: LfsBearer;
  /** Unix time in seconds. */
  expires: number;
}

/** How a client goes on: in the words of LFS, as `git-lfs-authenticate` and the actions of a batch say it. */
export interface LfsAccess {
  href: string;
  header: { Authorization: string };
  /** Seconds. */
  expires_in: number;
  /** RFC 3339. */
  expires_at: string;
}

/** Sets these tokens apart from those of users, which are looked up in the database. */
const prefix = "sty-lfs_";

/**
 * A token that opens LFS of one repository for one operation for a short time (`lfs.token_lifetime_seconds`), and nothing
 * else. It is signed and not stored. The caller has made sure that the bearer may do this; each use makes sure again.
 */
export function createLfsToken(
  forge: Forge,
  request: { access: RepositoryAccess; operation: LfsOperation; actor: Actor | null; credential: Credential },
): LfsAccess {
  const { repository, owner } = request.access;
  const claims = claimLfs(forge, request);
  if (claims === null) {
    throw new Error("A token for LFS was asked for on nobody's authority");
  }
  return { href: `${forge.addresses.clone(owner.name, repository.name)}/info/lfs`, ...presentLfsToken(forge, claims) };
}

/** Returns the claims of a new token; null for a caller without a credential, who needs none. */
export function claimLfs(
  forge: Forge,
  request: { access: RepositoryAccess; operation: LfsOperation; actor: Actor | null; credential: Credential },
  stamp = "",
): LfsClaims | null {
  const bearer = bearerOf(request.actor, request.credential, stamp);
  const expires = Math.floor(Date.now() / 1000) + forge.config.lfs.token_lifetime_seconds;
  return bearer === null
    ? null
    : { repositoryId: request.access.repository.id, operation: request.operation, bearer, expires };
}

function bearerOf(actor: Actor | null, credential: Credential, stamp: string): LfsBearer | null {
  switch (credential.kind) {
    case "token":
      return { kind: "access-token", id: credential.tokenId };
    case "ssh-key":
    case "deploy-key":
      return { kind: "ssh-key", id: credential.keyId };
    default:
      return actor === null ? null : { kind: "user", id: actor.id, stamp };
  }
}

/** The token of these claims, in the words of LFS. */
export function presentLfsToken(forge: Forge, claims: LfsClaims): Omit<LfsAccess, "href"> {
  return {
    header: { Authorization: `Bearer ${writeToken(forge.keys.lfs, claims)}` },
    expires_in: Math.max(0, claims.expires - Math.floor(Date.now() / 1000)),
    expires_at: new Date(claims.expires * 1000).toISOString().replace(".000", ""),
  };
}

/** Whether this is such a token at all, valid or not. */
export function isLfsToken(token: string): boolean {
  return token.startsWith(prefix);
}

/** Reads a token; null if it is forged, broken or expired. The permission of its bearer is not checked here. */
export function readLfsToken(forge: Forge, token: string): LfsClaims | null {
  const [payload = "", signature = "", ...rest] = token.slice(prefix.length).split(".");
  const given = Buffer.from(signature, "base64url");
  const expected = sign(forge.keys.lfs, payload);
  if (!isLfsToken(token) || rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return null;
  }
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as LfsClaims;
  return claims.expires > Date.now() / 1000 ? claims : null;
}

function writeToken(key: Uint8Array, claims: LfsClaims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${prefix}${payload}.${sign(key, payload).toString("base64url")}`;
}

function sign(key: Uint8Array, payload: string): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}
