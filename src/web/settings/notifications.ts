import { mailChoices, type MailChoice } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { editUser } from "../../domain/identity/users/edit-user.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/notifications";

const words: Readonly<Record<MailChoice, string>> = {
  enabled: "Everything that I watch, take part in or subscribed to",
  onmention: "Only what mentions me, is assigned to me, or asks for my review",
  andyourown: "Everything, and what I do myself",
  disabled: "Nothing",
};

/** The events about which the user gets mails. */
export function notificationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", path, ownAccount, ({ visit, actor }) => {
      const { notifications: usual } = forge.config.mail;
      const hint = forge.mail.mailer.configured
        ? "The server sends mails to your primary address, after you have confirmed it."
        : "This server sends no mails. An administrator can set up a mail server.";
      const options = mailChoices.map(
        (choice) =>
          html`<label class="choice"><input type="radio" name="choice" value="${choice}"${actor.mailChoice === choice ? html` checked` : null}> ${words[choice]}</label>`,
      );
      return settingsPage(visit, path, {
        title: "Mails",
        body: html`<h1>Mails about issues and pull requests</h1>
          <form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
          <fieldset class="stack s"><legend>Send me mails about</legend>
          <label class="choice"><input type="radio" name="choice" value=""${actor.mailChoice === null ? html` checked` : null}> The default of this server: “${words[usual]}”</label>
          ${options}</fieldset><p class="hint">${hint}</p><button class="button main">Save</button></form>`,
      });
    }),
    page("POST", path, ownAccount, async ({ visit, actor, doer }) => {
      const text = visit.form.text("choice");
      const chosen = mailChoices.find((one) => one === text) ?? null;
      if (chosen === null && text !== "") {
        throw new InvalidInput("Choose one of the offered kinds of mails", "choice");
      }
      const { password_min_length: minimum } = forge.config.auth;
      await forge.change(doer, (work) => editUser(work, actor, { account: { mailChoice: chosen } }, minimum));
      return new Redirect(visit.root + path, "The choice is saved");
    }),
  ];
}
