import type { OwnerRow } from "../../../auth/subject.ts";
import type { Addresses } from "../../spine/addresses.ts";

/** The names of a template and of the repository made from it. */
interface NamedThing {
  owner: Pick<OwnerRow, "name">;
  name: string;
  description: string;
}

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** The words of a name: "myHTTPServer-v2" has my, HTTP, Server and v2. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** A name in other shapes, by the ending that a variable has for each. */
const shapes: Readonly<Record<string, (text: string) => string>> = {
  SNAKE: (text) => wordsOf(text).join("_").toLowerCase(),
  KEBAB: (text) => wordsOf(text).join("-").toLowerCase(),
  CAMEL: (text) =>
    wordsOf(text)
      .map((word, index) => (index === 0 ? word.toLowerCase() : capitalized(word)))
      .join(""),
  PASCAL: (text) => wordsOf(text).map(capitalized).join(""),
  LOWER: (text) => text.toLowerCase(),
  UPPER: (text) => text.toUpperCase(),
  TITLE: (text) =>
    text.replace(/[\p{L}\p{N}'_]+/gu, (word) => word.toLowerCase().replace(/\p{L}/u, (letter) => letter.toUpperCase())),
};

function shaped(name: string, text: string): [string, string][] {
  return [
    [name, text],
    ...Object.entries(shapes).map(([ending, shape]): [string, string] => [`${name}_${ending}`, shape(text)]),
  ];
}

function ofThing(prefix: string, addresses: Addresses, { owner, name, description }: NamedThing): [string, string][] {
  return [
    ...shaped(`${prefix}_NAME`, name),
    ...shaped(`${prefix}_OWNER`, owner.name),
    [`${prefix}_DESCRIPTION`, description],
    [`${prefix}_LINK`, addresses.repository(owner.name, name)],
    [`${prefix}_HTTPS_URL`, addresses.clone(owner.name, name)],
    [`${prefix}_SSH_URL`, addresses.sshClone(owner.name, name)],
  ];
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** The variables of a template with their values, as the family has them. Days are those of UTC. */
export function templateVariables(
  addresses: Addresses,
  template: NamedThing,
  repository: NamedThing,
  now: Date,
): ReadonlyMap<string, string> {
  return new Map([
    ["YEAR", String(now.getUTCFullYear())],
    ["MONTH", twoDigits(now.getUTCMonth() + 1)],
    ...shaped("MONTH_ENGLISH", months[now.getUTCMonth()] ?? ""),
    ["DAY", twoDigits(now.getUTCDate())],
    ...ofThing("REPO", addresses, repository),
    ...ofThing("TEMPLATE", addresses, template),
  ]);
}

/** So many characters are expanded at once: a few milliseconds. */
const piece = 128 * 1024;

/**
 * Cuts the text into pieces that can be expanded by themselves: each but the first begins with the dollar sign of a
 * variable.
 */
export function* piecesOf(text: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf("$", piece); at > 0; at = text.indexOf("$", Math.max(at + 1, from + piece))) {
    if (text.charAt(at - 1) !== "$") {
      yield text.slice(from, at);
      from = at;
    }
  }
  yield text.slice(from);
}

/**
 * Replaces `$NAME` and `${NAME}`. What is no variable stays as it is, and so does a variable behind one more dollar sign, which goes.
 * `grown` is told how many characters each value adds, before they are there.
 */
export function expand(
  text: string,
  variables: ReadonlyMap<string, string>,
  grown: (characters: number) => void = () => {},
): string {
  return text.replace(/\$(\$?)(?:\{(\w+)\}|(\w+))/g, (whole, escape: string, braced?: string, bare?: string) => {
    const value = variables.get(braced ?? bare ?? "");
    if (value === undefined) {
      return whole;
    }
    grown(value.length);
    return escape === "" ? value : whole.slice(1);
  });
}
