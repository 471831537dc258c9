import type { Token } from "marked";

/** Where an issue or a pull request is: `sign` is "!" where only a pull request is meant. */
interface NumberedThing {
  readonly sign: "#" | "!";
  readonly number: number;
}

/** A repository by the names that a text has. */
export interface RepositoryName {
  readonly owner: string;
  readonly repository: string;
}

/**
 * Something that a text names. It may not exist or may be hidden; the caller of the renderer finds out. A new kind
 * needs a member here, a pattern below and a case in the resolver.
 */
export type Reference =
  | { readonly kind: "user"; readonly name: string }
  | { readonly kind: "commit"; readonly digits: string }
  /** An issue or a pull request of the repository that the text is in: `#1`, `!1`. */
  | ({ readonly kind: "number" } & NumberedThing)
  /** One of any repository: `smith/anvil#1`. */
  | ({ readonly kind: "issue" } & NumberedThing & RepositoryName)
  /** The address of an issue, a pull request, a comment or a commit of this server. */
  | ({ readonly kind: "address"; readonly address: string } & Addressed);

type Addressed = RepositoryName &
  ({ readonly number: number; readonly comment: string | null } | { readonly digits: string });

/** The target of a reference: an address, and the text to show if it differs from the one in the document. */
export interface FoundReference {
  readonly address: string;
  readonly text?: string;
}

/** The references to look for in a text. */
export interface WantedReferences {
  readonly kinds: readonly Reference["kind"][];
  /** The address of this server, without a slash at its end. Needed for addresses only. */
  readonly server?: string;
}

/** So many different ones of each kind are looked up, and so many times altogether one is linked; the others stay text. */
const most = { user: 100, commit: 50, number: 100, issue: 100, address: 100, links: 2000 } as const;

/** So many references of a text are read for what follows from them (see referencedIssues, mentionedNames), however often they name the same. */
export const mostReferences = 2000;

/**
 * Stand for a reference in a text, with its number between them. Unicode keeps them from ever being characters. The next two stand for a formula
 * (`formulas.ts`).
 */
const opening = "\uFDD0";
const closing = "\uFDD1";
const marks = /[\uFDD0-\uFDD3]/g;
const markedReference = /\uFDD0(\d{1,6})\uFDD1/g;

/** Sources of the regular expressions that find references. */
export const patterns = {
  user: String.raw`(?<![\w@./-])@(?<name>[A-Za-z0-9](?:[._-]?[A-Za-z0-9]){0,39})(?![\w@/]|[.-]\w)`,
  commit: String.raw`(?<![\w@./#:-])(?<digits>[0-9a-f]{7,64})(?![\w@/-]|\.\w)`,
  number: String.raw`(?<![\w@./#!&?-])(?<sign>[#!])(?<number>[1-9]\d{0,8})(?![\w@/#-]|\.\w)`,
  issue: String.raw`(?<![\w@./#!&?-])(?<owner>\w[\w.-]{0,39})\/(?<repository>[\w.-]{1,100})(?<ofSign>[#!])(?<ofNumber>[1-9]\d{0,8})(?![\w@/#-]|\.\w)`,
} as const;

