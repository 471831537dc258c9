import type { RepositoryAccess } from "../../auth/subject.ts";
import { trustModels } from "../../db/schema/repositories.ts";
import { longestDescription } from "../../domain/repos/create-repository.ts";
import { checkWebsite, longestWebsite } from "../../domain/repos/outside-addresses.ts";
import { removeRepositoryAvatar, setRepositoryAvatar } from "../../domain/repos/set-repository-avatar.ts";
import { pictureType } from "../../domain/identity/avatars/picture-type.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { replaceTopics } from "../../domain/repos/topics/edit-topics.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { Redirect, bytesResponse, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import {
  columnField,
  columnNotes,
  freshState,
  readColumns,
  saveColumns,
  seenInput,
  type ColumnField,
  type ColumnState,
} from "./column-form.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

const trustWords: Readonly<Record<(typeof trustModels)[number], string>> = {
  default: "As the server says",
  collaborator: "Of people with write access",
  committer: "Of the committer of the commit",
  collaboratorcommitter: "Of a committer with write access",
};

const fields: readonly ColumnField[] = [
  {
    name: "name",
    column: "name",
    kind: "text",
    label: "Name",
    hint: "Old addresses lead to the new name until another repository takes the old one. An offer to a new owner ends.",
    longest: 100,
    isMono: true,
    isRequired: true,
  },
  {
    name: "description",
    column: "description",
    kind: "text",
    label: "Description",
    hint: "One line, shown in lists.",
    longest: longestDescription,
  },
  {
    name: "website",
    column: "website",
    kind: "text",
    label: "Website",
    hint: "An address with http or https.",
    longest: longestWebsite,
  },
  {
    name: "default_branch",
    column: "defaultBranch",
    kind: "text",
    label: "Default branch",
    hint: "What the front page, new clones and new pull requests begin with.",
    longest: 100,
    isMono: true,
    isRequired: true,
  },
  {
    name: "trust_model",
    column: "trustModel",
    kind: "select",
    label: "Whose signatures count as verified",
    hint: "A signature whose key belongs to nobody of these is shown as untrusted.",
    choices: trustModels.map((one) => [one, trustWords[one]] as const),
  },
  {
    name: "template",
    column: "template",
    kind: "check",
    label: "Template",
    hint: "Others may begin new repositories with its files.",
  },
];
const columns = fields.map(({ column }) => column);

/** What a second form of the page shows again when it was refused. */
interface Refused {
  readonly of: "avatar" | "topics";
  readonly refused: Refusal;
  readonly topics?: string;
}

function avatarForms(visit: Visit, access: RepositoryAccess, problem: Refusal | null): Html {
  const { repository } = access;
  const picture =
    repository.avatarSha256 === null
      ? html`<p class="soft">There is none.</p>`
      : html`<div class="line"><img class="avatar xl square" src="${settingsLink(visit.root, access, "avatar")}" alt="The picture of the repository"><form method="post" action="${settingsLink(visit.root, access, "avatar")}">${visit.formField()}<button class="button danger" name="delete" value="1">Remove the picture</button></form></div>`;
  return html`<section class="section" id="avatar"><h2>Picture</h2>${picture}
    <form class="form" method="post" enctype="multipart/form-data" action="${settingsLink(visit.root, access, "avatar")}">${visit.formField()}
    ${field(problem === null ? null : { ...problem, field: "files" }, { name: "files", label: "New picture", hint: "PNG, JPEG, GIF or WebP." }, (attributes) => html`<input type="file" ${attributes} accept="image/png,image/jpeg,image/gif,image/webp" required>`)}
    <button class="button">Upload the picture</button></form></section>`;
}

function topicForm(visit: Visit, access: RepositoryAccess, topics: string, refused: Refusal | null): Html {
  return html`<section class="section" id="topics"><h2>Topics</h2><form class="form" method="post" action="${settingsLink(visit.root, access, "topics")}">${visit.formField()}
    ${field(refused === null ? null : { ...refused, field: "topics" }, { name: "topics", label: "Topics", hint: "What it is about, apart by spaces: people find it by them." }, (attributes) => html`<input type="text" ${attributes} value="${topics}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2000">`)}
    <button class="button">Save the topics</button></form></section>`;
}

function generalPage(visit: Visit, access: RepositoryAccess, state: ColumnState, other: Refused | null = null): Page {
  const { repository, refused } = state;
  const danger = settingsLink(visit.root, access, "danger");
  const facts: [string, Html][] = [
    [
      "Visibility",
      html`<span class="line">${repository.private ? "Private" : "Public"}<a class="button s" href="${danger}/visibility">Change</a></span>`,
    ],
    ["Objects", html`named by ${repository.objectFormat}; this is chosen when a repository is made`],
    ["Made", ago(visit, repository.createdAt)],
    [
      "Size",
      html`<span class="line">${fileSize(access.counts.gitBytes)}<a class="button s" href="${settingsLink(visit.root, access, "usage")}">By kind</a></span>`,
    ],
  ];
  const status = other?.refused.status ?? refused?.status;
  return settingsPage(visit, access, "", {
    ...(status === undefined ? {} : { status }),
    title: "General",
    about: "What the repository is called and what it is about.",
    body: html`${columnNotes(visit, state, fields)}${other !== null && note(visit, "bad", problemAbove(other.refused, []))}
      <form class="form" method="post" action="${settingsLink(visit.root, access)}">${visit.formField()}${seenInput(repository, columns)}
      ${fields.map((spec) => columnField(refused, state.values, spec))}<button class="button main">Save</button></form>
      <dl class="pairs">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      ${topicForm(visit, access, other?.topics ?? repository.topics.join(" "), other?.of === "topics" ? other.refused : null)}
      ${avatarForms(visit, access, other?.of === "avatar" ? other.refused : null)}`,
  });
}

function read(form: Form) {
  const typed = readColumns(form, fields);
  checkWebsite(typed.website ?? "");
  if (!trustModels.some((one) => one === typed.trustModel)) {
    throw new InvalidInput(`trust_model must be one of ${trustModels.join(", ")}`, "trust_model");
  }
  return typed;
}

/** The page that says what a repository is: name, description, picture, topics. */
export function generalPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/settings", administers, ({ visit, repository }) =>
      generalPage(visit, repository, freshState(repository.repository, fields)),
    ),
    page("POST", "/:owner/:repo/settings", { ...administers, longForm: true }, (given) => {
      const { visit, repository: access } = given;
      return saveColumns(
        forge,
        given,
        fields,
        read,
        (state) => generalPage(visit, access, state),
        (repository) => new Redirect(settingsLink(visit.root, { ...access, repository }), "The settings are saved"),
      );
    }),
    page("POST", "/:owner/:repo/settings/topics", administers, ({ visit, doer, repository: access }) => {
      const topics = visit.form.text("topics");
      const names = topics.split(/[\s,]+/).filter((name) => name !== "");
      return tryForm(
        async () => {
          await forge.change(doer, (work) => replaceTopics(work, access, names));
          return new Redirect(`${settingsLink(visit.root, access)}#topics`, "The topics are saved");
        },
        (refused) =>
          generalPage(visit, access, freshState(access.repository, fields), { of: "topics", refused, topics }),
      );
    }),
    page("GET", "/:owner/:repo/settings/avatar", administers, async ({ visit, repository: { repository, owner } }) => {
      const sha256 = repository.avatarSha256 && Buffer.from(repository.avatarSha256).toString("hex");
      const found = sha256 === null ? null : await forge.files.contents.find(sha256, null);
      if (sha256 === null || found === null) {
        throw new NotFound("picture of the repository", `${owner.name}/${repository.name}`);
      }
      const { blob, content, size } = found;
      const contentType = pictureType(await blob.slice(0, 12).bytes()) ?? "application/octet-stream";
      return bytesResponse(visit, { content, size, contentType, etag: sha256, headers: {} });
    }),
    page(
      "POST",
      "/:owner/:repo/settings/avatar",
      { ...administers, longForm: true },
      ({ visit, doer, repository: access }) => {
        const { form } = visit;
        return tryForm(
          async () => {
            if (form.text("delete") !== "") {
              await forge.change(doer, (work) => removeRepositoryAvatar(work, access));
              return new Redirect(`${settingsLink(visit.root, access)}#avatar`, "The picture is removed");
            }
            const [sent] = form.files;
            if (sent === undefined) {
              throw new InvalidInput("Choose a picture", "files");
            }
            await setRepositoryAvatar(forge, doer, access, await Bun.file(sent.content.path).bytes());
            return new Redirect(`${settingsLink(visit.root, access)}#avatar`, "The picture is saved");
          },
          (refused) => generalPage(visit, access, freshState(access.repository, fields), { of: "avatar", refused }),
        );
      },
    ),
  ];
}
