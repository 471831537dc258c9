import type { Forge } from "../../domain/forge.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";

const pages = [
  { path: "change_password", name: "Password", about: "Change it; all your other browsers are signed out." },
  { path: "two_factor", name: "Two-factor authentication", about: "Ask for a code beside your password." },
  { path: "notifications", name: "Mails", about: "Of which issues and pull requests you get mails." },
  { path: "sessions", name: "Browsers", about: "Where you are signed in, and how to sign out there." },
  { path: "tokens", name: "Access tokens", about: "For git, scripts and CI: with exactly the rights they need." },
  { path: "keys", name: "SSH keys", about: "For git over SSH." },
  {
    path: "migrations",
    name: "Migrations",
    about: "Repositories that you have brought from elsewhere, and how far they are.",
  },
  { path: "applications", name: "Applications", about: "Which applications may act for you, and your own ones." },
] as const;

/** What somebody can set about their account. */
export function settingsPages(_forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/user/settings", ownAccount, ({ visit, actor }) => ({
      title: "Settings",
      body: html`<h1>Settings of ${actor.name}</h1>
        <ul class="list">${pages.map(({ path, name, about }) => html`<li><a href="${visit.root}/user/settings/${path}">${name}</a><p>${about}</p></li>`)}</ul>`,
    })),
  ];
}
