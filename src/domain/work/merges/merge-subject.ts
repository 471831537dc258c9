import type { Actor, OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { Signature } from "../../../git/objects/signature.ts";
import { referencedIssues } from "../references/referenced-issues.ts";
import { identityOf, type Identity } from "../../git/commits/identity.ts";
import type { Forge } from "../../spine/forge.ts";
import { findDecisions } from "../reviews/decision-queries.ts";
import type { MergeSubject } from "./merge-message.ts";
import { findRepositoryName, findUsers, verifiedEmails } from "./merge-queries.ts";
import type { IssueAndPull } from "../pulls/queries.ts";

/** Commits whose authors are named, the latest; so many as in Gitea and Forgejo. */
const mostCommits = 50;
/** How many approvers a message names. */
const mostApprovers = 10;

/** The values for the message of a merge, and the authors of the squashed commits. */
export interface Authorship {
  readonly subject: MergeSubject;
  /** The author of the squashed commit: the poster, as they write their name in the commits. */
  readonly squashAuthor: Identity;
}

/**
 * Reads what the message of a merge may speak of. `actor` is the author where the poster is gone. `withAuthors`: of the commits, too, which only
 * the message of a squash names.
 */
export async function readAuthorship(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  { view, baseOid, withAuthors }: { view: RepositoryView; baseOid: string; withAuthors: boolean },
): Promise<Authorship> {
  const { db } = forge.database;
  const [decisions, headName, signatures] = await Promise.all([
    findDecisions(db, pull.issueId),
    pull.headRepositoryId === null ? null : findRepositoryName(db, pull.headRepositoryId),
    withAuthors ? listAuthors(forge, view, { tip: pull.headOid, not: baseOid }) : [],
  ]);
  const approverIds = decisions.flatMap(({ kind, official, reviewerId }) =>
    kind === "approve" && official && reviewerId !== null ? [reviewerId] : [],
  );
  const users = await findUsers(db, [...approverIds, ...(issue.authorId === null ? [] : [issue.authorId])]);
  const poster = users.get(issue.authorId ?? 0) ?? null;
  const authors = uniqueAuthors(signatures);
  const own = authors.length === 0 ? new Set<string>() : await ownAddresses(forge, poster);
  const asPoster = authors.find(({ email }) => own.has(email.toLowerCase()));
  const { repository, owner } = access;
  return {
    squashAuthor: asPoster ?? identityOf(forge.addresses, poster ?? actor),
    subject: {
      number: issue.number,
      title: issue.title,
      description: issue.body,
      posterName: poster?.name ?? null,
      base: { ownerName: owner.name, name: repository.name, branch: pull.baseBranch },
      head: { repository: headName, isBase: pull.headRepositoryId === repository.id, branch: pull.headBranch },
      url: forge.addresses.own.discussion(owner.name, repository.name, issue),
      approvers: approverIds
        .flatMap((id) => users.get(id) ?? [])
        .slice(0, mostApprovers)
        .map((user) => identityOf(forge.addresses, user)),
      coAuthors: authors.filter(({ email }) => !own.has(email.toLowerCase())),
      closes: referencedIssues(`${issue.title}\n\n${issue.body}`, null).flatMap(({ place, action, number }) =>
        place === null && action === "closes" ? [number] : [],
      ),
    },
  };
}

/** The authors of commits, the latest first. */
async function listAuthors(
  forge: Forge,
  view: RepositoryView,
  { tip, not }: { tip: string; not: string },
): Promise<Signature[]> {
  const { commits } = await forge.git.commits.log(view, {
    tips: [tip],
    not: [not],
    paths: [],
    skip: 0,
    limit: mostCommits,
    count: false,
    files: false,
    stats: false,
  });
  return commits.map(({ author }) => author);
}

/** Addresses by which commits are the poster's. */
async function ownAddresses(forge: Forge, poster: OwnerRow | null): Promise<ReadonlySet<string>> {
  if (poster === null) {
    return new Set();
  }
  const verified = await verifiedEmails(forge.database.db, poster.id);
  return verified.add(`${poster.lowerName}@noreply.${forge.addresses.hostname}`);
}

/** Each once, the one of the oldest commit first. */
function uniqueAuthors(signatures: readonly Signature[]): Identity[] {
  const seen = new Map<string, Identity>();
  for (const { name, email } of signatures.toReversed()) {
    const key = email.toLowerCase();
    if (!seen.has(key) && email !== "") {
      seen.set(key, { name, email });
    }
  }
  return [...seen.values()];
}
