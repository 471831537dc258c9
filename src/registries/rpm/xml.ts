import { BadRpm } from "./header.ts";

/** Control characters and others that no XML 1.0 document may have, in whatever form. */
const forbidden = /(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** A text as the content of an element; what XML cannot have is left out. */
export function xmlText(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>\r]/g, (each) => entities[each]!);
}

/** A text as the value of an attribute, with its name and quotes. */
export function xmlAttribute(name: string, value: string | number): string {
  const text = String(value).replace(forbidden, "");
  return ` ${name}="${text.replace(/[&<>"\t\n\r]/g, (each) => entities[each]!)}"`;
}

/** The most characters of what one package adds to one file of an index. */
const mostCharacters = 64 * 1024 * 1024;

/** Lines of XML, each indented by two blanks a level. Throws BadRpm when they become too many to be kept. */
export class XmlLines {
  readonly #lines: string[] = [];
  #characters = 0;

  constructor(private readonly most = mostCharacters) {}

  /** An element with this content, or without: then the end of the tag closes it. */
  element(level: number, name: string, attributes: string, content?: string): void {
    this.add(
      `${"  ".repeat(level)}<${name}${attributes}${content === undefined ? "/>" : `>${xmlText(content)}</${name}>`}`,
    );
  }

  add(line: string): void {
    this.#characters += line.length + 1;
    if (this.#characters > this.most) {
      throw new BadRpm(`its part of an index has more than ${this.most} characters`);
    }
    this.#lines.push(line);
  }

  /** All lines, each with its end. */
  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }
}
