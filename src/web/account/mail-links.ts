import { requestPasswordReset, resetPassword } from "../../domain/identity/users/reset-password.ts";
import { verifyEmail } from "../../domain/identity/users/verify-email.ts";
import { describeError } from "../../db/pg-errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { formMessage } from "../errors.ts";
import { html } from "../html.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { newPasswordFields, readNewPassword } from "./password.ts";
import { serverDoer } from "../../domain/spine/doer.ts";

const paths = { verify: "/user/verify-email", forgot: "/user/forgot_password", reset: "/user/reset-password" } as const;

/** The token of the link says who it is, and is used up in the transaction. */
const mailLink = serverDoer("link of a mail");

/** The token of the link, or of the form that its page has. */
function tokenOf(visit: Visit): string {
  return visit.form.text("token") || (visit.query.get("token") ?? "");
}

/** The pages that links in mails open. Opening one changes nothing, because programs that read mails open them too. */
export function mailLinkPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const minimum = forge.config.auth.password_min_length;

  function forgotPage(visit: Visit): Page {
    const title = "A new password";
    if (!forge.mail.mailer.configured) {
      return {
        title,
        place: { width: "narrow" },
        body: html`<h1>${title}</h1><p>This server sends no mails, so it cannot send you a link to a new password. Ask an administrator for one.</p>`,
      };
    }
    return {
      title,
      place: { width: "narrow" },
      body: html`<h1>${title}</h1><p>We send you a link with which you choose a new one.</p>
        <form class="form" method="post" action="${visit.root}${paths.forgot}">${visit.formField()}
        <label for="account">User name or e-mail address</label>
        <input type="text" id="account" name="account" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
        <button class="button main">Send the link</button></form>`,
    };
  }

  function resetPage(visit: Visit, problem: { status: number; message: string } | null): Page {
    return {
      status: problem?.status ?? 200,
      title: "Choose a new password",
      place: { width: "narrow" },
      body: html`<h1>Choose a new password</h1>${note(visit, "bad", problem === null ? null : `${problem.message}.`)}
        <form class="form" method="post" action="${visit.root}${paths.reset}">${visit.formField()}
        <input type="hidden" name="token" value="${tokenOf(visit)}">
        ${newPasswordFields(minimum)}<button class="button main">Set the password</button></form>`,
    };
  }

  return [
    page("GET", paths.verify, open, ({ visit }) => ({
      title: "Confirm an e-mail address",
      place: { width: "narrow" },
      body: html`<h1>Confirm your e-mail address</h1>
        <form method="post" action="${visit.root}${paths.verify}">${visit.formField()}
        <input type="hidden" name="token" value="${tokenOf(visit)}"><button class="button main">It is mine</button></form>`,
    })),
    page("POST", paths.verify, open, async ({ visit }) => {
      const { email } = await forge.change(mailLink, (work) => verifyEmail(work, tokenOf(visit)));
      return { title: "Confirmed", body: html`<h1>Confirmed</h1>${note(visit, "good", `${email} is yours.`)}` };
    }),
    page("GET", paths.forgot, open, ({ visit }) => forgotPage(visit)),
    page("POST", paths.forgot, open, ({ visit }) => {
      if (!forge.mail.mailer.configured) {
        return forgotPage(visit);
      }
      // Not awaited, so that the answer is the same and as fast whether the account exists or not.
      void requestPasswordReset(forge, visit.form.text("account")).catch((error: unknown) =>
        forge.log.error(describeError(error), "A link to a new password could not be made"),
      );
      return {
        title: "A new password",
        body: html`<h1>A new password</h1>${note(visit, "good", "If there is such an account with a confirmed e-mail address, a link is on its way there.")}<p>It may take a few minutes. Look into the folder for unwanted mail, too.</p>`,
      };
    }),
    page("GET", paths.reset, open, ({ visit }) => resetPage(visit, null)),
    page("POST", paths.reset, open, async ({ visit }) => {
      try {
        const password = readNewPassword(visit);
        await forge.change(mailLink, (work) => resetPassword(work, tokenOf(visit), password, minimum));
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return resetPage(visit, problem);
      }
      return {
        title: "Done",
        body: html`<h1>Done</h1>${note(visit, "good", "You have a new password, and are signed out everywhere.")}<p><a href="${visit.root}/user/login">Sign in</a></p>`,
      };
    }),
  ];
}
