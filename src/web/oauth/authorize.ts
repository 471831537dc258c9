import {
  readAuthorizationRequest,
  readReplyTo,
  type AuthorizationRequest,
  type ReplyTo,
} from "../../domain/identity/oauth/authorization-request.ts";
import { consentTo, createCode } from "../../domain/identity/oauth/authorize.ts";
import { OauthError } from "../../domain/identity/oauth/errors.ts";
import { findGrant } from "../../domain/identity/oauth/queries.ts";
import { formTargetOf } from "../../domain/identity/oauth/redirect-uri.ts";
import { areGranted } from "../../domain/identity/oauth/scopes.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { nextStep, open, ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { describeScope } from "./describe-scopes.ts";
import { authorizePath } from "./form-targets.ts";

const grantPath = "/login/oauth/grant";

/** An error for the person at the browser: the application's address is unknown, so it is not told. */
function refusalPage(error: OauthError): Page {
  return {
    status: 400,
    title: "The application cannot sign you in",
    body: html`<h1>The application cannot sign you in</h1><p>${error.message}.</p><p>Tell the people who run the application.</p>`,
  };
}

/** Asking people whether an application may act for them. */
export function authorizePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  /** `iss` tells the application which server answers it (RFC 9207). */
  function reply({ redirectUri, state }: ReplyTo, parameters: Record<string, string>): Redirect {
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries({
      ...parameters,
      ...(state === null ? {} : { state }),
      iss: forge.addresses.own.base,
    })) {
      url.searchParams.append(name, value);
    }
    return new Redirect(url.href);
  }

  const refuse = (to: ReplyTo, { error, message }: OauthError) => reply(to, { error, error_description: message });

  /** Runs what needs to know the application; what is wrong is told to it as soon as it is known where it is. */
  async function withApplication(
    parameters: URLSearchParams,
    run: (to: ReplyTo) => Promise<Page | Redirect>,
  ): Promise<Page | Redirect> {
    let to: ReplyTo | null = null;
    try {
      to = await readReplyTo(db, parameters, forge.config.oauth.default_applications);
      return await run(to);
    } catch (error) {
      if (!(error instanceof OauthError)) {
        throw error;
      }
      return to === null ? refusalPage(error) : refuse(to, error);
    }
  }

  function consentPage(
    visit: Visit,
    userName: string,
    { application, redirectUri, scopes }: AuthorizationRequest,
    parameters: URLSearchParams,
  ): Page {
    const target = formTargetOf(redirectUri);
    return {
      title: `Authorize ${application.name}`,
      place: { width: "narrow" },
      formTargets: [target],
      body: html`<h1>Authorize ${application.name}?</h1>
        <p>The application <strong>${application.name}</strong> at <strong>${target}</strong> wants to act for you, <strong>${userName}</strong>. It will be able to:</p>
        <ul>${scopes.map((scope) => html`<li>${describeScope(scope)}</li>`)}</ul>
        <p>You can revoke this at any time in your settings.</p>
        <form method="post" action="${visit.root}${grantPath}">${visit.formField()}
        <input type="hidden" name="request" value="${parameters.toString()}">
        <button name="decision" value="allow">Allow</button> <button class="button danger" name="decision" value="deny">Refuse</button></form>`,
    };
  }

  return [
    page("GET", authorizePath, open, ({ visit, doer, actor }) =>
      withApplication(visit.query, async (to) => {
        const request = readAuthorizationRequest(visit.query, to);
        if (actor === null) {
          if (request.prompt === "none") {
            throw new OauthError("login_required", "Nobody is signed in");
          }
          return new Redirect(
            `${visit.root}${nextStep(visit)}?${new URLSearchParams({ redirect_to: visit.here }).toString()}`,
          );
        }
        const grant = await findGrant(db, to.application.id, actor.id);
        // Anybody can say that they are an application without a secret, so there the person decides each time.
        const isKnown =
          grant !== null &&
          to.application.confidential &&
          request.prompt !== "consent" &&
          areGranted(grant.scopes, request.scopes);
        if (isKnown) {
          return reply(to, { code: await forge.change(doer, (work) => createCode(work, request, grant.id)) });
        }
        if (request.prompt === "none") {
          throw new OauthError("consent_required", "The user has to agree");
        }
        return consentPage(visit, actor.name, request, visit.query);
      }),
    ),
    page("POST", grantPath, ownAccount, ({ visit, doer, actor }) => {
      const parameters = new URLSearchParams(visit.form.text("request"));
      return withApplication(parameters, async (to) => {
        const request = readAuthorizationRequest(parameters, to);
        if (visit.form.text("decision") !== "allow") {
          throw new OauthError("access_denied", "The user refused");
        }
        return reply(to, { code: await forge.change(doer, (work) => consentTo(work, request, actor)) });
      });
    }),
  ];
}
