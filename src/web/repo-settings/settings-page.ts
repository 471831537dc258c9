import type { RepositoryAccess } from "../../auth/subject.ts";
import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { PageSpec } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** Changes the settings of a repository. An archived one refuses it. */
export const administers = {
  may: { on: "repository", do: "admin", unit: "any" },
  signedIn: true,
} as const satisfies PageSpec;

/** The same of what an archived repository can lose, too: access, keys, webhooks. */
export const administersAlways = { ...administers, onArchived: "allowed" } as const satisfies PageSpec;

/** Gives a repository away, and deletes it, also one that is archived. */
export const owns = {
  may: { on: "repository", do: "owner", unit: "any" },
  signedIn: true,
  onArchived: "allowed",
} as const satisfies PageSpec;

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  /** Others who administer the repository do not see it. */
  readonly isForOwner?: boolean;
}

/** The pages of a repository's settings by their addresses below /settings, in groups with a heading. */
const groups: readonly { readonly heading: string | null; readonly entries: readonly Entry[] }[] = [
  {
    heading: null,
    entries: [
      { key: "", name: "General", icon: "settings" },
      { key: "units", name: "Units", icon: "box" },
      { key: "pulls", name: "Merging", icon: "git-merge" },
      { key: "collaboration", name: "Access", icon: "users" },
      { key: "branches", name: "Branches", icon: "git-branch" },
      { key: "tags", name: "Tags", icon: "tag" },
    ],
  },
  {
    heading: "Automation",
    entries: [
      { key: "hooks", name: "Webhooks", icon: "webhook" },
      { key: "keys", name: "Deploy keys", icon: "key" },
      { key: "actions/secrets", name: "Secrets", icon: "lock", isForOwner: true },
      { key: "mirrors", name: "Mirrors", icon: "refresh-cw" },
    ],
  },
  {
    heading: "Storage",
    entries: [
      { key: "usage", name: "By kind", icon: "hard-drive" },
      { key: "lfs", name: "Git LFS", icon: "file-archive" },
    ],
  },
  { heading: "Last", entries: [{ key: "danger", name: "Danger zone", icon: "triangle-alert" }] },
];

export type SettingsKey = (typeof groups)[number]["entries"][number]["key"];

/** The address of a page of a repository's settings. */
export function settingsLink(root: string, access: RepositoryAccess, below = ""): string {
  return `${repositoryLink(root, access)}/settings${below === "" ? "" : `/${below}`}`;
}

/** A page of a repository's settings: the list of them beside its content. */
export function settingsPage(
  visit: Visit,
  access: RepositoryAccess,
  key: SettingsKey,
  page: Omit<Page, "body"> & { about?: Html | string; body: Html; tools?: Html | null },
): Page {
  const { title, about = null, tools = null, body, ...rest } = page;
  const link = (entry: Entry) =>
    html`<a href="${settingsLink(visit.root, access, entry.key)}"${entry.key === key && html` aria-current="page"`}>${icon(visit, entry.icon)}${entry.name}</a>`;
  const isOwner = offers(visit, owns);
  const isShown = ({ isForOwner = false }: Entry) => isOwner || !isForOwner;
  const list = groups.map(
    ({ heading, entries }) =>
      html`${heading !== null && html`<h2>${heading}</h2>`}${entries.filter(isShown).map(link)}`,
  );
  return {
    ...rest,
    title: `${title} · Settings of ${access.owner.name}/${access.repository.name}`,
    place: { tab: "settings" },
    body: html`<div class="columns left"><nav class="nav" aria-label="Settings">${list}</nav>
      <div class="stack"><div class="split flow"><div><h1>${title}</h1>${about !== null && html`<p class="soft">${about}</p>`}</div>${tools}</div>${body}</div></div>`,
  };
}
