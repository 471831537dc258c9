import { authorize } from "../../auth/authorize.ts";
import type { Target } from "../../auth/find-subject.ts";
import type { Actor, Credential, RepositoryAccess, Subject } from "../../auth/subject.ts";
import { PasswordChangeRequired } from "../../auth/sign-in-errors.ts";
import { StithyError } from "../../lib/errors.ts";
import type { Forge } from "../forge.ts";

/** A repository that whoever asks may fetch from, or push to. */
export interface GitAccess {
  access: RepositoryAccess;
  /** null: nobody, or a deploy key. */
  actor: Actor | null;
  credential: Credential;
}

type Reason = "sign-in-required" | "scope-missing" | "absent" | "forbidden" | "archived";

/** Why git may not have it. The message of "absent" is the same for what is hidden and what is not there. */
export class GitAccessRefused extends StithyError {
  constructor(readonly reason: Reason, message: string) {
    super("git-access-refused", message, { reason });
  }
}

/** The refusal for want of credentials: git asks for a password only when it is challenged. */
export function signInRequired(): GitAccessRefused {
  return new GitAccessRefused("sign-in-required", "Sign in with a user name and a password or token");
}

/** Who asks, with what they ask about: called again for the repository that a former name leads to. */
type IdentifyFor = (target: Target) => Promise<Subject>;

/** The repository of this name, or the one that had it before: a clone made under the old name goes on working. */
async function identifyWithRepository(forge: Forge, identify: IdentifyFor, ownerName: string, repositoryName: string): Promise<Subject> {
  const subject = await identify({ ownerName, repositoryName });
  const movedId = subject.repository === null ? await forge.findRedirect(ownerName, repositoryName) : null;
  return movedId === null ? subject : identify({ repositoryId: movedId });
}

/**
 * Opens a repository for git's clients, over whatever transport. `repositoryName` may have the ending `.git`.
 * Throws GitAccessRefused and what `identify` throws.
 */
export async function openForGit(forge: Forge, identify: IdentifyFor, ownerName: string, repositoryName: string, service: "fetch" | "push"): Promise<GitAccess> {
  const name = repositoryName.endsWith(".git") ? repositoryName.slice(0, -".git".length) : repositoryName;
  const { actor, credential, repository } = await identifyWithRepository(forge, identify, ownerName, name);
  if (actor?.mustChangePassword === true) {
    throw new GitAccessRefused("forbidden", new PasswordChangeRequired().message);
  }
  const mode = service === "fetch" ? "read" : "write";
  const decision = authorize(actor, credential, { categories: ["repository"], level: mode }, { on: "repository", do: mode, unit: "code" }, { repository });
  if (decision === "scope-missing") {
    throw new GitAccessRefused("scope-missing", `The token does not have the required scope: ${mode}:repository`);
  }
  // Without credentials a hidden repository and a missing one are alike.
  if (decision === "sign-in-required" || (decision === "hidden" && credential.kind === "none")) {
    throw signInRequired();
  }
  if (decision === "hidden" || repository === null) {
    throw new GitAccessRefused("absent", `There is no repository "${ownerName}/${name}"`);
  }
  if (decision === "forbidden") {
    const who = credential.kind === "deploy-key" ? "This deploy key" : "You";
    throw new GitAccessRefused("forbidden", `${who} may read "${ownerName}/${name}", but not push to it`);
  }
  if (service === "push" && repository.repository.archivedAt !== null) {
    throw new GitAccessRefused("archived", `The repository "${ownerName}/${name}" is archived and cannot be pushed to`);
  }
  return { access: repository, actor, credential };
}
