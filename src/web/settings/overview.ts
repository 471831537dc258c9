import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { settingsEntries, settingsPage } from "./settings-page.ts";

/** What people can set about their account. */
export function settingsPages(_forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/user/settings", ownAccount, ({ visit }) => {
      const items = settingsEntries.map(
        (entry) =>
          html`<li>${icon(visit, entry.icon, "faint")}<div class="grow"><a href="${visit.root}${entry.path}"><b>${entry.name}</b></a><p class="soft">${entry.about}</p></div></li>`,
      );
      return settingsPage(visit, "/user/settings", {
        title: "Settings",
        body: html`<h1>Settings</h1><ul class="panel rows links">${items}</ul>`,
      });
    }),
  ];
}
