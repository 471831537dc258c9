import type { Forge } from "../../domain/spine/forge.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { formMessage } from "../errors.ts";
import { html } from "../html.ts";
import { formTargetsOf } from "../oauth/form-targets.ts";
import { nextStep, open, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { negotiatePath } from "./negotiate.ts";
import { enter, stepDoer, goOn, wanted, wantedQuery } from "./sessions.ts";
import { serverDoer } from "../../domain/spine/doer.ts";
import { endSession } from "../../domain/identity/sessions/start-session.ts";

async function signInPage(
  forge: Forge,
  visit: Visit,
  status: number,
  name: string,
  problem: string | null,
): Promise<Page> {
  // The name of a sign-in that failed stands in its field, so the password is typed next.
  const [atName, atPassword] = name === "" ? [html` autofocus`, null] : [null, html` autofocus`];
  return {
    status,
    formTargets: await formTargetsOf(forge, visit, wanted(visit)),
    title: "Sign in",
    place: { width: "narrow" },
    body: html`<h1>Sign in</h1>${note(visit, "bad", problem)}
      <form class="form" method="post" action="${visit.root}/user/login">${visit.formField()}
      <input type="hidden" name="redirect_to" value="${wanted(visit)}">
      <label for="user_name">User name or e-mail address</label>
      <input type="text" id="user_name" name="user_name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required${atName}>
      <label for="password">Password</label>
      <input type="password" id="password" name="password" autocomplete="current-password" required${atPassword}>
      <button class="button main">Sign in</button></form>
      ${forge.config.kerberos.keytab_file === "" ? null : html`<p><a href="${visit.root}${negotiatePath}${wantedQuery(visit)}">Sign in with Kerberos</a></p>`}
      <p><a href="${visit.root}/user/forgot_password">I forgot my password</a></p>`,
  };
}

/** Signing in with a password, and out. */
export function signInPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/user/login", open, ({ visit }) => {
      if (visit.session?.missing === "change-password") {
        return new Redirect(`${visit.root}${nextStep(visit)}${wantedQuery(visit)}`);
      }
      return visit.actor === null ? signInPage(forge, visit, 200, "", null) : goOn(visit);
    }),
    page("POST", "/user/login", open, async ({ visit }) => {
      const name = visit.form.text("user_name");
      try {
        const { userId, secondFactor, stamp } = await forge.identity.checkSignIn(
          name,
          visit.form.text("password"),
          remoteAddressOf(visit.request),
        );
        const doer = await stepDoer(forge, userId, { kind: "password", userId, stamp });
        return await enter(forge, visit, doer, userId, secondFactor ? "second-factor" : "signed-in");
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return signInPage(
          forge,
          visit,
          problem.status,
          name,
          problem.status === 401 ? "The user name or password is wrong." : `${problem.message}.`,
        );
      }
    }),
    page("POST", "/user/logout", open, async ({ visit }) => {
      const { session } = visit;
      if (session !== null) {
        await forge.change(serverDoer("sign out", session.user), (work) =>
          endSession(work, session.row.userId, session.row.id),
        );
      }
      visit.clearBrowser();
      return new Redirect(`${visit.root}/`);
    }),
  ];
}
