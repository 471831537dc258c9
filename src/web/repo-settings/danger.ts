import type { RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import { endPullMirror } from "../../domain/exchange/mirrors/end-pull-mirror.ts";
import { deleteRepository } from "../../domain/repos/delete-repository.ts";
import { editRepository, type RepositoryPatch } from "../../domain/repos/edit-repository.ts";
import { leaveParent } from "../../domain/repos/forks/leave-parent.ts";
import { findTransfer } from "../../domain/repos/transfers/queries.ts";
import { startTransfer } from "../../domain/repos/transfers/start-transfer.ts";
import { deleteWiki } from "../../domain/repos/wiki/delete-wiki.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { alsoOn } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { administers, administersAlways, owns, settingsLink, settingsPage } from "./settings-page.ts";

interface Given {
  readonly visit: Visit;
  readonly doer: UserDoer;
  readonly repository: RepositoryAccess;
}

/** Something that cannot be taken back, or that many people notice. It has a page of its own. */
interface Act {
  readonly key: string;
  readonly spec: typeof administers | typeof administersAlways | typeof owns;
  /** Whether it means something for a repository that is like this. */
  readonly isFor: (repository: RepositoryRow) => boolean;
  readonly words: (repository: RepositoryRow) => string;
  /** What it does, a sentence each. */
  readonly says: (repository: RepositoryRow) => readonly string[];
  readonly fields?: (refused: Refusal | null, visit: Visit, repository: RepositoryRow) => Html;
  readonly run: (forge: Forge, given: Given) => Promise<Redirect>;
}

const nameOf = ({ owner, repository }: RepositoryAccess) => `${owner.name}/${repository.name}`;

async function edit(forge: Forge, { doer, repository: access }: Given, patch: RepositoryPatch): Promise<RepositoryRow> {
  return forge.change(doer, (work) => editRepository(work, access, patch));
}

const textField = (refused: Refusal | null, name: string, label: string, hint: string, value: string) =>
  field(
    refused,
    { name, label, hint },
    (attributes) =>
      html`<input type="text" class="mono" ${attributes} value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required>`,
  );

/** Carries which of two states the page asked about: a form that is sent twice, or after somebody else's, must not turn it round. */
const stateField = (state: boolean) => html`<input type="hidden" name="state" value="${state ? "1" : "0"}">`;

/** Throws InvalidInput. */
function readState({ form }: Visit): boolean {
  const text = form.text("state");
  if (text !== "0" && text !== "1") {
    throw new InvalidInput("The form does not say what is to be", "state");
  }
  return text === "1";
}

const acts: readonly Act[] = [
  {
    key: "visibility",
    spec: administers,
    isFor: ({ archivedAt }) => archivedAt === null,
    words: (repository) => (repository.private ? "Make it public" : "Make it private"),
    says: (repository) =>
      repository.private
        ? [
            "Everybody who may see its owner can read it: files, history, issues, pull requests, the wiki and releases, with all that was ever written there.",
            "Search engines and others may copy it. Making it private again does not take that back.",
          ]
        : [
            "Only its owner, collaborators and teams that have it can see it.",
            "Forks of it become private, and stay so.",
            "Others keep what they have cloned, and lose sight of their stars and watches here.",
          ],
    fields: (_refused, _visit, repository) => stateField(!repository.private),
    async run(forge, given) {
      const row = await edit(forge, given, { private: readState(given.visit) });
      await forge.packageIndexes.settleLinked(row.id);
      return new Redirect(
        settingsLink(given.visit.root, given.repository, "danger"),
        `The repository is ${row.private ? "private" : "public"} now`,
      );
    },
  },
  {
    key: "wiki-branch",
    spec: administers,
    isFor: ({ archivedAt, hasWiki }) => archivedAt === null && hasWiki,
    words: () => "Rename the branch of the wiki",
    says: ({ wikiBranch }) => [
      `The pages of the wiki are in its branch "${wikiBranch}". The branch gets the new name; if there is a branch of that name already, that one is the wiki from now on.`,
      "Clones of the wiki have to fetch the new branch.",
    ],
    fields: (refused, visit, { wikiBranch }) =>
      textField(
        refused,
        "wiki_branch",
        "New name",
        "Such as main.",
        refused === null ? wikiBranch : visit.form.text("wiki_branch"),
      ),
    async run(forge, given) {
      const row = await edit(forge, given, { wikiBranch: given.visit.form.text("wiki_branch").trim() });
      return new Redirect(
        settingsLink(given.visit.root, given.repository, "danger"),
        `The branch of the wiki is ${row.wikiBranch}`,
      );
    },
  },
  {
    key: "delete-wiki",
    spec: administers,
    isFor: ({ archivedAt, hasWiki }) => archivedAt === null && hasWiki,
    words: () => "Delete the wiki",
    says: () => ["All pages of the wiki and their history are gone. The rest of the repository stays."],
    async run(forge, { visit, doer, repository: access }) {
      await forge.change(doer, (work) => deleteWiki(work, access));
      return new Redirect(settingsLink(visit.root, access, "danger"), "The wiki is deleted");
    },
  },
  {
    key: "convert-mirror",
    spec: owns,
    isFor: ({ mirror }) => mirror,
    words: () => "Stop mirroring",
    says: () => [
      "It becomes a repository of its own: people push to it, and it does not follow its source any more.",
      "It cannot become a mirror again.",
    ],
    async run(forge, { visit, doer, repository: access }) {
      await forge.change(doer, (work) => endPullMirror(work, access));
      return new Redirect(settingsLink(visit.root, access, "danger"), "The repository is no mirror any more");
    },
  },
  {
    key: "convert-fork",
    spec: owns,
    isFor: ({ forkOf }) => forkOf !== null,
    words: () => "Leave its parent",
    says: () => [
      "It becomes a repository of its own, and is no fork any more. Pull requests that it has with its parent stay.",
      "New pull requests between the two are not possible, and it cannot become a fork of it again.",
    ],
    async run(forge, { visit, doer, repository: access }) {
      await forge.change(doer, (work) => leaveParent(work, access));
      return new Redirect(settingsLink(visit.root, access, "danger"), "The repository is no fork any more");
    },
  },
  {
    key: "transfer",
    spec: owns,
    isFor: () => true,
    words: () => "Give it a new owner",
    says: () => [
      "If you may make repositories there, it moves at once. Otherwise the new owner has to accept it, and until then nothing changes.",
      "Its old address leads to the new one until you make another repository of the name. Teams of its owner lose it; collaborators keep it.",
      "It counts for the quota of its new owner.",
    ],
    fields: (refused, visit) =>
      textField(
        refused,
        "new_owner",
        "New owner",
        "The name of a user or an organization.",
        visit.form.text("new_owner"),
      ),
    async run(forge, { visit, doer, repository: access }) {
      const into = await alsoOn(forge, visit, doer, "see", visit.form.text("new_owner").trim());
      const { owner } = into.access;
      const outcome = await forge.change(into.doer, (work) => startTransfer(work, access, owner, []));
      return outcome === "moved"
        ? new Redirect(repositoryLink(visit.root, { ...access, owner }), `The repository belongs to ${owner.name} now`)
        : new Redirect(
            settingsLink(visit.root, access, "danger"),
            `The repository is offered to ${owner.name}, who has to accept it`,
          );
    },
  },
  {
    key: "archive",
    spec: administersAlways,
    isFor: () => true,
    words: ({ archivedAt }) => (archivedAt === null ? "Archive it" : "Unarchive it"),
    says: ({ archivedAt }) =>
      archivedAt === null
        ? [
            "It can be read and cloned, and nothing can be changed: no pushes, issues, comments or settings. Mirrors rest.",
            "Administrators can unarchive it here.",
          ]
        : ["People who may write to it can change it again."],
    fields: (_refused, _visit, { archivedAt }) => stateField(archivedAt === null),
    async run(forge, given) {
      const row = await edit(forge, given, { archived: readState(given.visit) });
      return new Redirect(
        settingsLink(given.visit.root, given.repository, "danger"),
        row.archivedAt === null ? "The repository can be changed again" : "The repository is archived",
      );
    },
  },
  {
    key: "delete",
    spec: owns,
    isFor: () => true,
    words: () => "Delete it",
    says: () => [
      "Everything in it is gone: files and history, issues, pull requests, the wiki, releases with their files, settings. Nobody can bring it back.",
      "Forks stay. Packages belong to the owner and stay.",
    ],
    async run(forge, { visit, doer, repository: { repository, owner } }) {
      await forge.change(doer, (work) => deleteRepository(work, repository));
      const name = `${owner.name}/${repository.name}`;
      forge.log.info({ repository: repository.id, name, actor: doer.actor.name }, "Deleted a repository");
      return new Redirect(ownerLink(visit.root, owner.name), `The repository ${name} is deleted`);
    },
  },
];

function confirmPage(visit: Visit, access: RepositoryAccess, act: Act, refused: Refusal | null): Page {
  const { repository } = access;
  const words = act.words(repository);
  return settingsPage(visit, access, "danger", {
    ...(refused === null ? {} : { status: refused.status }),
    title: words,
    about: html`This is about <b>${nameOf(access)}</b>.`,
    body: html`${note(visit, "bad", problemAbove(refused, ["confirm", "wiki_branch", "new_owner"]))}
      <ul class="document">${act.says(repository).map((one) => html`<li>${one}</li>`)}</ul>
      <form class="form" method="post" action="${settingsLink(visit.root, access, `danger/${act.key}`)}">${visit.formField()}
      ${act.fields?.(refused, visit, repository)}
      ${textField(refused, "confirm", "Type the name of the repository to confirm", `That is ${nameOf(access)}.`, visit.form.text("confirm"))}
      <div class="line flow"><button class="button danger">${words}</button><a class="button" href="${settingsLink(visit.root, access, "danger")}">Cancel</a></div></form>`,
  });
}

/** Throws NotFound where the act means nothing, as for what is no mirror. */
function demandFor({ repository }: RepositoryAccess, act: Act): void {
  if (!act.isFor(repository)) {
    throw new NotFound("page", act.key);
  }
}

function demandName(visit: Visit, access: RepositoryAccess): void {
  const name = nameOf(access);
  if (visit.form.text("confirm").trim().toLowerCase() !== name.toLowerCase()) {
    throw new InvalidInput(`Type ${name} here: it was not changed`, "confirm");
  }
}

/** What cannot be taken back: each act on a page of its own, confirmed by the repository's name. */
export function dangerPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function transferOf(visit: Visit, access: RepositoryAccess): Promise<Html | null> {
    const transfer = access.counts.transfers === 0 ? null : await findTransfer(forge.database.db, access.repository.id);
    return transfer === null
      ? null
      : note(
          visit,
          "info",
          html`${transfer.doer.name} offers the repository to <b>${transfer.recipient.name}</b>, who has to accept it. ${offers(visit, owns) && html`<form class="inline" method="post" action="${repositoryLink(visit.root, access)}/action/reject_transfer">${visit.formField()}<button class="button s">Withdraw the offer</button></form>`}`,
        );
  }

  const routes = acts.flatMap((act) => {
    const path = `/:owner/:repo/settings/danger/${act.key}`;
    return [
      page("GET", path, act.spec, ({ visit, repository }) => {
        demandFor(repository, act);
        return confirmPage(visit, repository, act, null);
      }),
      page("POST", path, { ...act.spec, longForm: true }, (given) => {
        const { visit, repository: access } = given;
        demandFor(access, act);
        return tryForm(
          async () => {
            demandName(visit, access);
            return act.run(forge, given);
          },
          (refused) =>
            confirmPage(
              visit,
              access,
              act,
              refused.status === 404 ? { ...refused, status: 422, field: "new_owner" } : refused,
            ),
        );
      }),
    ];
  });
  return [
    page("GET", "/:owner/:repo/settings/danger", administers, async ({ visit, repository: access }) => {
      const { repository } = access;
      const rows = acts
        .filter(({ isFor, spec }) => isFor(repository) && offers(visit, { ...spec, onArchived: "allowed" }))
        .map(
          (act) =>
            html`<li><div class="grow"><b>${act.words(repository)}</b><p class="soft small">${act.says(repository)[0]}</p></div><a class="button danger" href="${settingsLink(visit.root, access, `danger/${act.key}`)}">${act.words(repository)}…</a></li>`,
        );
      return settingsPage(visit, access, "danger", {
        title: "Danger zone",
        about: "What cannot be taken back, or is noticed by many. Each asks once more, on a page of its own.",
        body: html`${await transferOf(visit, access)}<ul class="panel edge rows acts">${rows}</ul>`,
      });
    }),
    ...routes,
  ];
}
