import type { Action } from "../auth/authorize.ts";
import type { Target } from "../auth/find-subject.ts";
import type { FoundSession } from "../auth/identify/identify-session.ts";
import type { Actor, OwnerAccess, RepositoryAccess } from "../auth/subject.ts";
import { demandTo, guard } from "../domain/spine/guard.ts";
import { permitOn, type Permit } from "../domain/spine/permit.ts";
import { NotFound, SignInRequired } from "../domain/spine/errors.ts";
import { doerOf, type Doer, type UserDoer } from "../domain/spine/doer.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { isCrossSite } from "../http/cross-site.ts";
import { readParams } from "../http/read-params.ts";
import { FairShare } from "../lib/fair-share.ts";
import { readCookie } from "../http/cookie.ts";
import { isUnfinished } from "../lib/request-context.ts";
import { FormRefused, errorPage, notFoundPage } from "./errors.ts";
import { readForm } from "./form.ts";
import { formTokenField, isFormToken } from "./form-token.ts";
import { identifyVisitor } from "../http/identify-visitor.ts";
import { keptPage } from "./kept-form.ts";
import { KeptPages } from "./kept-pages.ts";
import { ownerSuffix, repositorySuffix } from "./name-suffix.ts";
import { bareLayout, layout } from "./frame/layout.ts";
import { noStanding, type Standing } from "./frame/standing.ts";
import { streamAddress } from "./live/seen.ts";
import { prepareReadParts } from "./read-parts.ts";
import { redirectToday } from "./redirect-today.ts";
import { Redirect, encodePage, pageResponse, redirectResponse, type EncodedPage, type Page } from "./respond.ts";
import { Visit } from "./visit.ts";
import { CredentialRevoked } from "../domain/server/look-again.ts";
import { findMarks } from "../domain/identity/social/queries.ts";
import { findRunning } from "../domain/work/times/stopwatch-queries.ts";
import { countNotifications } from "../domain/work/notifications/queries.ts";

/** All that is declared about a page. */
export interface PageSpec {
  /** The action that `authorize` decides about. The path's parameters name the resource. */
  may: Action;
  /** Others are sent to sign in first. */
  signedIn?: true;
  /** Where a form works on an archived repository, too; elsewhere such a repository refuses it. */
  onArchived?: "allowed";
  /**
   * The page shows the past of a repository (its history, or who wrote a line), which takes long to find out: crawlers are kept from it, and
   * strangers where `web.history` says so.
   */
  past?: true;
  /**
   * The address carries a token that says who asks, and for what: mail programs send the form as they like (RFC 8058), from no page of this server.
   * Nothing of the form is read.
   */
  oneClick?: true;
  /** The form has long texts that somebody typed, or files: it may come in parts, and a refusal shows the texts again. */
  longForm?: true;
  /** It answers with bytes or a stream, so nothing is asked that only the frame of a page shows. */
  frameless?: true;
}

/** The arguments of a handler. Everything has been checked. */
interface Given<Spec extends PageSpec> {
  visit: Visit;
  /** The doer for `forge.change`, which checks again what the guard allowed. */
  doer: Spec["signedIn"] extends true ? UserDoer : Doer;
  actor: Spec["signedIn"] extends true ? Actor : Actor | null;
  owner: Spec["may"]["on"] extends "owner" | "organization" ? OwnerAccess : null;
  repository: Spec["may"]["on"] extends "repository" ? RepositoryAccess : null;
}

type Answer = Page | Redirect | Response;

/**
 * Pages of the past that are made at once for all strangers together, who hold half of the places at most: crawlers come from many addresses,
 * and are not to delay those who are signed in.
 */
const pastForStrangers = {
  what: "pages of history for visitors who are not signed in",
  places: 16,
  placesEach: 8,
  waiting: 256,
  waitingEach: 256,
  waitingMs: 10_000,
} as const;

/** What a page of the past says to crawlers that came in spite of robots.txt. */
const forCrawlers = { "x-robots-tag": "noindex, nofollow" };

/** A page's route. `handler` reads the part of Elysia's context that is used; the rest stops here. */
export interface PageRoute {
  method: "GET" | "POST";
  path: string;
  handler: (context: { request: Request; params?: Record<string, string> }) => Promise<Response>;
}

export type DeclarePage = <const Spec extends PageSpec>(
  method: "GET" | "POST",
  path: string,
  spec: Spec,
  handle: (given: Given<Spec>) => Answer | Promise<Answer>,
) => PageRoute;

/** Pages for everybody. */
export const open = { may: { on: "instance", do: "use" } } as const satisfies PageSpec;
/** One's own account. */
export const ownAccount = { may: { on: "account", do: "act-as-self" }, signedIn: true } as const satisfies PageSpec;

