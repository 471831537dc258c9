import type { Forge } from "../../domain/forge.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";

const pages = [
  { path: "change_password", name: "Password", about: "Change your password. This signs out all your other browsers." },
  { path: "two_factor", name: "Two-factor authentication", about: "Require a code as well as your password." },
  { path: "notifications", name: "Mails", about: "Choose the issues and pull requests that you get mails about." },
  { path: "sessions", name: "Browsers", about: "See where you are signed in, and sign out there." },
  {
    path: "tokens",
    name: "Access tokens",
    about: "Create tokens for git, scripts and CI with exactly the permissions they need.",
  },
  { path: "keys", name: "SSH keys", about: "Add keys for git over SSH." },
  {
    path: "migrations",
    name: "Migrations",
    about: "See the repositories that you migrated from other servers.",
  },
  {
    path: "applications",
    name: "Applications",
    about: "See the applications that may act for you, and register your own.",
  },
] as const;

/** The settings of an account. */
export function settingsPages(_forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/user/settings", ownAccount, ({ visit, actor }) => ({
      title: "Settings",
      body: html`<h1>Settings of ${actor.name}</h1>
        <ul class="list">${pages.map(({ path, name, about }) => html`<li><a href="${visit.root}/user/settings/${path}">${name}</a><p>${about}</p></li>`)}</ul>`,
    })),
  ];
}
