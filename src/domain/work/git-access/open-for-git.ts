import type { Target } from "../../../auth/find-subject.ts";
import type { Actor, Credential, RepositoryAccess, Subject } from "../../../auth/subject.ts";
import type { StithyError } from "../../../lib/errors.ts";
import { PasswordChangeRequired } from "../../../auth/sign-in-errors.ts";
import { doerOf, type Doer } from "../../spine/doer.ts";
import { demandTo, guard, isAllowed, judge, refusal, type Demand } from "../../spine/guard.ts";
import { permitOn } from "../../spine/permit.ts";
import { RepositoryIsMirror } from "../../spine/errors.ts";
import { demandOfEditor } from "../pulls/maintainer-push.ts";
import type { Forge } from "../../spine/forge.ts";
import { openWiki } from "../../git/wiki-stores/queries.ts";
import { wikiSuffix } from "../../git/wiki-stores/wiki-store.ts";

/** A repository that the caller may fetch from or push to. */
export interface GitAccess {
  /** For a wiki, the repository is the wiki in the shape of one. */
  access: RepositoryAccess;
  /** null: nobody, or a deploy key. */
  actor: Actor | null;
  credential: Credential;
  /** The pusher, for `forge.change`, which checks again what opened the repository. */
  doer: Doer;
  /**
   * Why not every ref can be pushed to: only changes to `refs/for/`, which are offered as pull requests, and branches whose pull requests let
   * the doer edit them. null: any can.
   */
  proposesOnly: StithyError | null;
}

/**
 * `edit`: users who may push, and maintainers of the base of a pull request from a fork. `propose`: these, and users
 * who may read, for a push of changes that they offer.
 */
export type GitService = "fetch" | "push" | "edit" | "propose";

/** Returns the demand of a git service, for all transports. LFS uses it for downloads and uploads. */
function demandOf(service: GitService, unit: "code" | "wiki"): Demand {
  const level = service === "fetch" ? "read" : "write";
  return demandTo({ on: "repository", do: level, unit }, level, ["repository"], { challenges: true });
}

/** The name without the ending, in whatever case the ending is; null when it has another one. */
function withoutEnding(name: string, ending: string): string | null {
  return name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : null;
}

/**
 * Opens a repository for git's clients, over whatever transport. `repositoryName` may end with `.git`; before that, `.wiki`
 * names the repository's wiki, which is opened in the shape of a repository (`wikiRow`). A clone made under
 * a former name goes on working. Throws what `guard` and `identify` throw, PasswordChangeRequired,
 * RepositoryIsMirror and StorageReadOnly.
 */
export async function openForGit(
  { formerNames, files, database }: Pick<Forge, "formerNames" | "files" | "database">,
  identify: (target: Target) => Promise<Subject>,
  ownerName: string,
  repositoryName: string,
  service: GitService,
): Promise<GitAccess> {
  const name = repositoryName.endsWith(".git") ? repositoryName.slice(0, -".git".length) : repositoryName;
  // No repository has a name with this ending.
  const ofWiki = withoutEnding(name, wikiSuffix);
  const demand = demandOf(service, ofWiki === null ? "code" : "wiki");
  const permit = {
    ...permitOn(demand, { owner: ownerName, repository: ofWiki ?? name }),
    named: { what: "repository", name: `${ownerName}/${name}` },
  };
  const asked = await identify(permit.target);
  if (asked.actor?.mustChangePassword === true) {
    throw new PasswordChangeRequired();
  }
  const offer: Demand = { ...demand, may: { on: "repository", do: "participate", unit: "code-of-pulls" } };
  /** Returns the lesser demand that opens the repository to a caller who may not write to it; null if none does. */
  const findLesser = async (subject: Subject): Promise<Demand | null> => {
    const mayBeLess = (service === "propose" || service === "edit") && ofWiki === null;
    if (!mayBeLess || subject.actor === null || judge(subject, demand) !== "forbidden") {
      return null;
    }
    if (service === "propose" && isAllowed(subject, offer)) {
      return offer;
    }
    const lesser = await demandOfEditor(database.db, subject, demand);
    return lesser === demand ? null : lesser;
  };
  const { subject, moved } =
    (await findLesser(asked)) !== null
      ? { subject: asked, moved: true }
      : await guard(asked, permit, { formerNames, identify });
  const verdict = moved ? judge(subject, demand) : "allowed";
  const { actor, credential, repository } = subject;
  const refused = verdict === "allowed" ? null : refusal(verdict, subject, permit);
  const lesser = refused === null ? null : await findLesser(subject);
  if (repository === null || (refused !== null && lesser === null)) {
    throw refused ?? refusal("hidden", subject, permit);
  }
  if (demand.changes && ofWiki === null && repository.repository.mirror) {
    throw new RepositoryIsMirror(`${repository.owner.name}/${repository.repository.name}`);
  }
  if (demand.changes) {
    // Before anything is sent.
    files.room.demand();
  }
  const access = ofWiki === null ? repository : await openWiki(database.db, repository);
  const doer = doerOf(subject, { ...permit, demand: lesser ?? demand });
  return { access, actor, credential, doer, proposesOnly: refused };
}
