import type { FoundSession } from "../auth/identify/identify-session.ts";
import type { Actor, Credential, OwnerAccess, RepositoryAccess, Subject } from "../auth/subject.ts";
import { newBrowserToken } from "../domain/identity/sessions/start-session.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { appearanceOf, zoneOf, type Appearance } from "./frame/appearance.ts";
import { clearFlashCookie, flashCookie, readFlash } from "./frame/flash.ts";
import type { Reader } from "./frame/reader.ts";
import type { Standing } from "./frame/standing.ts";
import { Form } from "./form.ts";
import { formToken, formTokenField } from "./form-token.ts";
import { html, type Html } from "./html.ts";
import { clearCookie, findCookie, plainCookie, writeCookie } from "../http/cookie.ts";

const draftCookie = "sent";
const longestDraftName = 1000;

/** One request for a page: who comes, what they ask about, and what their browser is given. */
export class Visit implements Reader {
  form = new Form(new URLSearchParams());
  readonly query: URLSearchParams;
  /** Path of the server below its host, without a final slash; empty as a rule. Every link begins with it. */
  readonly root: string;
  readonly isSecure: boolean;
  readonly now = Date.now();
  readonly zone: string;
  /** What the frame shows of the visitor; null until it was asked for. */
  standing: Promise<Standing> | null = null;
  private readonly cookies: string[] = [];
  private formsMade = false;

  constructor(
    private readonly forge: Forge,
    readonly request: Request,
    readonly params: Readonly<Record<string, string>>,
    readonly subject: Subject,
    readonly session: FoundSession | null,
    private browserToken: string | null,
  ) {
    // No text of the database has a NUL, so nothing is found by one.
    this.query = new URLSearchParams(new URL(request.url).search.replaceAll("%00", ""));
    const base = new URL(forge.addresses.own.base);
    this.root = base.pathname.replace(/\/$/, "");
    this.isSecure = base.protocol === "https:";
    this.zone = zoneOf(request);
  }

  get appearance(): Appearance {
    return appearanceOf(this.actor?.theme ?? "");
  }

  /** The user who is completely signed in. */
  get actor(): Actor | null {
    return this.subject.actor;
  }

  get credential(): Credential {
    return this.subject.credential;
  }

  get owner(): OwnerAccess | null {
    return this.subject.owner;
  }

  get repository(): RepositoryAccess | null {
    return this.subject.repository;
  }

  /** The address of the server, by which the visitor called it: without a final slash. */
  get base(): string {
    return this.forge.addresses.base;
  }

  /** The path asked for with its query, as a link that comes back here. */
  get here(): string {
    const { pathname, search } = new URL(this.request.url);
    // Two slashes at the beginning would name another server.
    return this.root + pathname.replace(/^\/+/, "/") + search;
  }

  /** Whether what it is answered is this visitor's alone. */
  get isPrivate(): boolean {
    return this.actor !== null || this.session !== null || this.formsMade;
  }

  /** The hidden field of every form. A browser that has no cookie yet is given one with the page. */
  formField(): Html {
    this.formsMade = true;
    if (this.browserToken === null) {
      this.setBrowserToken(newBrowserToken(), null);
    }
    return html`<input type="hidden" name="${formTokenField}" value="${formToken(this.forge.keys.web, this.browserToken ?? "")}">`;
  }

  /** Gives the browser a new token, from this answer on. */
  setBrowserToken(token: string, maxAgeSeconds: number | null): void {
    this.browserToken = token;
    this.cookies.push(writeCookie(token, this.isSecure, maxAgeSeconds));
  }

  /** Has the browser keep a choice that says nothing about anybody. */
  keep(name: string, value: string, maxAgeSeconds: number): void {
    this.cookies.push(plainCookie(name, value, `${this.root}/`, this.isSecure, maxAgeSeconds));
  }

  clearBrowser(): void {
    this.browserToken = null;
    this.cookies.push(clearCookie(this.isSecure));
  }

  /** Has the next page of this browser say what was done. */
  say(text: string): void {
    this.cookies.push(flashCookie(this.forge.keys.web, text, `${this.root}/`));
  }

  /** What a form did that led here. It is shown once, and not to a page that reads itself again. */
  takeFlash(): string | null {
    if (this.request.headers.has("x-live")) {
      return null;
    }
    const said = readFlash(this.forge.keys.web, this.request);
    if (said !== null) {
      this.cookies.push(clearFlashCookie(`${this.root}/`));
    }
    return said;
  }

  /** Has the next page of this browser drop the draft of what was sent, which `src/web/client/text/kept.ts` kept. */
  dropDraft(): void {
    const place = this.form.text("draft");
    const name = `${this.actor?.name ?? ""} ${this.root}${new URL(this.request.url).pathname}${place === "" ? "" : `#${place}`}`;
    if (name.length <= longestDraftName) {
      this.keep(draftCookie, Buffer.from(name).toString("base64url"), 600);
    }
  }

  /** The draft that was sent; null: none. It is told once. */
  takeDropped(): string | null {
    const name = findCookie(this.request, draftCookie);
    if (name === null) {
      return null;
    }
    this.keep(draftCookie, "", 0);
    return Buffer.from(name, "base64url").toString();
  }

  takeCookies(): string[] {
    return this.cookies.splice(0);
  }
}
