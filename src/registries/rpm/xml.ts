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

/** Nearly all paths and names are plain, and lists have millions of them. */
const isPlain = (text: string): boolean => !/[^ -~]|[&<>"]/.test(text);

/** A text as the content of an element; what XML cannot have is left out. */
function xmlText(text: string): string {
  if (isPlain(text)) {
    return text;
  }
  return text.replace(forbidden, "").replace(/[&<>\r]/g, (each) => entities[each]!);
}

/** A text as the value of an attribute, with its name and quotes. */
export function xmlAttribute(name: string, value: string | number): string {
  if (typeof value === "number" || isPlain(value)) {
    return ` ${name}="${value}"`;
  }
  const text = value.replace(forbidden, "");
  return ` ${name}="${text.replace(/[&<>"\t\n\r]/g, (each) => entities[each]!)}"`;
}

/** The most characters of what one package adds to one file of an index. */
const mostCharacters = 16 * 1024 * 1024;

/** Lines of XML, each indented by two blanks a level. Throws BadRpm when they become too many to be kept. */
export class XmlLines {
  #text = "";

  constructor(private readonly most = mostCharacters) {}

  /** An element with this content, or without: then the end of the tag closes it. */
  element(level: number, name: string, attributes: string, content?: string): void {
    this.add(
      `${"  ".repeat(level)}<${name}${attributes}${content === undefined ? "/>" : `>${xmlText(content)}</${name}>`}`,
    );
  }

  add(line: string): void {
    this.#text += `${line}\n`;
    if (this.#text.length > this.most) {
      throw new BadRpm(`its part of an index has more than ${this.most} characters`);
    }
  }

  /** All lines, each with its end. */
  toString(): string {
    return this.#text;
  }
}
