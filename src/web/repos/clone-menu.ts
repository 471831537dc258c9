import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { archiveLink } from "../links.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

interface Way {
  readonly key: "http" | "ssh";
  readonly name: string;
  readonly url: string;
  /** What a user has to have for it. */
  readonly needs: Html;
}

/** Programs that clone from a link. */
const programs = [
  { name: "VS Code", link: (url: string) => `vscode://vscode.git/clone?url=${encodeURIComponent(url)}` },
  { name: "VSCodium", link: (url: string) => `vscodium://vscode.git/clone?url=${encodeURIComponent(url)}` },
  {
    name: "JetBrains",
    link: (url: string) =>
      `jetbrains://idea/checkout/git?idea.required.plugins.id=Git4Idea&checkout.repo=${encodeURIComponent(url)}`,
  },
] as const;

function waysOf({ addresses }: Forge, { root }: Visit, { owner, repository }: RepositoryAccess): readonly Way[] {
  const url = addresses.clone(owner.name, repository.name);
  const ssh = addresses.sshClone(owner.name, repository.name);
  const name = url.startsWith("https:") ? "HTTPS" : "HTTP";
  const token = html`Git asks for a password: give it an <a href="${root}/user/settings/tokens">access token</a>.`;
  const key = html`It takes one of your <a href="${root}/user/settings/keys">SSH keys</a>.`;
  const http = { key: "http", name, url, needs: token } as const;
  return ssh === "" ? [http] : [http, { key: "ssh", name: "SSH", url: ssh, needs: key }];
}

/** The addresses to clone from, one at a time: radio buttons choose, without script. */
function addressesOf(visit: Visit, ways: readonly Way[]): Html {
  const choice = html`<fieldset class="segments"><legend class="sr">Protocol</legend>${ways.map(
    ({ key, name }, index) =>
      html`<label><input class="sr" type="radio" name="clone" value="${key}"${index === 0 ? html` checked` : null}>${name}</label>`,
  )}</fieldset>`;
  const shown = ways.map(
    ({ key, name, url, needs }) =>
      html`<div class="way-${key} stack s"><div class="line"><input class="mono" readonly value="${url}" aria-label="Address for ${name}">${copyButton(visit, url, { label: `Copy the address for ${name}` })}</div>${visit.actor !== null && html`<p class="soft small">${needs}</p>`}</div>`,
  );
  return html`<div class="pad stack s ways">${ways.length > 1 && choice}${shown}</div>`;
}

/** A button that opens the addresses to clone from, archives to download, and programs that clone. */
export function cloneMenu(forge: Forge, visit: Visit, access: RepositoryAccess, revision: Revision): Html {
  const ways = waysOf(forge, visit, access);
  const archives = (["zip", "tar.gz", "bundle"] as const).map(
    (format) =>
      html`<a href="${archiveLink(visit.root, access, revision.name, format)}" rel="nofollow">${icon(visit, "file-archive")}Download ${format === "bundle" ? "a bundle" : format.toUpperCase()}</a>`,
  );
  const editors = programs.map(
    ({ name, link }) =>
      html`<a href="${link(ways[0]?.url ?? "")}" rel="nofollow">${icon(visit, "external-link")}Open in ${name}</a>`,
  );
  return html`<button type="button" class="button main" popovertarget="clone-menu">${icon(visit, "download")}Clone</button>
<div class="menu wide" id="clone-menu" popover>${addressesOf(visit, ways)}<hr>${archives}<hr>${editors}</div>`;
}