/** The path of an issue, a pull request, one of their comments, or a commit, after the address of this server. */
const page =
  /^\/(?<owner>[\w.-]{1,40})\/(?<repository>[\w.-]{1,100})\/(?:(?:issues|pulls)\/(?<number>[1-9]\d{0,8})(?:#issuecomment-(?<comment>\d{1,15}))?|commit\/(?<digits>[0-9a-f]{7,64}))$/;

/** Reads the address of a page of this server; null if it leads to none of these. */
export function readAddress(address: string, server: string): Addressed | null {
  const groups = address.startsWith(`${server}/`) ? page.exec(address.slice(server.length))?.groups : undefined;
  const { owner, repository, number, comment, digits } = groups ?? {};
  if (owner === undefined || repository === undefined) {
    return null;
  }
  return digits === undefined
    ? { owner, repository, number: Number(number), comment: comment ?? null }
    : { owner, repository, digits };
}

/** The reference that a match of `patterns` is. */
export function referenceOf(groups: Readonly<Record<string, string | undefined>>): Reference {
  const { name, digits, sign, number, owner = "", repository = "", ofSign, ofNumber } = groups;
  if (name !== undefined) {
    return { kind: "user", name };
  }
  if (number !== undefined) {
    return { kind: "number", sign: sign === "!" ? "!" : "#", number: Number(number) };
  }
  return ofNumber === undefined
    ? { kind: "commit", digits: digits ?? "" }
    : { kind: "issue", owner, repository, sign: ofSign === "!" ? "!" : "#", number: Number(ofNumber) };
}

/** Tokens whose text is shown as it is, or is a link already. */
const untouched: ReadonlySet<string> = new Set(["code", "codespan", "html", "link", "image", "escape", "formula"]);

/** Takes out of a text what would pass for a mark of ours. */
export function withoutMarks(text: string): string {
  return text.replace(marks, "\uFFFD");
}

function sourceOf(reference: Reference): string {
  switch (reference.kind) {
    case "user":
      return `@${reference.name}`;
    case "commit":
      return reference.digits;
    case "number":
      return `${reference.sign}${reference.number}`;
    case "issue":
      return `${reference.owner}/${reference.repository}${reference.sign}${reference.number}`;
    case "address":
      return reference.address;
  }
}

/** Finds the references of a document, and puts marks in their place. */
export class ReferenceMarks {
  readonly found: Reference[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly counts = { user: 0, commit: 0, number: 0, issue: 0, address: 0, links: 0 };
  private readonly pattern: RegExp | null;
  private readonly seen = new WeakSet<object>();

  /** The address of this server; null: its pages are not looked for. */
  private readonly server: string | null;

  constructor({ kinds, server }: WantedReferences) {
    const sources = kinds.flatMap((kind) => (kind === "address" ? [] : [patterns[kind]]));
    this.pattern = sources.length === 0 ? null : new RegExp(sources.join("|"), "g");
    this.server = kinds.includes("address") ? (server ?? null) : null;
  }

  /** Puts marks into the texts of tokens, whatever they are in. */
  mark(value: unknown): void {
    if (this.pattern === null || typeof value !== "object" || value === null || this.seen.has(value)) {
      return;
    }
    this.seen.add(value);
    if (Array.isArray(value)) {
      value.forEach((item) => this.mark(item));
      return;
    }
    const token = value as Partial<Token> & Record<string, unknown>;
    if (token.type === "link" && this.server !== null) {
      this.markAddress(token, this.server);
    }
    if (untouched.has(token.type ?? "")) {
      return;
    }
    const { text } = token;
    if (token.type === "text" && token["tokens"] === undefined && typeof text === "string") {
      Object.assign(token, { text: this.markText(text) });
      return;
    }
    Object.values(token).forEach((item) => this.mark(item));
  }

  private markText(text: string): string {
    return text.replace(this.pattern!, (source, ...rest) => {
      const number = this.numberOf(referenceOf(rest.at(-1) as Record<string, string | undefined>));
      return number === null ? source : `${opening}${number}${closing}`;
    });
  }

  /** An address that stands there as such, which is a link to itself. */
  private markAddress(token: Partial<Token> & Record<string, unknown>, server: string): void {
    const { href, text } = token;
    const target = typeof href === "string" && href === text ? readAddress(href, server) : null;
    const number = target === null ? null : this.numberOf({ kind: "address", address: String(href), ...target });
    if (number !== null) {
      Object.assign(token, { type: "text", text: `${opening}${number}${closing}`, tokens: undefined });
    }
  }

  private numberOf(reference: Reference): number | null {
    if (this.counts.links >= most.links) {
      return null;
    }
    const source = sourceOf(reference);
    let number = this.numbers.get(source);
    if (number === undefined) {
      if (this.counts[reference.kind] >= most[reference.kind]) {
        return null;
      }
      this.counts[reference.kind]++;
      number = this.found.push(reference) - 1;
      this.numbers.set(source, number);
    }
    this.counts.links++;
    return number;
  }

  /** A text as it was before. */
  restore(text: string): string {
    return text.replace(markedReference, (_, digits: string) => {
      const reference = this.found[Number(digits)];
      return reference === undefined ? "" : sourceOf(reference);
    });
  }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? "");
}

/** Puts a link in place of each mark in HTML, where its reference was found; else what stood there. */
export function putLinks(
  html: string,
  references: readonly Reference[],
  found: readonly (FoundReference | null)[],
): string {
  let links = 0;
  return html.replace(markedReference, (_, digits: string) => {
    const reference = references[Number(digits)];
    if (reference === undefined) {
      return "";
    }
    const source = sourceOf(reference);
    const target = found[Number(digits)] ?? null;
    if (target === null || links >= most.links) {
      return reference.kind === "address"
        ? `<a href="${escapeText(source)}" rel="nofollow">${escapeText(source)}</a>`
        : source;
    }
    links++;
    return linkOf(reference, escapeText(target.address), escapeText(target.text ?? source));
  });
}

function linkOf(reference: Reference, href: string, text: string): string {
  if ("digits" in reference) {
    return `<a href="${href}" class="commit" rel="nofollow"><code>${text.slice(0, 10)}</code></a>`;
  }
  const kind = reference.kind === "user" ? "mention" : "ref-issue";
  return `<a href="${href}" class="${kind}" rel="nofollow">${text}</a>`;
}