/** The code of a repository. */
export const readsCode = { may: { on: "repository", do: "read", unit: "code" } } as const satisfies PageSpec;
export const writesCode = {
  may: { on: "repository", do: "write", unit: "code" },
  signedIn: true,
} as const satisfies PageSpec;
export const readsReleases = { may: { on: "repository", do: "read", unit: "releases" } } as const satisfies PageSpec;
export const writesReleases = {
  may: { on: "repository", do: "write", unit: "releases" },
  signedIn: true,
} as const satisfies PageSpec;
/** Opens pull requests, reviews them and moves them on, as over the API. */
export const movesPulls = {
  may: { on: "repository", do: "participate", unit: "code-of-pulls" },
  signedIn: true,
} as const satisfies PageSpec;
/** Opens issues. */
export const opensIssues = {
  may: { on: "repository", do: "participate", unit: "issues" },
  signedIn: true,
} as const satisfies PageSpec;

/** Returns what a request for the page needs. A session has no scopes. */
function permitOf(spec: PageSpec, method: "GET" | "POST", { owner, repo }: Record<string, string>): Permit {
  const { may, signedIn = false, onArchived } = spec;
  const demand = demandTo(may, method === "GET" ? "read" : "write", [], { signedIn, onArchived });
  return may.on === "repository"
    ? permitOn(demand, { owner, repository: repo?.replace(repositorySuffix, "") })
    : permitOn(demand, { owner: owner?.replace(ownerSuffix, "") });
}

/**
 * Returns what to tell a visitor whose form comes from a page at another address than the server's own, as when a cookie
 * for https is not kept on http; null if the address is not the reason.
 */
function adviceOnAddress({ config, addresses }: Forge, request: Request): string | null {
  const origin = URL.parse(request.headers.get("origin") ?? "");
  if (origin === null || origin.origin === new URL(addresses.own.base).origin) {
    return null;
  }
  const { base_url: base } = config.server;
  if (base !== "") {
    return `The address of this server is ${base}: open that address and send the form there`;
  }
  return origin.host === request.headers.get("host")
    ? null
    : "If the server is behind a proxy, its administrator has to set server.base_url to the address of the proxy";
}

/** The page of the missing step of signing in. null: the visitor has not begun to sign in. */
export function stepPath(missing: FoundSession["missing"]): string {
  switch (missing) {
    case "second-factor":
      return "/user/two_factor";
    case "change-password":
      return "/user/settings/change_password";
    case null:
      return "/user/login";
  }
}

/** The page that a visitor has to finish before signing in is complete. */
export function nextStep(visit: Visit): string {
  return stepPath(visit.session?.missing ?? null);
}

/**
 * The order of a request for a page, the same for every one: who is it; does a form come from a page of ours; may they;
 * then the handler runs. The cookie of a page counts for nothing in the API and git.
 */
