import { GitAccessRefused, openForGit, signInRequired, type GitAccess } from "../domain/repos/git-access.ts";
import type { Forge } from "../domain/forge.ts";
import { identifyRequest, presentsCredentials } from "../http/identify-request.ts";
import { GitRefusal } from "./refusals.ts";

const statuses = { "sign-in-required": 401, "scope-missing": 403, absent: 404, forbidden: 403, archived: 403 } as const;

/**
 * Finds out who asks for which repository, and whether they may. Without credentials a hidden repository and a missing
 * one answer 401 alike; with valid ones both are 404 (decision 26). Throws GitRefusal and what Identify throws.
 */
export async function openRepositoryRequest(forge: Forge, request: Request, params: { owner: string; repo: string }, service: "fetch" | "push"): Promise<GitAccess> {
  try {
    // Nobody pushes without them, to whatever repository: every push of git's begins so, and needs no look at the database.
    if (service === "push" && !presentsCredentials(forge, request)) {
      throw signInRequired();
    }
    return await openForGit(forge, (target) => identifyRequest(forge, request, target, false), params.owner, params.repo, service);
  } catch (error) {
    throw error instanceof GitAccessRefused ? new GitRefusal(statuses[error.reason], error.message) : error;
  }
}
