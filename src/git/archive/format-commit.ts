import type { Commit } from "../objects/commit.ts";
import type { Signature } from "../objects/signature.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { findByPrefix } from "../tree/find-by-prefix.ts";
import { formatDate, type DateFormat } from "./format-date.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** The shortest oid that is shown, however few objects there are. */
const shortestOid = 7;

/** Which refs lead to a commit. */
export interface Decorations {
  /** full name of the branch that HEAD names, if it leads to the commit */
  readonly head: string | null;
  /** full names of all, in order */
  readonly refs: readonly string[];
}

/**
 * Fills in the placeholders of git's pretty formats (git-log(1), "PRETTY FORMATS") for one commit: oids, persons, dates,
 * message, refs. What it does not know stays as it is, as git leaves what it does not know: relative dates, `%(describe)`,
 * `%(trailers)`, notes, signatures, colours and padding.
 */
export class CommitFormatter {
  readonly #message: { subject: string; body: string; firstLine: string };

  constructor(
    private readonly odb: ObjectDatabase,
    private readonly oid: string,
    private readonly commit: Commit,
    private readonly decorations: Decorations,
  ) {
    this.#message = splitMessage(commit.message);
  }

  format(text: string): string {
    return text.replaceAll(
      /%([-+ ]?)(%|n|x[0-9A-Fa-f]{2}|[ac][nNeElLdDiIst]|[HhTtPpdDmeBsfb])/g,
      (whole, magic: string, placeholder: string) => {
        if (magic === "" || placeholder === "%" || placeholder === "n" || placeholder.startsWith("x")) {
          return magic === "" ? this.#fill(placeholder) : whole;
        }
        const filled = this.#fill(placeholder);
        return filled === "" || magic === "-" ? filled : `${magic === "+" ? "\n" : " "}${filled}`;
      },
    );
  }

  #fill(placeholder: string): string {
    const { commit } = this;
    switch (placeholder) {
      case "%":
        return "%";
      case "n":
        return "\n";
      case "H":
        return this.oid;
      case "h":
        return this.#abbreviate(this.oid);
      case "T":
        return commit.tree;
      case "t":
        return this.#abbreviate(commit.tree);
      case "P":
        return commit.parents.join(" ");
      case "p":
        return commit.parents.map((parent) => this.#abbreviate(parent)).join(" ");
      case "d":
        return this.#decorate(" (", ")");
      case "D":
        return this.#decorate("", "");
      case "m":
        return ">";
      case "e":
        return commit.encoding ?? "";
      case "B":
        return commit.message;
      case "s":
        return this.#message.subject;
      case "f":
        return sanitizeSubject(this.#message.firstLine);
      case "b":
        return this.#message.body;
    }
    if (placeholder.startsWith("x")) {
      return String.fromCharCode(Number.parseInt(placeholder.slice(1), 16));
    }
    return formatPerson(placeholder.startsWith("a") ? commit.author : commit.committer, placeholder.charAt(1));
  }

  #decorate(before: string, after: string): string {
    const { head, refs } = this.decorations;
    const names = refs
      .filter((ref) => ref !== head)
      .map((ref) => (ref.startsWith("refs/tags/") ? `tag: ${shortName(ref)}` : shortName(ref)));
    const all = [...(head === null ? [] : [`HEAD -> ${shortName(head)}`]), ...names.toReversed()];
    return all.length === 0 ? "" : `${before}${all.join(", ")}${after}`;
  }

  /** As long as git expects an abbreviation to stay unique in a repository of this size, and as is unique now. */
  #abbreviate(oid: string): string {
    const bits = Math.floor(Math.log2(Math.max(1, this.odb.size))) + 1;
    let length = Math.max(shortestOid, Math.ceil(bits / 2));
    while (length < oid.length && this.odb.findHex(oid) >= 0 && findByPrefix(this.odb, oid.slice(0, length)) < 0) {
      length++;
    }
    return oid.slice(0, length);
  }
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags|remotes)\//, "");
}

function formatPerson(person: Signature, part: string): string {
  switch (part) {
    case "n":
    case "N":
      return person.name;
    case "e":
    case "E":
      return person.email;
    case "l":
    case "L":
      return person.email.split("@")[0] ?? "";
    default:
      return formatDate(person, part as DateFormat);
  }
}

/** The subject is the first paragraph on one line; the body what comes after it. */
function splitMessage(message: string): { subject: string; body: string; firstLine: string } {
  const text = message.replace(/^(?:[ \t\r\f\v]*\n)+/, "");
  const lines = text.split("\n");
  const blank = lines.findIndex((line) => line.trim() === "");
  const end = blank < 0 ? lines.length : blank;
  const subject = lines
    .slice(0, end)
    .map((line) => line.trimEnd())
    .join(" ");
  const body = lines
    .slice(end + 1)
    .join("\n")
    .replace(/^(?:[ \t\r\f\v]*\n)+/, "");
  return { subject, body, firstLine: lines[0] ?? "" };
}

/** A subject fit for a file's name. */
function sanitizeSubject(line: string): string {
  const name = line
    .replaceAll(/[^A-Za-z0-9._]+/g, "-")
    .replaceAll(/\.+/g, ".")
    .replace(/^-/, "");
  return trimEndOf(name, "-.");
}
