import type { Token } from "marked";

/**
 * Something that a text names, and that may not exist or not be for everybody: whoever has the text rendered finds out.
 * A further kind, such as an issue, is a member here, a pattern below and a case in the resolver.
 */
export type Reference =
  | { readonly kind: "user"; readonly name: string }
  | { readonly kind: "commit"; readonly digits: string };

/** So many different ones of each kind are looked up, and so many times altogether one is linked; the others stay text. */
const most = { user: 100, commit: 50, links: 2000 } as const;

/** Stand for a reference in a text, with its number between them. Unicode keeps them from ever being characters. */
const opening = "\uFDD0";
const closing = "\uFDD1";
const marks = /[\uFDD0\uFDD1]/g;
const markedReference = /\uFDD0(\d{1,6})\uFDD1/g;

/** Sources of the regular expressions that find references. */
export const patterns = {
  user: String.raw`(?<![\w@./-])@(?<name>[A-Za-z0-9](?:[._-]?[A-Za-z0-9]){0,39})(?![\w@/]|[.-]\w)`,
  commit: String.raw`(?<![\w@./#:-])(?<digits>[0-9a-f]{7,64})(?![\w@/-]|\.\w)`,
} as const;

/** Tokens whose text is shown as it is, or is a link already. */
const untouched: ReadonlySet<string> = new Set(["code", "codespan", "html", "link", "image", "escape"]);

/** Takes out of a text what would pass for a mark of ours. */
export function withoutMarks(text: string): string {
  return text.replace(marks, "\uFFFD");
}

function sourceOf(reference: Reference): string {
  return reference.kind === "user" ? `@${reference.name}` : reference.digits;
}

/** Finds the references of a document, and puts marks in their place. */
export class ReferenceMarks {
  readonly found: Reference[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly counts = { user: 0, commit: 0, links: 0 };
  private readonly pattern: RegExp | null;
  private readonly seen = new WeakSet<object>();

  constructor(kinds: readonly Reference["kind"][]) {
    this.pattern = kinds.length === 0 ? null : new RegExp(kinds.map((kind) => patterns[kind]).join("|"), "g");
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
      const { name, digits } = rest.at(-1) as { name?: string; digits?: string };
      const number = this.numberOf(
        name === undefined ? { kind: "commit", digits: digits ?? "" } : { kind: "user", name },
      );
      return number === null ? source : `${opening}${number}${closing}`;
    });
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
    return putLinks(text, this.found, []);
  }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Puts a link in place of each mark in HTML, where there is an address for its reference; else what stood there. */
export function putLinks(
  html: string,
  references: readonly Reference[],
  addresses: readonly (string | null)[],
): string {
  let links = 0;
  return html.replace(markedReference, (_, digits: string) => {
    const reference = references[Number(digits)];
    if (reference === undefined) {
      return "";
    }
    const source = sourceOf(reference);
    const address = addresses[Number(digits)] ?? null;
    if (address === null || links >= most.links) {
      return source;
    }
    links++;
    const href = address.replace(/[&<>"]/g, (character) => entities[character] ?? "");
    return reference.kind === "user"
      ? `<a href="${href}" class="mention" rel="nofollow">${source}</a>`
      : `<a href="${href}" class="commit" rel="nofollow"><code>${source.slice(0, 10)}</code></a>`;
  });
}
