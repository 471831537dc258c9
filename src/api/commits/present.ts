import type { Static } from "elysia";
import type { Commit, CommitUser, PayloadCommitVerification } from "./schema.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { Signature } from "../../git/objects/signature.ts";
import type { LogCommit } from "../../git/operations/log.ts";
import { presentOwner } from "../users/present.ts";
import { commitDate, utcDate } from "./dates.ts";
import type { People } from "./people.ts";

/** Stands where a date is not told: reading each parent for its date would cost more than anybody makes of it. */
const untold = "0001-01-01T00:00:00Z";

/** The addresses in an answer about one repository. */
export interface Place {
  addresses: Addresses;
  owner: string;
  name: string;
  /** what the addresses of its objects begin with, up to their kind: a page of commits has over a hundred of them */
  objects: string;
  /** the same of its pages of commits, up to the oid */
  commits: string;
}

export function placeOf(addresses: Addresses, access: RepositoryAccess): Place {
  const [owner, name] = [access.owner.name, access.repository.name];
  return {
    addresses,
    owner,
    name,
    objects: addresses.repositoryApi(owner, name, "/git"),
    commits: addresses.commit(owner, name, ""),
  };
}

/**
 * Presents a verification as the family's PayloadCommitVerification. `email` is the committer's, and so that of a user
 * who signed.
 */
export function presentVerification(
  { verified, reason, signature, payload, signer }: Verification,
  email: string,
): Static<typeof PayloadCommitVerification> {
  return {
    verified,
    reason,
    signature,
    signer:
      signer === null
        ? null
        : { name: signer.fullName || signer.name, email: signer.email ?? email, username: signer.name },
    payload,
  };
}

function verificationOf({ oid }: CommitRecord, verifications: People["verifications"]): Verification {
  const found = verifications.get(oid);
  if (found === undefined) {
    throw new Error(`The signature of ${oid} was not looked at`);
  }
  return found;
}

export function presentCommitUser(signature: Signature): Static<typeof CommitUser> {
  return { name: signature.name, email: signature.email, date: commitDate(signature) };
}

export function commitMeta({ objects }: Place, kind: "commits" | "trees", oid: string, created = untold) {
  return { url: `${objects}/${kind}/${oid}`, sha: oid, created };
}

/** A commit as the family's Commit. What was not asked for is null. */
export function presentCommit(
  place: Place,
  commit: LogCommit,
  { users, verifications }: People,
  viewer: Actor | null,
  withVerification: boolean,
): Static<typeof Commit> {
  const { addresses, objects, commits } = place;
  const url = `${objects}/commits/${commit.oid}`;
  const author = users.find(commit.author.email);
  const committer = users.find(commit.committer.email);
  const created = commitDate(commit.committer);
  return {
    url,
    sha: commit.oid,
    created,
    html_url: commits + commit.oid,
    commit: {
      url,
      author: presentCommitUser(commit.author),
      committer: presentCommitUser(commit.committer),
      message: commit.message,
      // The family names the tree by its commit.
      tree: commitMeta(place, "trees", commit.oid, created),
      verification: withVerification
        ? presentVerification(verificationOf(commit, verifications), commit.committer.email)
        : null,
    },
    author: author === null ? null : presentOwner(addresses, author, viewer),
    committer: committer === null ? null : presentOwner(addresses, committer, viewer),
    parents: commit.parents.map((parent) => commitMeta(place, "commits", parent)),
    files: commit.files && [...commit.files],
    stats: commit.stats,
  };
}

/** A commit as the family's PayloadCommit, which stands in branches. */
export function presentPayloadCommit({ commits }: Place, commit: CommitRecord, { users, verifications }: People) {
  const person = (signature: Signature) => ({
    name: signature.name,
    email: signature.email,
    username: users.find(signature.email)?.name ?? "",
  });
  return {
    id: commit.oid,
    message: commit.message,
    url: commits + commit.oid,
    author: person(commit.author),
    committer: person(commit.committer),
    verification: presentVerification(verificationOf(commit, verifications), commit.committer.email),
    timestamp: commitDate(commit.author),
    added: null,
    removed: null,
    modified: null,
  };
}

/** A commit that was just made, as the family's FileCommitResponse. */
export function presentFileCommit(place: Place, commit: CommitRecord) {
  const created = utcDate(commit.committer.seconds);
  return {
    url: `${place.objects}/commits/${commit.oid}`,
    html_url: place.commits + commit.oid,
    sha: commit.oid,
    created,
    author: presentCommitUser(commit.author),
    committer: presentCommitUser(commit.committer),
    parents: commit.parents.map((parent) => commitMeta(place, "commits", parent)),
    message: commit.message,
    tree: commitMeta(place, "trees", commit.tree, created),
  };
}
