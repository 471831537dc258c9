import { parseAuthorization } from "../../auth/identify/presented.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isCrossSite } from "../../http/cross-site.ts";
import { rememberNegotiation } from "../../http/negotiate-header.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { html } from "../html.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { enter, stepDoer, wantedQuery } from "./sessions.ts";

export const negotiatePath = "/user/login/negotiate";

/** The page for a browser that has no ticket, or does not send it to this server. */
function noTicketPage(visit: Visit): Page {
  return {
    status: 401,
    title: "No ticket",
    place: { width: "narrow" },
    headers: { "www-authenticate": "Negotiate" },
    body: html`<h1>Your browser sent no ticket</h1><p>It may have none, or may have to be told that it can trust this server with it.</p>
      <p><a href="${visit.root}/user/login${wantedQuery(visit)}">Sign in with a password</a></p>`,
  };
}

/** Signing in with a Kerberos ticket (SPNEGO, RFC 4559), on an address of its own: nobody else is asked for one. */
export function negotiatePages(forge: Forge, page: DeclarePage): PageRoute[] {
  if (forge.config.kerberos.keytab_file === "") {
    return [];
  }
  return [
    page("GET", negotiatePath, open, async ({ visit }) => {
      const { request } = visit;
      const presented = rememberNegotiation(request, parseAuthorization(request.headers.get("authorization")));
      // A page of another site signs nobody in.
      if (presented.kind !== "negotiate" || isCrossSite(request, forge.addresses.own.base)) {
        return noTicketPage(visit);
      }
      const { actor, credential } = await forge.identity.identify(
        { presented, code: null, remoteAddress: remoteAddressOf(request), sudo: null },
        {},
      );
      if (actor === null) {
        return noTicketPage(visit);
      }
      return enter(forge, visit, await stepDoer(forge, actor.id, credential), actor.id, "signed-in");
    }),
  ];
}
