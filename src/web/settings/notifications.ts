import { mailChoices, type MailChoice } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/forge.ts";
import { editUser } from "../../domain/users/edit-user.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";

const path = "/user/settings/notifications";

const words: Readonly<Record<MailChoice, string>> = {
  enabled: "What concerns me: what I watch, take part in or subscribed to",
  onmention: "Only what names me, and what I am asked for",
  andyourown: "What concerns me, and what I do myself",
  disabled: "Nothing",
};

/** Of what somebody gets mails. */
export function notificationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", path, ownAccount, ({ visit, actor }) => {
      const usual = forge.config.mail.notifications;
      const options = mailChoices.map(
        (choice) =>
          html`<label class="choice"><input type="radio" name="choice" value="${choice}"${actor.mailChoice === choice ? html` checked` : null}> ${words[choice]}</label>`,
      );
      return {
        title: "Mails",
        body: html`<h1>Mails about issues and pull requests</h1>
          <form class="stack" method="post" action="${visit.root}${path}">${visit.formField()}
          <fieldset><legend>Send me mails about</legend>
          <label class="choice"><input type="radio" name="choice" value=""${actor.mailChoice === null ? html` checked` : null}> What this server sends to everybody: ${words[usual].toLowerCase()}</label>
          ${options}</fieldset><button>Save</button></form>
          <p class="hint">Mails go to your primary address once it is confirmed. You get none about what you may not see.</p>`,
      };
    }),
    page("POST", path, ownAccount, async ({ visit, actor, doer }) => {
      const text = visit.form.text("choice");
      const chosen = mailChoices.find((one) => one === text) ?? null;
      if (chosen === null && text !== "") {
        throw new InvalidInput("Mails are sent about one of what is offered", "choice");
      }
      const { password_min_length: minimum } = forge.config.auth;
      await forge.change(doer, (work) => editUser(work, actor, { account: { mailChoice: chosen } }, minimum));
      return new Redirect(visit.root + path);
    }),
  ];
}
