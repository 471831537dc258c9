import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

interface SettingsEntry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly about: string;
}

/** The pages on which people set things about their account, in the order of the list beside each of them. */
export const settingsEntries: readonly SettingsEntry[] = [
  {
    path: "/user/settings/change_password",
    name: "Password",
    icon: "lock",
    about: "Change your password. This signs out all your other browsers.",
  },
  {
    path: "/user/settings/two_factor",
    name: "Two-factor authentication",
    icon: "shield-check",
    about: "Require a code as well as your password.",
  },
  {
    path: "/user/settings/sessions",
    name: "Browsers",
    icon: "globe",
    about: "See where you are signed in, and sign out there.",
  },
  {
    path: "/user/settings/tokens",
    name: "Access tokens",
    icon: "scroll-text",
    about: "Create tokens for git, scripts and CI with exactly the permissions they need.",
  },
  { path: "/user/settings/keys", name: "SSH keys", icon: "key", about: "Add keys for git over SSH." },
  {
    path: "/user/settings/applications",
    name: "Applications",
    icon: "box",
    about: "See the applications that may act for you, and register your own.",
  },
  {
    path: "/user/settings/notifications",
    name: "Mails",
    icon: "bell",
    about: "Choose the issues and pull requests that you get mails about.",
  },
  {
    path: "/user/settings/migrations",
    name: "Migrations",
    icon: "download",
    about: "See the repositories that you migrated from other servers.",
  },
  {
    path: "/user/settings/appearance",
    name: "Appearance",
    icon: "sun",
    about: "Choose light or dark, and how strong the contrast is.",
  },
];

/** A page of the account's settings: the list of them beside its content. `path` is that of its entry. */
export function settingsPage(visit: Visit, path: string, page: Page): Page {
  const { actor, root } = visit;
  const links = settingsEntries.map(
    (entry): Html =>
      html`<a href="${root}${entry.path}"${entry.path === path ? html` aria-current="page"` : null}>${icon(visit, entry.icon)}${entry.name}</a>`,
  );
  return {
    ...page,
    place: {
      crumbs: [
        { name: actor?.name ?? "", href: `${root}/${encodeURIComponent(actor?.name ?? "")}` },
        { name: "Settings", href: `${root}/user/settings` },
      ],
    },
    body: html`<div class="columns left"><nav class="nav" aria-label="Settings">${links}</nav><div class="stack">${page.body}</div></div>`,
  };
}
