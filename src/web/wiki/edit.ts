import type { RepositoryAccess } from "../../auth/subject.ts";
import { typedText, withEndingsOf } from "../../domain/git/contents/line-endings.ts";
import { createPage, editPage, type PageEdit, type WikiFile } from "../../domain/repos/wiki/edit-page.ts";
import { InvalidWikiPage, WikiPageExists } from "../../domain/repos/wiki/errors.ts";
import { nameOfTitle } from "../../domain/repos/wiki/page-name.ts";
import type { WikiPage } from "../../domain/repos/wiki/pages-at.ts";
import { findPage } from "../../domain/repos/wiki/read-pages.ts";
import { mergeEdit } from "../../domain/work/edits/merge-edit.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { addsConflictMarks } from "../edit/conflict-marks.ts";
import type { Refusal } from "../errors.ts";
import { wikiLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { wikiFormPage, type WikiTyped } from "./form-page.ts";
import { getWikiCommit, openWikiAt, writesWiki, type OpenedWiki } from "./open.ts";
import { renderWiki } from "./render.ts";

const sends = { ...writesWiki, longForm: true } as const;
const longestTitle = 250;
const longestText = 1024 * 1024;
const picture = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** The files of a form, and the text with a link to each that it does not name yet. */
function withFiles({ form }: Visit, text: string): { text: string; files: WikiFile[] } {
  const files = form.files.map(({ name, content }) => ({
    path: `images/${name.split("/").at(-1) ?? ""}`,
    bytes: content,
  }));
  const links = files
    .filter(({ path }) => !text.includes(path))
    .map(({ path }) => {
      const name = path.slice("images/".length).replaceAll(/[[\]]/g, "");
      const address = path.split("/").map(encodeURIComponent).join("/");
      return picture.test(path) ? `![${name}](${address})` : `[${name}](raw/${address})`;
    });
  return { text: links.length === 0 ? text : `${text.trimEnd()}\n\n${links.join("\n")}\n`, files };
}

const typedIn = ({ form }: Visit): WikiTyped => ({
  title: form.text("title"),
  text: form.lines("content"),
  message: form.lines("message"),
  seen: form.text("seen"),
});

function edited(visit: Visit, typed: WikiTyped): PageEdit & { title: string } {
  const { text, files } = withFiles(visit, typed.text);
  if (Buffer.byteLength(text) > longestText) {
    throw new InvalidInput("The text has more than 1 MiB: push it with git", "content");
  }
  return { title: typed.title, content: Buffer.from(text), message: typed.message.trim() || undefined, files };
}

/** Says at which field a title was refused. */
async function atTitle<Done>(act: () => Promise<Done>): Promise<Done> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof InvalidWikiPage || error instanceof WikiPageExists
      ? new InvalidInput(error.message, "title")
      : error;
  }
}

