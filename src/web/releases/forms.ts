import type { RepositoryAccess } from "../../auth/subject.ts";
import type { NewAttachment } from "../../domain/repos/attachments/add-attachment.ts";
import { attachmentsOfReleases } from "../../domain/repos/attachments/queries.ts";
import { stageAttachment } from "../../domain/repos/attachments/stage-attachment.ts";
import { uploadSessionsOf } from "../../domain/repos/attachments/upload-sessions.ts";
import { createRelease } from "../../domain/repos/releases/create-release.ts";
import { editRelease, releaseVersion } from "../../domain/repos/releases/edit-release.ts";
import { getRelease } from "../../domain/repos/releases/get-release.ts";
import { findLatestRelease, findTagsBefore } from "../../domain/repos/releases/queries.ts";
import { createTag } from "../../domain/repos/tags/create-tag.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { makeNotes } from "../../domain/work/release-notes/make-notes.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { releaseLink } from "../links.ts";
import { renderComments } from "../issues/texts.ts";
import { writesReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { mayMakeNotes, releaseFormPage, type FormPage } from "./form-page.ts";
import { readAssetChanges, readLinks, typedIn, typedOf, type Typed } from "./typed.ts";
import { uploadPlace } from "./uploads.ts";

const sends = { ...writesReleases, longForm: true } as const;

/** The pages that make and edit a release. */
export function releaseFormPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const sessions = uploadSessionsOf(forge);

  /** The files of a form: uploaded before it, sent with it, and elsewhere. Those that are not attached go with the stack. */
  async function readFiles(
    { form }: Visit,
    doer: UserDoer,
    access: RepositoryAccess,
    typed: Typed,
    stack: AsyncDisposableStack,
  ): Promise<NewAttachment[]> {
    const uploaded = sessions.whole(uploadPlace(doer, access), typed.uploads);
    if (uploaded.length < typed.uploads.length) {
      throw new InvalidInput("A file that was uploaded is not there any more: choose it again", "files");
    }
    const added: NewAttachment[] = [...uploaded, ...readLinks(typed.links)];
    for (const { name, content } of form.files) {
      const staged = stack.use(await stageAttachment(forge, Bun.file(content.path).stream()));
      added.push({ name: name.split("/").at(-1) ?? "", content: staged });
    }
    return added;
  }

  async function endUploads({ uploads }: Typed): Promise<void> {
    await Promise.all(uploads.map((id) => sessions.end(id)));
  }

  /** What a button of the form asks for that saves nothing; null for one that saves. */
  async function withoutSaving(visit: Visit, access: RepositoryAccess, shown: FormPage): Promise<Page | null> {
    const { form } = visit;
    const { typed } = shown;
    if (form.text("preview") !== "") {
      const [preview = null] = await renderComments(forge, visit, access, [typed.body]);
      return releaseFormPage(forge, visit, access, { ...shown, preview });
    }
    if (form.text("act") !== "notes" || !mayMakeNotes(visit)) {
      return null;
    }
    return tryForm(
      async () => {
        const { tag, target, before } = typed;
        const made = await makeNotes(forge, visit, access, { tag, target, before }, visit.request.signal);
        const body = typed.body.trim() === "" ? made : `${typed.body.trimEnd()}\n\n${made}`;
        const since = before === "" ? "" : ` since ${before}`;
        const news = `The notes name what was merged${since}. Change them as you like.`;
        return releaseFormPage(forge, visit, access, { ...shown, typed: { ...typed, body }, news });
      },
      (refused) => releaseFormPage(forge, visit, access, { ...shown, refused }),
    );
  }

  async function create(visit: Visit, doer: UserDoer, access: RepositoryAccess, typed: Typed): Promise<Redirect> {
    await using stack = new AsyncDisposableStack();
    const draft = visit.form.text("act") === "draft";
    const files = await readFiles(visit, doer, access, typed, stack);
    if (typed.tagMessage.trim() !== "" && !draft) {
      await createTag(forge, doer, access, {
        name: typed.tag,
        target: typed.target || undefined,
        message: typed.tagMessage,
      });
    }
    await createRelease(forge, doer, access, {
      tagName: typed.tag,
      target: typed.target || null,
      title: typed.title,
      body: typed.body,
      draft,
      prerelease: typed.prerelease,
      hideArchiveLinks: typed.hideArchiveLinks,
      files,
    });
    await endUploads(typed);
    return new Redirect(
      releaseLink(visit.root, access, typed.tag),
      draft ? "The draft is saved" : "The release is published",
    );
  }

  return [
    page("GET", "/:owner/:repo/releases/new", writesReleases, async ({ visit, repository: access }) => {
      const latest = await findLatestRelease(forge.database.db, visit, access.repository.id);
      const typed: Typed = {
        tag: visit.query.get("tag") ?? "",
        target: visit.query.get("target") ?? access.repository.defaultBranch,
        tagMessage: "",
        title: "",
        body: "",
        prerelease: false,
        hideArchiveLinks: false,
        links: "",
        before: latest?.release.tagName ?? "",
        uploads: [],
      };
      return releaseFormPage(forge, visit, access, { release: null, assets: [], typed });
    }),
    page("POST", "/:owner/:repo/releases/new", sends, async ({ visit, doer, repository: access }) => {
      const typed = typedIn(visit.form);
      const shown: FormPage = { release: null, assets: [], typed };
      return (
        (await withoutSaving(visit, access, shown)) ??
        tryForm(
          () => create(visit, doer, access, typed),
          (refused) => releaseFormPage(forge, visit, access, { ...shown, refused }),
        )
      );
    }),
    page("GET", "/:owner/:repo/releases/edit/*", writesReleases, async ({ visit, repository: access }) => {
      const { release } = await getRelease(forge, visit, access, { tag: visit.params["*"] ?? "" });
      const { db } = forge.database;
      const [assets, before] = await Promise.all([
        attachmentsOfReleases(db, [release.id]),
        findTagsBefore(db, access.repository.id, [release.id]),
      ]);
      const typed = typedOf(release, before.get(release.id) ?? "");
      return releaseFormPage(forge, visit, access, { release, assets, typed });
    }),
    page("POST", "/:owner/:repo/releases/edit/*", sends, async ({ visit, doer, repository: access }) => {
      const { form } = visit;
      const { release } = await getRelease(forge, visit, access, { tag: visit.params["*"] ?? "" });
      const assets = await attachmentsOfReleases(forge.database.db, [release.id]);
      const typed = typedIn(form);
      const shown: FormPage = { release, assets, typed };
      const seen = form.text("seen");
      return (
        (await withoutSaving(visit, access, shown)) ??
        tryForm(
          async () => {
            await using stack = new AsyncDisposableStack();
            const add = await readFiles(visit, doer, access, typed, stack);
            const { tag: tagName, target, title, body, prerelease, hideArchiveLinks } = typed;
            const draft = release.draft && form.text("act") === "draft";
            if (!draft && release.draft && typed.tagMessage.trim() !== "") {
              await createTag(forge, doer, access, {
                name: tagName,
                target: target || undefined,
                message: typed.tagMessage,
              });
            }
            const patch = {
              tagName,
              target: target || release.target,
              title,
              body,
              prerelease,
              hideArchiveLinks,
              draft,
            };
            await editRelease(forge, doer, access, release.id, patch, {
              files: { add, ...readAssetChanges(form, assets) },
              seen: seen === "" ? releaseVersion(release) : seen,
            });
            await endUploads(typed);
            return new Redirect(releaseLink(visit.root, access, tagName), "The release is saved");
          },
          (refused) => releaseFormPage(forge, visit, access, { ...shown, refused }),
        )
      );
    }),
  ];
}
