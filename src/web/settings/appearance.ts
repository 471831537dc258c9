import type { Forge } from "../../domain/spine/forge.ts";
import { editUser } from "../../domain/identity/users/edit-user.ts";
import { contrasts, themeName, themes, type Appearance } from "../frame/appearance.ts";
import { html, type Html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/appearance";

const themeWords = { auto: "As the system has it", light: "Light", dark: "Dark" } as const;
const contrastWords = { auto: "As the system has it", more: "More contrast" } as const;

function choice(name: string, value: string, words: string, isChosen: boolean): Html {
  return html`<label class="choice"><input type="radio" name="${name}" value="${value}"${isChosen ? html` checked` : null}> ${words}</label>`;
}

/** How the pages look to one user. */
export function appearancePages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", path, ownAccount, ({ visit }) => {
      const { appearance } = visit;
      return settingsPage(visit, path, {
        title: "Appearance",
        body: html`<h1>Appearance</h1>
          <form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
          <fieldset class="stack s"><legend>Colours</legend>${themes.map((theme) => choice("theme", theme, themeWords[theme], theme === appearance.theme))}</fieldset>
          <fieldset class="stack s"><legend>Contrast</legend>${contrasts.map((contrast) => choice("contrast", contrast, contrastWords[contrast], contrast === appearance.contrast))}</fieldset>
          <fieldset class="stack s"><legend>Keyboard</legend><label class="choice"><input type="checkbox" name="keys" value="off"${appearance.keys === "off" ? html` checked` : null}> No shortcuts of single keys<small>Ctrl+K still opens the search.</small></label></fieldset>
          <button class="button main">Save</button></form>`,
      });
    }),
    page("POST", path, ownAccount, async ({ visit, actor, doer }) => {
      const { form } = visit;
      const chosen: Appearance = {
        theme: themes.find((one) => one === form.text("theme")) ?? "auto",
        contrast: contrasts.find((one) => one === form.text("contrast")) ?? "auto",
        keys: form.text("keys") === "off" ? "off" : "on",
      };
      const { password_min_length: minimum } = forge.config.auth;
      await forge.change(doer, (work) => editUser(work, actor, { account: { theme: themeName(chosen) } }, minimum));
      return new Redirect(visit.root + path, "The appearance is saved");
    }),
  ];
}