/** The pages that make and edit a page of a wiki. */
export function wikiEditPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function readText(
    { opened }: OpenedWiki,
    { oid }: Pick<WikiPage, "oid">,
  ): Promise<{ bytes: Uint8Array; text: string }> {
    const read = { oid, maxBytes: longestText };
    const bytes = (opened && (await forge.git.engine.call(opened.view, "readObject", read)))?.bytes ?? null;
    const text = bytes === null ? null : typedText(bytes);
    if (bytes === null || text === null) {
      throw new InvalidInput("The page is no text, or has more than 1 MiB, so it is edited with git");
    }
    return { bytes, text };
  }

  /** The text of a file at a commit of the wiki; empty if it had none. */
  async function textAt({ wiki }: OpenedWiki, commit: string, file: string): Promise<string> {
    const { view } = await getWikiCommit(forge, wiki, commit);
    const found = await forge.git.contents.findFile(view, commit, file);
    return (found?.bytes == null ? null : typedText(found.bytes)) ?? "";
  }

  /** What the form of a page begins with: its text, one that it had, or its text without one of its changes. */
  async function beginning(
    visit: Visit,
    at: OpenedWiki,
    found: WikiPage,
  ): Promise<{ typed: WikiTyped; news: string | null }> {
    const { query } = visit;
    const seen = at.opened?.commit ?? "";
    const { text } = await readText(at, found);
    const [restore, revert] = [query.get("restore") ?? "", query.get("revert") ?? ""];
    const usual = { title: found.title, message: "", seen };
    if (restore !== "") {
      const { commit } = await getWikiCommit(forge, at.wiki, restore);
      const message = `Bring back ${found.title} of ${commit.slice(0, 10)}`;
      const typed = { ...usual, text: await textAt(at, commit, found.file), message };
      return { typed, news: "This is the text of the revision. Save to bring it back." };
    }
    if (revert === "") {
      return { typed: { ...usual, text }, news: null };
    }
    const { commit, view } = await getWikiCommit(forge, at.wiki, revert);
    const { parents } = await forge.git.commits.get(view, commit);
    const base = await textAt(at, commit, found.file);
    const before = parents[0] === undefined ? "" : await textAt(at, parents[0], found.file);
    const merged = await forge.git.engine.call(view, "mergeTexts", {
      base: Buffer.from(base),
      ours: Buffer.from(text),
      theirs: Buffer.from(before),
      labels: { ours: "the page", theirs: "before the change" },
    });
    if (merged === null) {
      throw new InvalidInput("The texts are too large to be merged here: take the change back with git");
    }
    const message = `Take back ${commit.slice(0, 10)} of ${found.title}`;
    const news =
      merged.conflicts === 0
        ? "This is the page without that change. Save to take it back."
        : "The page changed in the same lines since. Marks stand around the versions: take them out, then save.";
    return { typed: { ...usual, text: Buffer.from(merged.bytes).toString(), message }, news };
  }

  async function preview(
    visit: Visit,
    access: RepositoryAccess,
    at: OpenedWiki,
    typed: WikiTyped,
    path: string | null,
  ) {
    const rendered = await renderWiki(forge, visit, access, at.opened, typed.text);
    return wikiFormPage(forge, visit, access, { path, typed, preview: rendered });
  }

  async function create(visit: Visit, doer: UserDoer, access: RepositoryAccess, typed: WikiTyped): Promise<Redirect> {
    const made = await atTitle(() => createPage(forge, doer, access, edited(visit, typed)));
    return new Redirect(wikiLink(visit.root, access, made.page.path), "The page is written");
  }

  /** Saves an edit, or shows the form again with what others wrote meanwhile. */
  async function save(
    visit: Visit,
    doer: UserDoer,
    access: RepositoryAccess,
    path: string,
    typed: WikiTyped,
  ): Promise<Page | Redirect> {
    const at = await openWikiAt(forge, access);
    const found = at.opened === null ? null : findPage(at.opened, path);
    if (at.opened === null || found === null) {
      if (visit.form.text("gone") === "1") {
        return create(visit, doer, access, typed);
      }
      const news =
        "The page was deleted or renamed while you edited it. Nothing of your text is lost: save to write it again.";
      return wikiFormPage(forge, visit, access, { path, typed, news, status: 409, isGone: true });
    }
    const tip = await getWikiCommit(forge, at.wiki, at.opened.commit);
    const asked = { seen: typed.seen, tip: { ...tip, name: "what is there" }, path: found.file, typed: typed.text };
    const merged = await mergeEdit(forge, at.wiki.repository, asked);
    if (merged.kind === "merged") {
      const both = { ...typed, text: merged.text, seen: at.opened.commit };
      const news =
        merged.conflicts === 0
          ? "Somebody else changed the page while you edited it. Their changes and yours are both in the text now. Look at it, then save."
          : "Somebody else changed the same lines while you edited the page. Marks stand around the two versions: take them out, then save.";
      return wikiFormPage(forge, visit, access, { path, typed: both, news, status: 409 });
    }
    const before = await readText(at, found);
    if (addsConflictMarks(before.text, typed.text)) {
      throw new InvalidInput("The marks of a conflict are still in the text: take them out first", "content");
    }
    const edit = edited(visit, typed);
    const isSame = typed.title.trim() === found.title && edit.files?.length === 0 && typed.text === before.text;
    if (isSame) {
      throw new InvalidInput("The page is as it was: there is nothing to save", "content");
    }
    const content = withEndingsOf(before.bytes, Buffer.from(edit.content as Uint8Array).toString());
    const saved = await atTitle(() =>
      editPage(forge, doer, access, found.path, { ...edit, content, seenOid: found.oid }),
    );
    return new Redirect(wikiLink(visit.root, access, saved.page.path), "The page is saved");
  }

  return [
    page("GET", "/:owner/:repo/wiki/_new", writesWiki, async ({ visit, repository: access }) => {
      const title = (visit.query.get("title") ?? "").slice(0, longestTitle);
      const restore = visit.query.get("restore") ?? "";
      const at = await openWikiAt(forge, access);
      const text =
        restore === ""
          ? ""
          : await textAt(at, (await getWikiCommit(forge, at.wiki, restore)).commit, nameOfTitle(title).file);
      return wikiFormPage(forge, visit, access, { path: null, typed: { title, text, message: "", seen: "" } });
    }),
    page("POST", "/:owner/:repo/wiki/_new", sends, async ({ visit, doer, repository: access }) => {
      const typed = typedIn(visit);
      if (visit.form.text("preview") !== "") {
        return preview(visit, access, await openWikiAt(forge, access), typed, null);
      }
      return tryForm<Redirect, Page>(
        () => create(visit, doer, access, typed),
        (refused: Refusal) => wikiFormPage(forge, visit, access, { path: null, typed, refused }),
      );
    }),
    page("GET", "/:owner/:repo/wiki/_edit/*", writesWiki, async ({ visit, repository: access }) => {
      const at = await openWikiAt(forge, access);
      const found = at.opened === null ? null : findPage(at.opened, visit.params["*"] ?? "");
      if (found === null) {
        throw new NotFound("wiki page", (visit.params["*"] ?? "").slice(0, 80));
      }
      const { typed, news } = await beginning(visit, at, found);
      return wikiFormPage(forge, visit, access, { path: found.path, typed, news });
    }),
    page("POST", "/:owner/:repo/wiki/_edit/*", sends, async ({ visit, doer, repository: access }) => {
      const typed = typedIn(visit);
      const path = visit.params["*"] ?? "";
      if (visit.form.text("preview") !== "") {
        return preview(visit, access, await openWikiAt(forge, access), typed, path);
      }
      return tryForm<Page | Redirect, Page>(
        () => save(visit, doer, access, path, typed),
        (refused: Refusal) => wikiFormPage(forge, visit, access, { path, typed, refused }),
      );
    }),
  ];
}
