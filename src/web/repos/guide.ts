import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { shellQuote } from "../../lib/shell-quote.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import { commands } from "../parts/commands.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import type { Visit } from "../visit.ts";
import { mayChange } from "./may-change.ts";

/** Commands that fill an empty repository, ready to be copied. A branch name can have characters that a shell interprets. */
function pushCommands(forge: Forge, visit: Visit, access: RepositoryAccess): Html {
  const { owner, repository } = access;
  const branch = shellQuote(repository.defaultBranch);
  const format = repository.objectFormat === "sha1" ? "" : ` --object-format=${repository.objectFormat}`;
  const ssh = forge.addresses.sshClone(owner.name, repository.name);
  const remote = `git remote add origin ${shellQuote(forge.addresses.clone(owner.name, repository.name))}`;
  const { root } = visit;
  return html`<div class="line flow"><a class="button" href="${editLink(root, access, "_new", repository.defaultBranch)}">${icon(visit, "plus")}New file</a><a class="button" href="${editLink(root, access, "_upload", repository.defaultBranch)}">${icon(visit, "upload")}Upload files</a></div>
    ${commands(visit, "new-commands", "Start a new repository", [
      `git init${format} -b ${branch}`,
      `echo ${shellQuote(`# ${repository.name}`)} > README.md`,
      "git add README.md",
      "git commit -m 'First commit'",
      remote,
      `git push -u origin ${branch}`,
    ])}
    ${commands(visit, "push-commands", "Push an existing repository", [remote, "git push -u origin --all", "git push origin --tags"])}
    <p>Git asks for your user name and a password: give it an <a href="${root}/user/settings/tokens">access token</a>.
    ${ssh !== "" && html`With an <a href="${root}/user/settings/keys">SSH key</a>, use <code>${ssh}</code> as the address.`}</p>`;
}

/** What a repository shows to whose default branch nothing was pushed. */
export function guide(forge: Forge, visit: Visit, access: RepositoryAccess): Html {
  const { owner, repository } = access;
  const address = forge.addresses.clone(owner.name, repository.name);
  return html`<div class="panel edge">${empty(visit, "git-branch", "This repository is empty", html`Nothing was pushed to the branch <code>${repository.defaultBranch}</code> yet. Its address is <code>${address}</code>.`)}
    ${mayChange(visit, access) && html`<div class="body roomy stack">${pushCommands(forge, visit, access)}</div>`}</div>`;
}
