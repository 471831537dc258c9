import { checkExternalUrl, nameOfExternal } from "../../domain/repos/attachments/attachment-name.ts";
import type { AttachmentPatch, NewAttachment } from "../../domain/repos/attachments/add-attachment.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import type { ReleaseRow } from "../../domain/repos/releases/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Form } from "../form.ts";
import { readRowId } from "../read-row-id.ts";

/** What the form of a release holds. */
export interface Typed {
  readonly tag: string;
  readonly target: string;
  /** Of a new annotated tag; empty: the tag is only a name. */
  readonly tagMessage: string;
  readonly title: string;
  readonly body: string;
  readonly prerelease: boolean;
  readonly hideArchiveLinks: boolean;
  /** New files that are elsewhere, one a line: the address, and a name if it is to have one. */
  readonly links: string;
  /** The tag of the release that the notes compare with. */
  readonly before: string;
  /** Ids of upload sessions. */
  readonly uploads: readonly string[];
}

export function typedIn(form: Form): Typed {
  return {
    tag: form.text("tag_name").trim(),
    target: form.text("target").trim(),
    tagMessage: form.lines("tag_message"),
    title: form.text("title"),
    body: form.lines("body"),
    prerelease: form.has("prerelease"),
    hideArchiveLinks: form.has("hide_archive_links"),
    links: form.lines("links"),
    before: form.text("before").trim(),
    uploads: [...new Set(form.all("upload"))],
  };
}

export function typedOf(release: ReleaseRow, before: string): Typed {
  const { tagName: tag, target, title, body, prerelease, hideArchiveLinks } = release;
  return { tag, target, title, body, prerelease, hideArchiveLinks, before, tagMessage: "", links: "", uploads: [] };
}

/** Reads the lines of `links`. Throws InvalidAttachment. */
export function readLinks(text: string): NewAttachment[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const end = line.search(/\s/);
      const [address, name] = end < 0 ? [line, ""] : [line.slice(0, end), line.slice(end).trim()];
      const externalUrl = checkExternalUrl("links", address);
      return { name: name || nameOfExternal(externalUrl), content: { externalUrl } };
    });
}

/** What the form says of the files that the release has. Throws InvalidInput for an address that was emptied. */
export function readAssetChanges(
  form: Form,
  assets: readonly AttachmentRow[],
): { remove: number[]; edit: Map<number, AttachmentPatch> } {
  const remove = form.all("remove").flatMap((text) => readRowId(text) ?? []);
  const edit = new Map<number, AttachmentPatch>();
  for (const { id, name, externalUrl } of assets.filter((asset) => !remove.includes(asset.id))) {
    const typedName = form.has(`name-${id}`) ? form.text(`name-${id}`).trim() : name;
    const typedUrl = form.has(`url-${id}`) ? form.text(`url-${id}`).trim() : externalUrl;
    if (typedName === "" || typedUrl === "") {
      throw new InvalidInput(`The file "${name}" needs a name and an address; mark it as removed to be rid of it`);
    }
    if (typedName !== name || typedUrl !== externalUrl) {
      edit.set(id, {
        name: typedName === name ? null : typedName,
        externalUrl: typedUrl === externalUrl ? null : typedUrl,
      });
    }
  }
  return { remove, edit };
}
