import { posix } from "node:path";
import type { Forge } from "../../domain/spine/forge.ts";
import { readImageSize } from "../../lib/image-size.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import type { FileContent, ShownFile } from "./open-file.ts";

/** The head of a picture says its size. */
const pictureHead = 128 * 1024;
/** The most bytes of a symbolic link that are read as a path. */
const longestTarget = 4096;

/** The address of what a file holds: of its LFS object where it names one. */
export function bytesLink({ visit, access, revision, file }: ShownFile, content: FileContent): string {
  return sourceLink(visit.root, access, revision, file.path, content.pointer === null ? "raw" : "media");
}

/** Where a link of a repository leads in it: a path, or null for one that leads out of it. */
export function linkTarget(path: string, target: string): string | null {
  const joined = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, "");
  return target.startsWith("/") || target.includes("\0") || joined === ".." || joined.startsWith("../")
    ? null
    : joined === "."
      ? ""
      : joined;
}

async function symlinkBody({ visit, access, revision, file }: ShownFile, content: FileContent | null): Promise<Html> {
  const target = content === null ? "" : Buffer.from(await content.read(0, longestTarget)).toString("utf8");
  const path = linkTarget(file.path, target);
  const next =
    path === null
      ? html`It leads to <code>${target}</code>, which is not in this repository.`
      : html`It leads to <a href="${sourceLink(visit.root, access, revision, path)}"><code>${target}</code></a>.`;
  return empty(visit, "file-symlink", "A symbolic link", next);
}

/** The page of what a submodule is cloned from: http addresses as they are, those of SSH by their host and path. */
export function submodulePage(url: string): string | null {
  const ssh = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)(?::\d+)?[:/](?!\/)(.+)$/.exec(url);
  const address = ssh === null ? url : `https://${ssh[1]}/${ssh[2]}`;
  return parseWebAddress(address) === null ? null : address.replace(/\.git\/?$/, "");
}

async function submoduleBody(forge: Forge, { visit, revision, file }: ShownFile): Promise<Html> {
  const { signal } = visit.request;
  const found = await forge.git.contents.find(revision.view, revision.commit, file.path, {
    signal,
    lastCommits: false,
  });
  const url = found?.kind === "file" ? found.entry.submoduleUrl : null;
  const page = url === null ? null : submodulePage(url);
  const where = page === null ? (url ?? "an address that .gitmodules does not say") : null;
  return empty(
    visit,
    "folder-git-2",
    "A repository of its own",
    html`It is cloned from ${where ?? html`<a rel="nofollow" href="${page}">${url}</a>`} and used here at commit <code>${file.oid}</code>.`,
  );
}

/** A picture on a ground that shows where it is clear, with its size, so that nothing moves when it arrives. */
async function picture(shown: ShownFile, src: string, head: Uint8Array): Promise<Html> {
  const size = await readImageSize(head);
  const given = size === null ? null : html` width="${size.width}" height="${size.height}"`;
  return html`<figure class="body"><img class="picture" src="${src}" alt="${shown.file.name}"${given}>${size !== null && html`<figcaption class="soft small num">${size.width} × ${size.height} pixels</figcaption>`}</figure>`;
}

/** A drawing (SVG) as a picture: no script in it runs. */
export function drawing(shown: ShownFile, text: string): Promise<Html> {
  const { visit, access, revision, file } = shown;
  // The media address answers the same where the file is no pointer.
  return picture(shown, sourceLink(visit.root, access, revision, file.path, "media"), Buffer.from(text));
}

function mediaBody(shown: ShownFile, content: FileContent): Html {
  const src = bytesLink(shown, content);
  return content.type.startsWith("video/")
    ? html`<div class="body"><video class="picture" controls preload="metadata" src="${src}" aria-label="${shown.file.name}"></video></div>`
    : html`<div class="body"><audio controls preload="metadata" src="${src}" aria-label="${shown.file.name}"></audio></div>`;
}

/** What is shown of a file that is not read as a text; null for one that may be a text. */
export async function otherBody(forge: Forge, shown: ShownFile, content: FileContent | null): Promise<Html | null> {
  const { visit, file } = shown;
  if (file.type === "submodule") {
    return submoduleBody(forge, shown);
  }
  if (file.type === "symlink") {
    return symlinkBody(shown, content);
  }
  if (content === null) {
    return empty(visit, "file", "The bytes are missing", "The repository does not have the content of this file.");
  }
  if (content.pointer !== null && !content.pointer.isHere) {
    return empty(
      visit,
      "file",
      "A file of Git LFS that was not pushed",
      html`Its ${fileSize(content.pointer.size)} have the id <code>${content.pointer.oid}</code>. Push them with <code>git lfs push --all origin</code>.`,
    );
  }
  if (content.type.startsWith("image/")) {
    return picture(shown, bytesLink(shown, content), await content.read(0, pictureHead));
  }
  return /^(audio|video)\//.test(content.type) ? mediaBody(shown, content) : null;
}

/** What is shown of bytes that are no text, and of a part that is not there. */
export function bytesBody(shown: ShownFile, content: FileContent, hasParts: boolean): Html {
  const link = bytesLink(shown, content);
  const isPdf = content.type === "application/pdf" || /\.pdf$/i.test(shown.file.path);
  return hasParts
    ? empty(shown.visit, "file", "The file has no such part", html`<a href="${link}">Open it as it is</a>`)
    : empty(
        shown.visit,
        "file",
        isPdf ? "A PDF document" : "This file is not text",
        html`<a class="button" href="${link}" download="${shown.file.name}">${icon(shown.visit, "download")}Download ${fileSize(content.size)}</a>`,
      );
}
