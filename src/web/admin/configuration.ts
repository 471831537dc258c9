import type { SettingSource } from "../../config/config.ts";
import { Settings } from "../../config/settings.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { cardTable } from "../parts/table.ts";
import { administersServer, adminPage } from "./admin-page.ts";

const columns = [{ name: "Setting", whole: true }, { name: "Value" }, { name: "From" }, { name: "Meaning" }];

const sourceNames: Readonly<Record<SettingSource, string>> = {
  file: "the file",
  environment: "the environment",
  command: "the command",
};

/** Settings whose values open something. An address of a database may have a password in it. */
const isSecret = (name: string) => /password|secret|token|^database\.url$/.test(name);

function shown(name: string, value: unknown): Html {
  if (isSecret(name)) {
    return value === "" ? html`<span class="soft">not set</span>` : html`<span class="soft">set, not shown</span>`;
  }
  const text = JSON.stringify(value);
  return html`<code>${text}</code>`;
}

/** The settings as they are, and where each comes from. */
export function adminConfigurationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/-/admin/configuration", administersServer, ({ visit }) => {
      const { config } = forge;
      const sections = Object.entries(Settings.properties).map(([section, { properties }]) => {
        const values = config[section as keyof typeof Settings.properties] as Record<string, unknown>;
        const rows = Object.entries(properties).map(([key, { description }]) => {
          const name = `${section}.${key}`;
          const source = config.sources.get(name);
          const from =
            source === undefined ? html`<span class="soft">the default</span>` : html`<b>${sourceNames[source]}</b>`;
          return [
            html`<code>${name}</code>`,
            shown(name, values[key]),
            from,
            html`<span class="small">${description ?? ""}</span>`,
          ];
        });
        return html`<section class="stack s"><h2>${section}</h2>${cardTable(columns, rows)}</section>`;
      });
      return adminPage(visit, "configuration", {
        title: "Settings",
        body: html`<p class="soft">${config.file === null ? "The server read no file." : html`The server read <code>${config.file}</code>.`} A setting changes there, in the environment or on the command line, and with the next start. Secrets are not shown.</p>${sections}`,
      });
    }),
  ];
}
