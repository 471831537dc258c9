import type { RepositoryAccess } from "../../auth/subject.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import { listLatestStatuses } from "../../domain/repos/statuses/queries.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { clip } from "../../lib/show-value.ts";
import { readFacts } from "../history/commit-list.ts";
import { linkedCheck } from "../checks/check-rows.ts";
import { linkText } from "../history/titles.ts";
import { html, type Html } from "../html.ts";
import { checksLink, commitLink, repositoryLink, sourceLink } from "../links.ts";
import { checkMark } from "../parts/check-mark.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import { explainSignature, verifiedMark } from "../parts/verified.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { mayChange } from "../repos/may-change.ts";
import type { Visit } from "../visit.ts";
import { containingRefs } from "./containing.ts";
import { committed } from "../parts/person.ts";
import { counted } from "../parts/size.ts";

/** The most UTF-16 code units that the page shows of a message, and the most parents. */
const shownMessage = 64 * 1024;
const shownParents = 20;
const fewStatuses = { size: 50, offset: 0 };

async function checks(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  oid: string,
  state: StatusState | undefined,
) {
  if (state === undefined) {
    return null;
  }
  const { rows, total } = await listLatestStatuses(
    forge.database.db,
    visit,
    { repositoryId: access.repository.id, oid },
    fewStatuses,
  );
  const items = rows.map(
    ({ status }) =>
      html`<li>${checkMark(visit, status.state)}<span class="grow"><b>${linkedCheck(status.context, status.targetUrl)}</b> <span class="soft" dir="auto">${status.description}</span></span></li>`,
  );
  return html`<button type="button" class="tag" popovertarget="checks">${checkMark(visit, state)}${counted(total, "check")}</button><div class="menu start wide" id="checks" popover><ul class="rows">${items}</ul><a href="${checksLink(visit.root, access, oid)}" rel="nofollow">${icon(visit, "history")}All checks and their history</a></div>`;
}

/** What a commit says, who made it, how far it is trusted, and what one can do with it. `level`: of its heading. */
export async function commitHead(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  commit: CommitRecord,
  level: 1 | 2 = 1,
): Promise<{ subject: string; head: Html }> {
  const { oid, author, committer, message, parents } = commit;
  const shown = clip(message, shownMessage).trimEnd();
  const subject = commitTitle(shown);
  // A first line that is cut is told in full, as far as the message is.
  const rest = (shown.startsWith(`${subject}\n`) || shown === subject ? shown.slice(subject.length) : shown).trim();
  const [title, text, factsOf, refs] = await Promise.all([
    linkText(forge, visit, access, subject),
    linkText(forge, visit, access, rest),
    readFacts(forge, visit, access, [commit]),
    containingRefs(forge, visit, access, oid),
  ]);
  const facts = factsOf(oid);
  const link = commitLink(visit.root, access, oid);
  const base = repositoryLink(visit.root, access);
  const isOthers = author.email !== committer.email || author.name !== committer.name;
  const at = (seconds: number) => ago(visit, new Date(seconds * 1000));
  const signature = facts.verification === undefined ? null : explainSignature(facts.verification);
  const writes = mayChange(visit, access)
    ? html`<hr><a href="${base}/_cherrypick/${oid}">${icon(visit, "cherry")}Cherry-pick</a><a href="${base}/_cherrypick/${oid}?revert=true">${icon(visit, "undo-2")}Revert</a><a href="${base}/branches/new?from=${oid}">${icon(visit, "git-branch")}New branch from here</a>`
    : null;
  const head = html`<div class="title">${level === 1 ? html`<h1 dir="auto">${title}</h1>` : html`<h2 class="large" dir="auto">${title}</h2>`}${rest === "" ? null : html`<p class="message soft" dir="auto">${text}</p>`}
<div class="line flow">${committed(visit, facts.author, author.name)}<span class="soft">${isOthers ? "wrote it" : "committed"}</span> ${at(isOthers ? author.seconds : committer.seconds)}${isOthers && html`<span class="soft">·</span>${committed(visit, facts.committer, committer.name)}<span class="soft">committed</span> ${at(committer.seconds)}`}
${verifiedMark(visit, facts.verification)}${await checks(forge, visit, access, oid, facts.state)}<span class="grow"></span>
${parents.length > 0 && html`<span class="soft">${parents.length === 1 ? "parent" : `${parents.length} parents`} ${parents.slice(0, shownParents).map((parent) => html`<a class="oid" href="${commitLink(visit.root, access, parent)}">${parent.slice(0, 10)}</a> `)}</span>`}
<span class="line"><code class="small">${oid.slice(0, 10)}</code>${copyButton(visit, oid, { label: "Copy the commit’s id", isSmall: true })}</span><a class="button s" href="${sourceLink(visit.root, access, { kind: "commit", name: revision.commit }, "")}">${icon(visit, "folder")}Browse files</a>
<button type="button" class="button s icon" popovertarget="commit-menu" aria-label="More">${icon(visit, "ellipsis")}</button><div class="menu" id="commit-menu" popover><a href="${link}.patch" rel="nofollow">${icon(visit, "file")}As a patch</a><a href="${link}.diff" rel="nofollow">${icon(visit, "file")}As a diff</a>${writes}</div></div>
${signature !== null && html`<p class="soft small">${signature}.</p>`}${refs}</div>`;
  return { subject, head };
}
