import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { longestMergeText, longestMergeTitle } from "../../domain/work/merges/merge-message.ts";
import { proposeMerge } from "../../domain/work/merges/propose-merge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { issueLink } from "../links.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { loadMerge, type LoadedPull } from "./load-pull.ts";
import { historyAfter, mergePreview } from "./merge-preview.ts";
import { allowedStyles } from "./merge-styles.ts";
import { pullHeader } from "./pull-head.ts";

/** Commits that the preview shows. */
const mostShown = 20;
const fields = ["title", "message"];

/** What a merge in a style would make, with its message, and the form that merges so. */
export async function mergePage(
  forge: Forge,
  visit: Visit,
  actor: Actor,
  access: RepositoryAccess,
  { issue, loaded }: { issue: IssueRow; loaded: LoadedPull },
  refused: Refusal | null,
): Promise<Page> {
  const { pull } = loaded;
  const { form } = visit;
  const address = issueLink(visit.root, access, issue);
  const asked = refused === null ? visit.query.get("style") : form.text("style");
  const styles = allowedStyles(access);
  const chosen = styles.find(({ style }) => style === asked) ?? styles[0];
  const page = {
    title: `Merge #${issue.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "pulls" },
  } as const;
  const head = pullHeader(visit, access, issue, loaded, "conversation");
  if (chosen === undefined || !pull.open) {
    const why = pull.open ? "The repository lets nobody merge with a button." : "It is not open any more.";
    return { ...page, body: html`${head}${empty(visit, "git-merge", "There is nothing to merge", why)}` };
  }
  const { style, means } = chosen;
  const [merge, proposed] = await Promise.all([
    loadMerge(forge, visit, access, pull),
    proposeMerge(forge, actor, access, { issue, pull }, { style, most: mostShown, signal: visit.request.signal }),
  ]);
  const { message } = proposed;
  const isForward = style === "fast-forward-only";
  const links = styles.map(
    (one) =>
      html`<a href="${address}/merge?style=${one.style}" rel="nofollow"${one.style === style && html` aria-current="true"`}>${one.short}</a>`,
  );
  const typed = (name: "title" | "message", standard: string) => (refused === null ? standard : form.text(name));
  const obstacles = merge.prospect?.obstacles ?? [];
  const mayForce = access.mode >= accessModes.admin && obstacles.every(({ isOverridable }) => isOverridable);
  const button =
    obstacles.length === 0
      ? html`<button class="button main">${icon(visit, "git-merge")}Merge</button>`
      : mayForce
        ? html`<button class="button danger" name="force" value="1">${icon(visit, "git-merge")}Merge in spite of the rules</button>`
        : null;
  const against = obstacles.map(({ reason }) => reason).join("; ");
  const texts = isForward
    ? null
    : html`${field(refused, { name: "title", label: "Title", hint: message === null ? "Left empty, each commit keeps its own message. Otherwise the last one has this." : null }, (attributes) => html`<input type="text" ${attributes} dir="auto" maxlength="${longestMergeTitle}" value="${typed("title", message?.title ?? "")}">`)}
${field(refused, { name: "message", label: "Text" }, (attributes) => html`<textarea ${attributes} dir="auto" rows="8" maxlength="${longestMergeText}">${typed("message", message?.body ?? "")}</textarea>`)}`;
  const title = typed("title", message?.title ?? "") || issue.title;
  const cannot =
    isForward && pull.behindCount > 0
      ? note(
          visit,
          "warn",
          html`<code>${pull.baseBranch}</code> has commits that the head does not have, so it cannot be fast-forwarded. Update the pull request first.`,
        )
      : pull.mergeability === "conflict"
        ? note(visit, "warn", "It has conflicts with its base, which have to be resolved first.")
        : null;
  return {
    ...page,
    status: refused?.status ?? 200,
    body: html`${head}<h2 class="large">Merge into <code>${pull.baseBranch}</code></h2>${note(visit, "bad", problemAbove(refused, fields))}
<div class="stack"><div class="line flow"><nav class="segments" aria-label="How to merge">${links}</nav></div><p class="soft">${means}</p>${cannot}</div>
<section class="section stack s"><h3>The history of ${pull.baseBranch} afterwards</h3>${mergePreview(historyAfter(style, proposed, title, pull.baseBranch))}</section>
<form class="form wide-form" method="post" action="${address}/merge">${visit.formField()}<input type="hidden" name="style" value="${style}"><input type="hidden" name="head" value="${pull.headOid}"><input type="hidden" name="base" value="${pull.baseBranch}"><input type="hidden" name="page" value="1">
${texts}<label class="choice"><input type="checkbox" name="delete" value="1"${(refused === null ? access.repository.defaultDeleteBranchAfterMerge : form.text("delete") !== "") && html` checked`}> Delete the branch afterwards</label>
${obstacles.length > 0 && note(visit, "warn", html`The rule for <code>${merge.prospect?.rule?.ruleName ?? ""}</code> says: <span dir="auto">${against}</span>.${!mayForce && " You cannot merge in spite of that."}`)}
<div class="line flow">${button}<a class="button" href="${address}">Cancel</a></div></form>`,
  };
}
