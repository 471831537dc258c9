import type { FoundSession } from "../../auth/identify/identify-session.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { formMessage } from "../errors.ts";
import { html } from "../html.ts";
import { formTargetsOf } from "../oauth/form-targets.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { enter, stepDoer, wanted, wantedQuery } from "./sessions.ts";

const path = "/user/two_factor";

async function codePage(
  forge: Forge,
  visit: Visit,
  problem: { status: number; message: string } | null,
): Promise<Page> {
  return {
    formTargets: await formTargetsOf(forge, visit, wanted(visit)),
    status: problem?.status ?? 200,
    title: "Two-factor authentication",
    place: { width: "narrow" },
    body: html`<h1>Two-factor authentication</h1>${note(visit, "bad", problem === null ? null : `${problem.message}.`)}
      <form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
      <input type="hidden" name="redirect_to" value="${wanted(visit)}">
      <label for="code">Code</label>
      <input type="text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" aria-describedby="code_hint" required autofocus>
      <p class="hint" id="code_hint">The six digits that your authenticator shows now, or one of your recovery codes.</p>
      <button class="button main">Go on</button></form>`,
  };
}

/** Somebody whose password was right, and whose code is due. */
function awaited(visit: Visit): FoundSession | null {
  return visit.session?.missing === "second-factor" ? visit.session : null;
}

/** The second step of signing in. */
export function secondFactorPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", path, open, ({ visit }) =>
      awaited(visit) === null
        ? new Redirect(`${visit.root}/user/login${wantedQuery(visit)}`)
        : codePage(forge, visit, null),
    ),
    page("POST", path, open, async ({ visit }) => {
      const session = awaited(visit);
      if (session === null) {
        return new Redirect(`${visit.root}/user/login${wantedQuery(visit)}`);
      }
      try {
        await forge.identity.checkCode(session.user.id, visit.form.text("code"), remoteAddressOf(visit.request));
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return codePage(forge, visit, problem);
      }
      const doer = await stepDoer(forge, session.user.id, { kind: "session", sessionId: session.row.id });
      return enter(forge, visit, doer, session.user.id, "signed-in");
    }),
  ];
}
