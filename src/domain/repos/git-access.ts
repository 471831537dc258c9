import type { Target } from "../../auth/find-subject.ts";
import type { Actor, Credential, RepositoryAccess, Subject } from "../../auth/subject.ts";
import { PasswordChangeRequired } from "../../auth/sign-in-errors.ts";
import { doerOf, type Doer } from "../doer.ts";
import { guard, judge, refusal, type Demand } from "../access/guard.ts";
import type { Forge } from "../forge.ts";

/** A repository that whoever asks may fetch from, or push to. */
export interface GitAccess {
  access: RepositoryAccess;
  /** null: nobody, or a deploy key. */
  actor: Actor | null;
  credential: Credential;
  /** Who pushes: `forge.change` looks again at what opened the repository. */
  doer: Doer;
}

/** What each of git's services needs, over whatever transport. LFS needs the same for a download and for an upload. */
const demands = {
  fetch: {
    may: { on: "repository", do: "read", unit: "code" },
    scopes: { categories: ["repository"], level: "read" },
    signedIn: false,
    changes: false,
    challenges: true,
  },
  push: {
    may: { on: "repository", do: "write", unit: "code" },
    scopes: { categories: ["repository"], level: "write" },
    signedIn: false,
    changes: true,
    challenges: true,
  },
} as const satisfies Record<string, Demand>;

/**
 * Opens a repository for git's clients, over whatever transport. `repositoryName` may end with `.git`. A clone made under
 * a former name goes on working. Throws what `guard` and `identify` throw, PasswordChangeRequired and
 * StorageReadOnly.
 */
export async function openForGit(
  { formerNames, files }: Pick<Forge, "formerNames" | "files">,
  identify: (target: Target) => Promise<Subject>,
  ownerName: string,
  repositoryName: string,
  service: "fetch" | "push",
): Promise<GitAccess> {
  const name = repositoryName.endsWith(".git") ? repositoryName.slice(0, -".git".length) : repositoryName;
  const demand = demands[service];
  const named = { what: "repository", name: `${ownerName}/${name}` };
  const target = { ownerName, repositoryName: name };
  const asked = await identify(target);
  if (asked.actor?.mustChangePassword === true) {
    throw new PasswordChangeRequired();
  }
  const { subject, moved } = await guard(asked, demand, named, { formerNames, target, identify });
  const verdict = moved ? judge(subject, demand) : "allowed";
  const { actor, credential, repository } = subject;
  if (verdict !== "allowed" || repository === null) {
    throw refusal(verdict === "allowed" ? "hidden" : verdict, subject, demand, named);
  }
  if (demand.changes) {
    // Before anything is sent.
    files.room.demand();
  }
  return { access: repository, actor, credential, doer: doerOf(subject, demand, named) };
}
