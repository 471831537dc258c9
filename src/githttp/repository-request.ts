import type { Target } from "../auth/find-subject.ts";
import { SignInRequired } from "../domain/spine/errors.ts";
import { openForGit, type GitAccess } from "../domain/work/git-access/open-for-git.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { identifyRequest, presentsCredentials } from "../http/identify-request.ts";

/**
 * Finds out who asks for which repository, and whether they may. Without credentials a hidden repository and a missing
 * one answer 401 alike; with valid ones both are 404. Throws what openForGit and Identify throw.
 */
export async function openRepositoryRequest(
  forge: Forge,
  request: Request,
  params: { owner: string; repo: string },
  service: "fetch" | "propose",
): Promise<GitAccess> {
  // Git begins every push without credentials. Nobody may push so, to whatever repository, so the database is not asked.
  if (service === "propose" && !presentsCredentials(forge, request)) {
    throw new SignInRequired();
  }
  const identify = (target: Target) => identifyRequest(forge, request, target, false);
  return openForGit(forge, identify, params.owner, params.repo, service);
}
