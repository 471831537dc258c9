import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import type { LoadedMerge, LoadedPull } from "./load-pull.ts";

interface Subject {
  readonly access: RepositoryAccess;
  readonly address: string;
  readonly loaded: LoadedPull;
  readonly merge: LoadedMerge;
}

/** What can be changed about an open pull request besides merging it, folded; nothing for those who may change none of it. */
export function changesPart(
  visit: Visit,
  { access, address, loaded, merge }: Subject,
  { isDraft, maySteer, mayMerge }: { isDraft: boolean; maySteer: boolean; mayMerge: boolean },
): Html | null {
  const { pull } = loaded;
  const base =
    maySteer &&
    html`<form class="line flow" method="post" action="${address}/base">${visit.formField()}<label class="line flow"><span>Base</span><input class="auto mono" type="text" name="base" value="${pull.baseBranch}" maxlength="250" autocomplete="off" autocapitalize="none" spellcheck="false" required></label><button class="button s">Change the base</button></form>`;
  const draft =
    maySteer &&
    !isDraft &&
    html`<form method="post" action="${address}/draft">${visit.formField()}<button class="button s">Make it a draft</button></form>`;
  const isFork = merge.head !== null && merge.head.repository.id !== access.repository.id;
  const pushes = merge.head !== null && merge.head.units.code >= accessModes.write;
  const allows = pull.allowMaintainerEdit;
  const maintainers =
    isFork &&
    (pushes
      ? html`<form class="line flow" method="post" action="${address}/maintainers">${visit.formField()}<span>${allows ? "Maintainers may push to its branch." : "Maintainers may not push to its branch."}</span><button class="button s" name="allow" value="${allows ? "0" : "1"}">${allows ? "No longer allow that" : "Allow that"}</button></form>`
      : html`<p class="soft">${allows ? "Its author lets maintainers push to its branch." : "Its author does not let maintainers push to its branch."}</p>`);
  const manual =
    mayMerge &&
    access.repository.allowManualMerge &&
    html`<form class="line flow" method="post" action="${address}/merge">${visit.formField()}<input type="hidden" name="style" value="manually-merged"><label class="line flow"><span>Merged by hand as</span><input class="auto mono" type="text" name="commit" maxlength="64" placeholder="The whole id of the commit" autocomplete="off" autocapitalize="none" spellcheck="false" required></label><button class="button s">Note the merge</button></form>`;
  const parts = [base, draft, maintainers, manual].filter((part) => part !== false);
  return parts.length === 0
    ? null
    : html`<details><summary class="small"><span class="link">Base, draft and more</span></summary><div class="stack s">${parts}</div></details>`;
}
