import type { Actor } from "../../auth/subject.ts";
import { setPassword } from "../../domain/identity/users/set-password.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { formMessage } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { formTargetsOf } from "../oauth/form-targets.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { accountField } from "../parts/account-field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { enter, stepDoer, wanted, wantedQuery } from "./sessions.ts";
import { serverDoer } from "../../domain/spine/doer.ts";

/** The two fields of a new password. */
export function newPasswordFields(minimum: number): Html {
  return html`<label for="new_password">New password</label>
    <input type="password" id="new_password" name="new_password" autocomplete="new-password" aria-describedby="password_hint" required>
    <p class="hint" id="password_hint">At least ${minimum} characters.</p>
    <label for="repeated">Repeat the new password</label>
    <input type="password" id="repeated" name="repeated" autocomplete="new-password" required>`;
}

/** The new password of a form. Throws InvalidInput when the two fields differ. */
export function readNewPassword(visit: Visit): string {
  const password = visit.form.text("new_password");
  if (password !== visit.form.text("repeated")) {
    throw new InvalidInput("The two new passwords are not the same", "repeated");
  }
  return password;
}

/** Also those whose session lacks nothing but this may be here. */
function visitorOf(visit: Visit): Actor | null {
  return visit.session === null || visit.session.missing === "second-factor" ? null : visit.session.user;
}

/** Changing one's password, by choice or because an administrator wants it. */
export function passwordPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const minimum = forge.config.auth.password_min_length;
  const path = "/user/settings/change_password";

  async function changePage(visit: Visit, problem: { status: number; message: string } | null): Promise<Page> {
    const forced = visit.session?.missing === "change-password";
    return {
      status: problem?.status ?? 200,
      title: "Change the password",
      place: { width: "narrow" },
      formTargets: await formTargetsOf(forge, visit, wanted(visit)),
      body: html`<h1>Change the password</h1>
        ${forced ? html`<p>Somebody else set your password. Choose one of your own before you continue.</p>` : html`<p>This signs out all your other browsers.</p>`}
        ${note(visit, "bad", problem === null ? null : `${problem.message}.`)}
        <form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
        <input type="hidden" name="redirect_to" value="${wanted(visit)}">
        ${accountField(visit.session?.user.name ?? "")}
        <label for="password">Current password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required>
        ${newPasswordFields(minimum)}<button class="button main">Change the password</button></form>
        ${forced ? html`<form method="post" action="${visit.root}/user/logout">${visit.formField()}<button class="link">Sign out</button></form>` : null}`,
    };
  }

  return [
    page("GET", path, open, ({ visit }) =>
      visitorOf(visit) === null
        ? new Redirect(`${visit.root}/user/login${wantedQuery(visit)}`)
        : changePage(visit, null),
    ),
    page("POST", path, open, async ({ visit }) => {
      const user = visitorOf(visit);
      if (user === null) {
        return new Redirect(`${visit.root}/user/login`);
      }
      try {
        const password = readNewPassword(visit);
        const current = visit.form.text("password");
        const { stamp } = await forge.identity.checkSignIn(user.name, current, remoteAddressOf(visit.request));
        if (password === current) {
          throw new InvalidInput("The new password is the same as the current one", "new_password");
        }
        const doer = await stepDoer(forge, user.id, { kind: "password", userId: user.id, stamp });
        await forge.change(doer, (work) =>
          setPassword(work, { username: user.name, password, mustChangePassword: false }, minimum),
        );
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return changePage(
          visit,
          problem.status === 401 ? { ...problem, message: "The current password is wrong" } : problem,
        );
      }
      return enter(forge, visit, serverDoer("sign in with a new password", user), user.id, "signed-in");
    }),
  ];
}
