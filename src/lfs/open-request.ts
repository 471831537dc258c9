import { InvalidCredentials } from "../auth/identify/identify.ts";
import { parseAuthorization } from "../auth/identify/presented.ts";
import type { Target } from "../auth/find-subject.ts";
import type { Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { findLfsSubject } from "../domain/git/lfs/find-subject.ts";
import { isLfsToken, readLfsToken, type LfsClaims, type LfsOperation } from "../domain/git/lfs/lfs-token.ts";
import { openForGit, type GitAccess, type GitService } from "../domain/work/git-access/open-for-git.ts";
import { isWikiStore, repositoryOfStore } from "../domain/git/wiki-stores/wiki-store.ts";
import { identifyRequest, noteSubject } from "../http/identify-request.ts";
import { LfsRefusal } from "./refusals.ts";

/** `edit` is enough for who brings what a pull request from the repository lets them push. */
type LfsNeeds = "read" | "edit" | "write";

/** A request whose sender may do what it asks for. */
export interface LfsRequest extends GitAccess {
  /** The claims of the LFS token in the request; null for any other credential, and for none. */
  claims: LfsClaims | null;
}

/**
 * Finds out who asks for which repository, and whether they may: with what opens the repository to git, or with a token
 * of LFS. `operation` is what the request does, where it is not both. Throws LfsRefusal and what openForGit and Identify throw.
 */
export async function openLfsRequest(
  forge: Forge,
  request: Request,
  params: { owner: string; repo: string },
  needs: LfsNeeds,
  operation: LfsOperation | null,
): Promise<LfsRequest> {
  const presented = parseAuthorization(request.headers.get("authorization"));
  if (presented.kind !== "token" || !isLfsToken(presented.token)) {
    const access = await openForGit(
      forge,
      (target) => identifyRequest(forge, request, target, false),
      params.owner,
      params.repo,
      serviceOf(needs),
    );
    return { ...access, claims: null };
  }
  const claims = readLfsToken(forge, presented.token);
  if (claims === null) {
    throw new InvalidCredentials();
  }
  const access = await openForGit(
    forge,
    (target) => identifyBearer(forge, request, claims, target),
    params.owner,
    params.repo,
    serviceOf(needs),
  );
  if (operation !== null && claims.operation !== operation) {
    throw new LfsRefusal(403, `The token is for ${claims.operation}s`);
  }
  // A token for the code opens no wiki, and the other way round.
  if (access.access.repository.id !== claims.repositoryId) {
    throw new InvalidCredentials();
  }
  return { ...access, claims };
}

/** Opens a request about locks. Wikis have none, and only a caller who may read the wiki is told so. */
export async function openForLocks(...asked: Parameters<typeof openLfsRequest>): Promise<LfsRequest> {
  const opened = await openLfsRequest(...asked);
  if (isWikiStore(opened.access.repository.id)) {
    throw new LfsRefusal(404, "A wiki has no locks");
  }
  return opened;
}

function serviceOf(needs: LfsNeeds): GitService {
  return needs === "read" ? "fetch" : needs === "edit" ? "edit" : "push";
}

/**
 * Throws InvalidCredentials if the bearer's credential is gone, or if they ask for another repository than the token is
 * for.
 */
async function identifyBearer(forge: Forge, request: Request, claims: LfsClaims, target: Target): Promise<Subject> {
  const subject = await findLfsSubject(forge, claims, target);
  if (
    subject === null ||
    (subject.repository !== null && subject.repository.repository.id !== repositoryOfStore(claims.repositoryId))
  ) {
    throw new InvalidCredentials();
  }
  noteSubject(request, subject);
  return subject;
}
