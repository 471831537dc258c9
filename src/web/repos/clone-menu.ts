import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { html, type Html } from "../html.ts";
import { archiveLink } from "../links.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

function address(visit: Visit, protocol: string, url: string): Html {
  const label = `Address for ${protocol}`;
  return html`<div class="pad stack s"><span class="soft small">${protocol}</span><div class="line"><input class="mono" readonly value="${url}" aria-label="${label}">${copyButton(visit, url, { label: `Copy the address for ${protocol}` })}</div></div>`;
}

/** A button that opens the addresses to clone from, and archives to download. */
export function cloneMenu(forge: Forge, visit: Visit, access: RepositoryAccess, revision: Revision): Html {
  const { owner, repository } = access;
  const http = forge.addresses.clone(owner.name, repository.name);
  const ssh = forge.addresses.sshClone(owner.name, repository.name);
  const token =
    visit.actor === null
      ? null
      : html`<p class="pad soft small">Git asks for a password: give it an <a href="${visit.root}/user/settings/tokens">access token</a>.</p>`;
  const archives = (["zip", "tar.gz"] as const).map(
    (format) =>
      html`<a href="${archiveLink(visit.root, access, revision.name, format)}" rel="nofollow">${icon(visit, "file-archive")}Download ${format}</a>`,
  );
  return html`<button type="button" class="button main" popovertarget="clone-menu">${icon(visit, "download")}Clone</button>
<div class="menu wide" id="clone-menu" popover>${address(visit, http.startsWith("https:") ? "HTTPS" : "HTTP", http)}${ssh === "" ? null : address(visit, "SSH", ssh)}${token}<hr>${archives}</div>`;
}
