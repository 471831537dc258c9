import type { Viewer } from "../../auth/viewer-of.ts";
import type { EmailOwners } from "../../domain/git/commits/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { Signature } from "../../git/objects/signature.ts";

/** The users of the addresses in commits, and the verification of each commit's signature. */
export interface People {
  users: EmailOwners;
  /** By oid. */
  verifications: ReadonlyMap<string, Verification>;
}

/** Finds the people of commits for `viewer`. A user who is hidden from them is left out, also as a signer. */
export interface FindPeople {
  /** Without `verify`, signatures are not looked at. */
  ofCommits(commits: Iterable<CommitRecord>, viewer: Viewer, verify?: boolean): Promise<People>;
  /** Verifies one signature; `person` is the committer or tagger. */
  ofSignature(signature: CommitRecord["signature"], person: Signature | null, viewer: Viewer): Promise<Verification>;
}

export function prepareFindPeople({ database, findUsersByEmail, git }: Forge): FindPeople {
  return {
    async ofCommits(commits, viewer, verify = true) {
      const all = [...commits];
      const users = await findUsersByEmail(
        [...new Set(all.flatMap(({ author, committer }) => [author.email, committer.email]))],
        viewer,
      );
      const signed = verify ? all.map(({ signature, committer }) => ({ signature, email: committer.email })) : [];
      const verified = await git.signatures.verify(database.db, signed, users);
      return {
        users,
        verifications: new Map(verified.map((verification, index) => [all[index]?.oid ?? "", verification])),
      };
    },
    async ofSignature(signature, person, viewer) {
      const email = person?.email ?? "";
      const [verification] = await git.signatures.verify(
        database.db,
        [{ signature, email }],
        await findUsersByEmail([email], viewer),
      );
      if (verification === undefined) {
        throw new Error("A signature was not looked at");
      }
      return verification;
    },
  };
}
