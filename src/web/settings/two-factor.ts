import { renderSVG } from "uqr";
import type { Actor } from "../../auth/subject.ts";
import {
  beginTwoFactor,
  confirmTwoFactor,
  removeTwoFactor,
  renewRecoveryCodes,
  type TotpSecret,
} from "../../domain/identity/two-factor/enrolment.ts";
import { findTwoFactor } from "../../domain/identity/two-factor/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { formMessage } from "../errors.ts";
import { html, trusted, type Html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { accountField } from "../parts/account-field.ts";
import { note } from "../parts/note.ts";
import { ago } from "../parts/time.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/two_factor";
const title = "Two-factor authentication";

interface Problem {
  status: number;
  message: string;
}

function frame(visit: Visit, problem: Problem | null, body: Html): Page {
  return settingsPage(visit, path, {
    status: problem?.status ?? 200,
    title,
    body: html`<h1>${title}</h1>${note(visit, "bad", problem === null ? null : `${problem.message}.`)}${body}`,
  });
}

function codeForm(visit: Visit): Html {
  return html`<form class="form" method="post" action="${visit.root}${path}/confirm">${visit.formField()}
    <label for="code">Six-digit code from the authenticator</label>
    <input type="text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>
    <button class="button main">Turn it on</button></form>`;
}

function beginForm(visit: Visit, label: string): Html {
  return html`<form method="post" action="${visit.root}${path}/begin">${visit.formField()}<button class="button main">${label}</button></form>`;
}

/** A form that asks for the password, for what would let somebody at an unlocked screen in for good. */
function passwordForm(visit: Visit, action: string, label: string, danger: boolean): Html {
  return html`<form class="form" method="post" action="${visit.root}${path}/${action}">${visit.formField()}${accountField(visit.actor?.name ?? "")}
    <label for="${action}_password">Your password</label>
    <input type="password" id="${action}_password" name="password" autocomplete="current-password" required>
    <button class="button${danger ? " danger" : ""}">${label}</button></form>`;
}

function enrolment(visit: Visit, { secret, address }: TotpSecret): Html {
  return html`<ol><li>Scan this with an authenticator app, or type the secret into it. It is shown only once.</li></ol>
    <div class="qr" role="img" aria-label="QR code with the secret">${trusted(renderSVG(address, { border: 2 }))}</div>
    <dl class="pairs"><dt>Secret</dt><dd><code class="secret" id="secret">${secret.match(/.{1,4}/g)?.join(" ")}</code></dd>
    <dt>Link</dt><dd><a href="${address}">Open the authenticator on this device</a></dd></dl>
    <ol start="2"><li>Show that it works:</li></ol>${codeForm(visit)}`;
}

function recoveryCodes(visit: Visit, codes: readonly string[]): Html {
  return html`${note(visit, "good", "Two-factor authentication is on.")}
    <p>Keep these recovery codes in a safe place. Each of them lets you in once when you do not have your authenticator. They are shown only once.</p>
    <ul>${codes.map((code) => html`<li><code class="secret">${code}</code></li>`)}</ul>
    <p>git and scripts sign in with <a href="tokens">access tokens</a> now: a password alone is no longer enough.</p>`;
}

/** Turning the second factor on and off. */
export function twoFactorPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const enrolling = (actor: Actor) => ({
    user: actor,
    key: forge.keys.seal,
    issuer: new URL(forge.addresses.own.base).host,
  });

  async function statePage(visit: Visit, actor: Actor, problem: Problem | null): Promise<Page> {
    const state = await findTwoFactor(db, actor.id);
    if (state === null) {
      const about = html`<p>When it is on, you need a code from an authenticator app as well as your password to sign in.</p>`;
      return frame(visit, problem, html`${about}${beginForm(visit, "Set it up")}`);
    }
    return frame(
      visit,
      problem,
      html`<p>It has been on since ${ago(visit, state.createdAt)}. ${state.recoveryCodesLeft} of your recovery codes are unused.</p>
        <h2>New recovery codes</h2>${passwordForm(visit, "recovery_codes", "Create new codes", false)}
        <h2>Turn off two-factor authentication</h2>${passwordForm(visit, "disable", "Turn it off", true)}`,
    );
  }

  /** Runs what a form asks for; what is wrong with it is told above the form. */
  async function attempt(visit: Visit, actor: Actor, run: () => Promise<Page>, retry?: Html): Promise<Page> {
    try {
      return await run();
    } catch (error) {
      const problem = formMessage(error);
      if (problem === null) {
        throw error;
      }
      const told = problem.status === 401 ? { ...problem, message: "The password is wrong" } : problem;
      return retry === undefined || problem.status !== 422 ? statePage(visit, actor, told) : frame(visit, told, retry);
    }
  }

  const checkPassword = (visit: Visit, actor: Actor) =>
    forge.identity.checkSignIn(actor.name, visit.form.text("password"), remoteAddressOf(visit.request));

  return [
    page("GET", path, ownAccount, ({ visit, actor }) => statePage(visit, actor, null)),
    page("POST", `${path}/begin`, ownAccount, ({ doer, visit, actor }) =>
      attempt(visit, actor, async () =>
        frame(
          visit,
          null,
          enrolment(visit, await forge.change(doer, (work) => beginTwoFactor(work, enrolling(actor)))),
        ),
      ),
    ),
    page("POST", `${path}/confirm`, ownAccount, ({ doer, visit, actor }) =>
      attempt(
        visit,
        actor,
        async () =>
          frame(
            visit,
            null,
            recoveryCodes(
              visit,
              await forge.change(doer, (work) => confirmTwoFactor(work, enrolling(actor), visit.form.text("code"))),
            ),
          ),
        html`${codeForm(visit)}${beginForm(visit, "Begin again with a new secret")}`,
      ),
    ),
    page("POST", `${path}/recovery_codes`, ownAccount, ({ doer, visit, actor }) =>
      attempt(visit, actor, async () => {
        await checkPassword(visit, actor);
        return frame(
          visit,
          null,
          recoveryCodes(visit, await forge.change(doer, (work) => renewRecoveryCodes(work, actor))),
        );
      }),
    ),
    page("POST", `${path}/disable`, ownAccount, ({ doer, visit, actor }) =>
      attempt(visit, actor, async () => {
        await checkPassword(visit, actor);
        await forge.change(doer, (work) => removeTwoFactor(work, actor));
        return statePage(visit, actor, null);
      }),
    ),
  ];
}
