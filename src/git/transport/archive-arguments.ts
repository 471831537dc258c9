import type { ArchiveFormat } from "../archive/archive-request.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** The request of `git archive --remote`. */
export type ArchiveArguments =
  | { readonly kind: "list" }
  | {
      readonly kind: "archive";
      readonly format: ArchiveFormat;
      readonly prefix: string;
      /** a ref, in short or in full, or HEAD */
      readonly ref: string;
      /** of a directory within it; empty for all of it */
      readonly directory: string;
      /** limits within that directory */
      readonly paths: readonly string[];
      readonly level: number | null;
      /** seconds since 1970; null for the commit's own time */
      readonly seconds: number | null;
    };

const formats: ReadonlyMap<string, ArchiveFormat> = new Map([
  ["tar", "tar"],
  ["tar.gz", "tar.gz"],
  ["tgz", "tar.gz"],
  ["zip", "zip"],
] as const);

/** The names of all formats, as `git archive --list` shows them. */
export const formatList = [...formats.keys()].map((name) => `${name}\n`).join("");

/** Reads the options of git-archive(1) that have a meaning for somebody else's repository. Throws ProtocolError. */
export function parseArchiveArguments(words: readonly string[]): ArchiveArguments {
  const plain: string[] = [];
  let format: ArchiveFormat = "tar";
  let prefix = "";
  let level: number | null = null;
  let seconds: number | null = null;
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const equals = word.indexOf("=");
    const option = word.startsWith("--") && equals > 0 ? word.slice(0, equals) : word;
    const value = (): string => (option === word ? (queue.shift() ?? "") : word.slice(equals + 1));
    if (plain.length > 0 || !word.startsWith("-")) {
      // As git: after the first that is no option, the rest is paths.
      plain.push(...(word === "--" ? [] : [word]));
    } else if (option === "--format") {
      format = formatNamed(value());
    } else if (option === "--prefix") {
      prefix = value();
    } else if (option === "--mtime") {
      seconds = secondsOf(value());
    } else if (/^-\d$/.test(word)) {
      level = Number(word.slice(1));
    } else if (word === "-l" || word === "--list") {
      return { kind: "list" };
    } else if (word !== "-v" && word !== "--verbose" && word !== "--") {
      throw new ProtocolError(`The option ${option.slice(0, 80)} is not understood here`);
    }
  }
  const [treeish, ...paths] = plain;
  if (treeish === undefined) {
    throw new ProtocolError("Which branch or tag is to be archived must be given");
  }
  const [ref = "", ...rest] = treeish.split(":");
  return {
    kind: "archive",
    format,
    prefix,
    ref,
    directory: trimSlashes(rest.join(":")),
    paths: paths.map(trimSlashes).filter((path) => path !== "" && path !== "."),
    level,
    seconds,
  };
}

function formatNamed(name: string): ArchiveFormat {
  const format = formats.get(name);
  if (format === undefined) {
    throw new ProtocolError(`Unknown archive format '${name.slice(0, 80)}'`);
  }
  return format;
}

function secondsOf(text: string): number {
  const seconds = Math.floor((/^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text)) / 1000);
  if (!Number.isSafeInteger(seconds) || seconds < 0) {
    throw new ProtocolError(`The time '${text.slice(0, 80)}' is not understood here`);
  }
  return seconds;
}

function trimSlashes(path: string): string {
  return trimEndOf(path.replace(/^(?:\.\/)+/, ""), "/");
}
