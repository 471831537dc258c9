import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { html, type Html } from "../html.ts";
import { checksLink, commitLink, sourceLink } from "../links.ts";
import { checkMark } from "../parts/check-mark.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { ago, dayOf } from "../parts/time.ts";
import { verifiedMark } from "../parts/verified.ts";
import type { Visit } from "../visit.ts";
import { linkTitles } from "./titles.ts";
import { committed } from "../parts/person.ts";

/** What is known of a commit beside what it says. */
export interface CommitFacts {
  readonly author: OwnerRow | null;
  readonly committer: OwnerRow | null;
  readonly state: StatusState | undefined;
  readonly verification: Verification | undefined;
}

/** Finds the users, the checks and the signatures of commits; by oid. */
export async function readFacts(
  forge: Forge,
  visit: Visit,
  { repository }: RepositoryAccess,
  commits: readonly CommitRecord[],
): Promise<(oid: string) => CommitFacts> {
  const { db } = forge.database;
  const emails = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
  const [users, states] = await Promise.all([
    forge.findUsersByEmail(emails, visit),
    findCombinedStates(
      db,
      repository.id,
      commits.map(({ oid }) => oid),
    ),
  ]);
  const signed = commits.map(({ signature, committer }) => ({ signature, email: committer.email }));
  const verifications = await forge.git.signatures.verify(db, signed, users);
  const facts = new Map(
    commits.map(({ oid, author, committer }, index) => [
      oid,
      {
        author: users.find(author.email),
        committer: users.find(committer.email),
        state: states.get(oid),
        verification: verifications[index],
      },
    ]),
  );
  return (oid) => facts.get(oid) ?? { author: null, committer: null, state: undefined, verification: undefined };
}

function row(visit: Visit, access: RepositoryAccess, commit: CommitRecord, title: Html, facts: CommitFacts): Html {
  const { oid, author, committer } = commit;
  const link = commitLink(visit.root, access, oid);
  const short = oid.slice(0, 10);
  const isOthers = author.email !== committer.email || author.name !== committer.name;
  const by = isOthers
    ? html`<span class="not-narrow">committed by <b>${facts.committer?.name ?? committer.name}</b></span>`
    : null;
  return html`<li><div class="grow"><div class="titled" dir="auto">${title}</div>
    <div class="line flow small soft">${committed(visit, facts.author, author.name)}${by}<span>${isOthers ? null : "committed "}${ago(visit, new Date(committer.seconds * 1000))}</span></div></div>
    ${facts.verification?.verified === true && verifiedMark(visit, facts.verification)}${checkMark(visit, facts.state, checksLink(visit.root, access, oid))}
    <a class="oid not-narrow" href="${link}">${short}</a><span class="line not-narrow">${copyButton(visit, oid, { label: `Copy the id of ${short}`, isSmall: true })}
    <a class="button s bare icon" href="${sourceLink(visit.root, access, { kind: "commit", name: oid }, "")}" aria-label="Browse the files at ${short}">${icon(visit, "folder")}</a></span></li>`;
}

/** Commits in their order, those of a day in a panel of its own. */
export async function commitList(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  commits: readonly CommitRecord[],
): Promise<Html> {
  const [factsOf, titles] = await Promise.all([
    readFacts(forge, visit, access, commits),
    linkTitles(
      forge,
      visit,
      access,
      commits.map(({ oid, message }) => ({ message, href: commitLink(visit.root, access, oid) })),
    ),
  ]);
  const groups: { day: string; rows: Html[] }[] = [];
  commits.forEach((commit, index) => {
    const day = dayOf(visit, new Date(commit.committer.seconds * 1000));
    const shown = row(visit, access, commit, titles[index] ?? html``, factsOf(commit.oid));
    const last = groups.at(-1);
    if (last?.day === day) {
      last.rows.push(shown);
    } else {
      groups.push({ day, rows: [shown] });
    }
  });
  return html`${groups.map(({ day, rows }) => html`<section class="section day"><h2>${day}</h2><ul class="panel rows links edge">${rows}</ul></section>`)}`;
}
