import type { Target } from "../../../auth/find-subject.ts";
import type { Subject } from "../../../auth/subject.ts";
import type { Forge } from "../../spine/forge.ts";
import type { LfsClaims } from "./lfs-token.ts";
import { findFingerprint, findSignInStamp, findTokenHash } from "./queries.ts";

/**
 * Finds the present bearer of a token, and the target, by the credential for which the token was made. Null if that is
 * gone: the account is suspended, its password changed, or the access token or key was deleted.
 */
export async function findLfsSubject(forge: Forge, { bearer }: LfsClaims, target: Target): Promise<Subject | null> {
  const { db } = forge.database;
  switch (bearer.kind) {
    case "user": {
      const { actor, owner, repository } = await forge.identity.findSubject({ userId: bearer.id }, target);
      return actor === null || (await findSignInStamp(db, bearer.id)) !== bearer.stamp
        ? null
        : { actor, credential: { kind: "password", userId: bearer.id, stamp: bearer.stamp ?? "" }, owner, repository };
    }
    case "access-token": {
      const tokenHash = await findTokenHash(db, bearer.id);
      const found = tokenHash === null ? null : await forge.identity.findSubject({ tokenHash }, target);
      if (found === null || found.token === null) {
        return null;
      }
      return {
        actor: found.actor,
        credential: { kind: "token", tokenId: found.token.id, scopes: found.token.scopes },
        owner: found.owner,
        repository: found.repository,
      };
    }
    case "ssh-key": {
      const fingerprint = await findFingerprint(db, bearer.id);
      return fingerprint === null ? null : forge.identity.identifyKey(fingerprint, target);
    }
  }
}