export function preparePages(forge: Forge): DeclarePage {
  const strangers = new FairShare(pastForStrangers);
  const kept = new KeptPages(forge.database);

  async function visitOf(request: Request, params: Record<string, string>, target: Target): Promise<Visit> {
    const { subject, session } = await identifyVisitor(forge, request, target);
    return new Visit(
      forge,
      request,
      params,
      subject,
      session,
      readCookie(request, forge.addresses.own.base.startsWith("https:")),
    );
  }

  /** What the frame shows of the visitor. */
  async function askStanding({ subject }: Visit): Promise<Standing> {
    const { actor, repository } = subject;
    if (actor === null) {
      return noStanding;
    }
    const { db } = forge.database;
    const [unread, marks, stopwatch] = await Promise.all([
      countNotifications(db, subject, { statuses: ["unread"], isLater: false }),
      repository === null ? null : findMarks(db, actor.id, repository.repository.id),
      findRunning(db, subject),
    ]);
    return { unread, marks, stopwatch };
  }

  async function respond(visit: Visit, result: Answer, spec: PageSpec): Promise<Response> {
    if (result instanceof Response) {
      return result;
    }
    if (result instanceof Redirect) {
      if (result.said !== null) {
        visit.say(result.said);
      }
      if (spec.longForm === true) {
        visit.dropDraft();
      }
      return redirectResponse(visit.request, result, visit.takeCookies());
    }
    const page = await draw(visit, result, spec);
    return pageResponse(visit.request, page, visit.takeCookies());
  }

  /** A page in its frame. */
  async function draw(visit: Visit, result: Page, spec: PageSpec): Promise<EncodedPage> {
    // A page that tells of a fault asks nothing, because the database may be the reason.
    const isFault = (result.status ?? 200) >= 500;
    const standing = isFault ? noStanding : await (visit.standing ?? askStanding(visit));
    const text = layout(visit, result, standing, streamAddress(forge, visit, result));
    const page = spec.past === true ? { ...result, headers: { ...forCrawlers, ...result.headers } } : result;
    return encodePage(visit.request, text, page, visit.isPrivate);
  }

  /** Answers a stranger with the page that another one was shown, if that is still what it shows; else makes it. */
  async function respondFromKept(visit: Visit, make: () => Promise<Answer>, spec: PageSpec): Promise<Response> {
    const { base } = forge.addresses;
    const moment = await kept.moment();
    const known = kept.find(visit, base, moment);
    if (known !== null) {
      return pageResponse(visit.request, known, []);
    }
    const result = await make();
    if (result instanceof Response || result instanceof Redirect) {
      return respond(visit, result, spec);
    }
    const page = await draw(visit, result, spec);
    const cookies = visit.takeCookies();
    if (page.etag !== null && cookies.length === 0 && !isUnfinished()) {
      kept.keep(visit, base, moment, page);
    }
    return pageResponse(visit.request, page, cookies);
  }

  const readLongForm = prepareReadParts(forge);

  async function readSafely(visit: Visit, { longForm }: PageSpec): Promise<void> {
    const { request } = visit;
    const token = readCookie(request, visit.isSecure);
    if (isCrossSite(request, forge.addresses.own.base)) {
      throw new FormRefused(adviceOnAddress(forge, request));
    }
    visit.form = longForm === true ? await readLongForm(request, visit.actor !== null) : await readForm(request);
    if (!isFormToken(forge.keys.web, token, visit.form.text(formTokenField))) {
      throw new FormRefused(adviceOnAddress(forge, request));
    }
  }

  async function answer(
    visit: Visit,
    method: "GET" | "POST",
    spec: PageSpec,
    handle: (given: never) => Answer | Promise<Answer>,
  ): Promise<Response> {
    if (method === "POST" && spec.oneClick !== true) {
      await readSafely(visit, spec);
    }
    const identify = async (target: Target) => (await identifyVisitor(forge, visit.request, target)).subject;
    const permit = { ...permitOf(spec, method, visit.params), named: { what: "page", name: visit.here } };
    const moving = method === "GET" ? { formerNames: forge.formerNames, identify } : null;
    const { subject, moved } = await guard(visit.subject, permit, moving);
    if (moved) {
      return respond(visit, redirectToday(visit, subject), spec);
    }
    const { actor, owner, repository } = subject;
    if (spec.past === true && actor === null && forge.config.web.history === "signed-in") {
      throw new SignInRequired();
    }
    const make = async () => {
      using _place =
        spec.past === true && actor === null ? await strangers.take("strangers", visit.request.signal) : null;
      if (method === "GET" && spec.frameless !== true) {
        // Beside the first queries of the page, which it shares round trips with. A failure is told where it is awaited.
        visit.standing = askStanding(visit);
        visit.standing.catch(() => {});
      }
      return await handle({ visit, doer: doerOf(subject, permit), actor, owner, repository } as never);
    };
    return method === "GET" && !visit.isPrivate
      ? respondFromKept(visit, make, spec)
      : respond(visit, await make(), spec);
  }

  async function failed(visit: Visit | null, request: Request, error: unknown, spec: PageSpec): Promise<Response> {
    const kept = visit === null || spec.longForm !== true ? null : keptPage(visit, nextStep(visit), error);
    if (visit !== null && kept !== null) {
      return respond(visit, kept, spec);
    }
    if (visit !== null && error instanceof NotFound) {
      return respond(visit, notFoundPage(visit), spec);
    }
    if (visit !== null && (error instanceof SignInRequired || error instanceof CredentialRevoked)) {
      const isPage = visit.request.method !== "POST";
      const back = isPage ? `?${new URLSearchParams({ redirect_to: visit.here }).toString()}` : "";
      return respond(visit, new Redirect(`${visit.root}${nextStep(visit)}${back}`), spec);
    }
    const page = errorPage(forge, request, error, visit?.actor != null);
    const root = new URL(forge.addresses.own.base).pathname.replace(/\/$/, "");
    return visit === null
      ? pageResponse(request, encodePage(request, bareLayout(root, page), page, true), [])
      : respond(visit, page, spec);
  }

  return (method, path, spec, handle) => ({
    method,
    path,
    async handler({ request, params: routed = {} }) {
      let visit: Visit | null = null;
      try {
        const params = readParams(request, routed);
        visit = await visitOf(request, params, permitOf(spec, method, params).target);
        return await answer(visit, method, spec, handle as (given: never) => Answer | Promise<Answer>);
      } catch (error) {
        return await failed(visit, request, error, spec);
      } finally {
        await visit?.form[Symbol.asyncDispose]();
      }
    },
  });
}
