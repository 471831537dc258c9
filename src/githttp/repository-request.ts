import { authorize } from "../auth/authorize.ts";
import type { Actor, RepositoryAccess, Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/forge.ts";
import { identifyRequest } from "../http/identify-request.ts";
import { GitRefusal } from "./refusals.ts";

/** A git request whose sender may do what it asks for. */
export interface RepositoryRequest {
  access: RepositoryAccess;
  actor: Actor | null;
}

/** The repository of this name, or the one that had it before: a clone made under the old name goes on working. */
async function identifyWithRepository(forge: Forge, request: Request, ownerName: string, repositoryName: string): Promise<Subject> {
  const subject = await identifyRequest(forge, request, { ownerName, repositoryName });
  const movedId = subject.repository === null ? await forge.findRedirect(ownerName, repositoryName) : null;
  return movedId === null ? subject : identifyRequest(forge, request, { repositoryId: movedId });
}

/**
 * Finds out who asks for which repository, and whether they may. git asks for a password only when it is challenged, so
 * without credentials a hidden repository and a missing one answer 401 alike; with valid ones both are 404
 * (decision 26). Throws GitRefusal and what Identify throws.
 */
export async function openRepositoryRequest(forge: Forge, request: Request, params: { owner: string; repo: string }, service: "fetch" | "push"): Promise<RepositoryRequest> {
  const name = params.repo.endsWith(".git") ? params.repo.slice(0, -".git".length) : params.repo;
  const { actor, credential, repository } = await identifyWithRepository(forge, request, params.owner, name);
  const mode = service === "fetch" ? "read" : "write";
  const decision = authorize(actor, credential, { categories: ["repository"], level: mode }, { on: "repository", do: mode, unit: "code" }, { repository });
  if (decision === "scope-missing") {
    throw new GitRefusal(403, `The token does not have the required scope: ${mode}:repository`);
  }
  if (decision === "sign-in-required" || (decision === "hidden" && credential.kind === "none")) {
    throw new GitRefusal(401, "Sign in with a user name and a password or token");
  }
  if (decision === "hidden" || repository === null) {
    throw new GitRefusal(404, `There is no repository "${params.owner}/${name}"`);
  }
  if (decision === "forbidden") {
    throw new GitRefusal(403, `You may read "${params.owner}/${name}", but not push to it`);
  }
  if (service === "push" && repository.repository.archivedAt !== null) {
    throw new GitRefusal(403, `The repository "${params.owner}/${name}" is archived and cannot be pushed to`);
  }
  return { access: repository, actor };
}
