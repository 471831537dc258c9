import type { RepositoryAccess } from "../../auth/subject.ts";
import { findRepositoryUsage, type RepositoryUsage } from "../../domain/identity/quota/repository-queries.ts";
import { pageOfLocks } from "../../domain/git/lfs/lock-queries.ts";
import { removeLock } from "../../domain/git/lfs/locks.ts";
import { listObjectsBySize } from "../../domain/git/lfs/object-queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { ownerLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { administers, administersAlways, settingsLink, settingsPage } from "./settings-page.ts";

const usageWords: readonly (readonly [key: keyof RepositoryUsage, name: string, about: string])[] = [
  ["git", "Git", "Commits and files, with their history."],
  ["lfs", "Git LFS", "Large files that git keeps beside the history."],
  ["attachmentsIssues", "Files of issues", "Pictures and files in issues, pull requests and comments."],
  ["attachmentsReleases", "Files of releases", "What people download."],
  ["artifacts", "Artifacts", "Files that runs of CI left."],
  ["wiki", "Wiki", "Pages with their history."],
  ["packages", "Packages", "Of the owner, linked to this repository."],
];

/** So many locks are shown. */
const mostLocks = 200;

/** What the repository takes, its LFS objects, and the files that are locked. */
export function storagePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/lfs";

  async function lfsPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const { id } = access.repository;
    const link = settingsLink(visit.root, access, "lfs");
    const at = sliceOf(visit.query);
    const [objects, locks] = await Promise.all([
      listObjectsBySize(db, id, at),
      pageOfLocks(db, id, {}, { afterId: 0, size: mostLocks + 1 }),
    ]);
    const lockRows = locks
      .slice(0, mostLocks)
      .map(
        (lock) =>
          html`<li>${icon(visit, "lock", "faint")}<div class="grow"><code dir="auto">${lock.path}</code><div class="soft small">locked by <a href="${ownerLink(visit.root, lock.userName)}">${lock.userName}</a> ${ago(visit, lock.lockedAt)}</div></div><form method="post" action="${link}/unlock">${visit.formField()}<input type="hidden" name="id" value="${lock.id}"><button class="button" aria-label="Unlock ${lock.path}">Unlock</button></form></li>`,
      );
    const lockList =
      locks.length === 0
        ? empty(visit, "lock", "No locks", "“git lfs lock” keeps others from changing a file that cannot be merged.")
        : html`<ul class="panel edge rows">${lockRows}</ul>${locks.length > mostLocks && html`<p class="soft small">There are more: these are the first ${mostLocks}.</p>`}`;
    const objectRows = objects.rows.map(
      ({ oid, bytes, createdAt, byGuest }) =>
        html`<li><div class="grow"><code>${oid}</code><div class="soft small">came ${ago(visit, createdAt)}${byGuest && " with a pull request of somebody who may not write"}</div></div><span class="num">${fileSize(bytes)}</span></li>`,
    );
    const objectList =
      objects.total === 0
        ? empty(visit, "hard-drive", "No files", "“git lfs track” names the files that are kept beside the history.")
        : html`<ul class="panel edge rows">${objectRows}</ul>${pager(visit, link, visit.query, at, objects.total)}<p class="soft small">An object stays as long as the repository: commits of the past may need it.</p>`;
    return settingsPage(visit, access, "lfs", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Git LFS",
      about: `${wholeNumber(objects.total)} ${objects.total === 1 ? "file" : "files"}, ${fileSize(access.counts.lfsBytes)}.`,
      body: html`${note(visit, "bad", problemAbove(refused, []))}<section class="section"><h2>Locks</h2>${lockList}</section><section class="section"><h2>Files, the largest first</h2>${objectList}</section>`,
    });
  }

  return [
    page("GET", "/:owner/:repo/settings/usage", administersAlways, async ({ visit, repository: access }) => {
      const usage = await findRepositoryUsage(db, access.repository.id);
      const total = usageWords.reduce((sum, [key]) => sum + usage[key], 0);
      const rows = usageWords.map(
        ([key, name, about]) =>
          html`<li><div class="grow"><b>${name}</b><div class="soft small">${about}</div></div><meter min="0" max="${Math.max(total, 1)}" value="${usage[key]}" aria-label="${name}"></meter><span class="num">${fileSize(usage[key])}</span></li>`,
      );
      return settingsPage(visit, access, "usage", {
        title: "Storage",
        about: html`${fileSize(total)} in all. It counts for the quota of <a href="${ownerLink(visit.root, access.owner.name)}">${access.owner.name}</a>.`,
        body: html`<ul class="panel edge rows">${rows}</ul>`,
      });
    }),
    page("GET", path, administersAlways, ({ visit, repository }) => lfsPage(visit, repository, null)),
    page("POST", `${path}/unlock`, administers, ({ visit, doer, actor, repository: access }) =>
      tryForm(
        async () => {
          const text = visit.form.text("id");
          const id = readRowId(text);
          if (id === null) {
            throw new NotFound("lock", text.slice(0, 40));
          }
          const lock = await forge.change(doer, (work) => removeLock(work, { access, actor, id, force: true }));
          return new Redirect(settingsLink(visit.root, access, "lfs"), `${lock.path} is not locked any more`);
        },
        (refused) => lfsPage(visit, access, refused),
      ),
    ),
  ];
}
