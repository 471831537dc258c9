import type { Whitespace } from "../../git/diff/ignore-whitespace.ts";
import { findCookie } from "../../http/cookie.ts";
import type { Visit } from "../visit.ts";

/** How a reader sees diffs. */
export interface DiffOptions {
  readonly style: "unified" | "split";
  readonly whitespace: WhitespaceName;
}

/** The family's words for what changes of spaces are shown. */
export const whitespaceNames = {
  "show-all": { words: "Show all changes of spaces", means: "significant" },
  "ignore-change": { words: "Ignore changes in their number", means: "ignore-change" },
  "ignore-eol": { words: "Ignore them at ends of lines", means: "ignore-at-eol" },
  "ignore-all": { words: "Ignore all changes of spaces", means: "ignore" },
} as const satisfies Record<string, { words: string; means: Whitespace }>;

export type WhitespaceName = keyof typeof whitespaceNames;

const cookieName = "diff";
const yearSeconds = 31_536_000;

function styleOf(text: string | null | undefined): DiffOptions["style"] | null {
  return text === "split" || text === "unified" ? text : null;
}

function whitespaceOf(text: string | null | undefined): WhitespaceName | null {
  return text != null && Object.hasOwn(whitespaceNames, text) ? (text as WhitespaceName) : null;
}

/** Reads `?style=` and `?whitespace=`. The browser keeps what was asked for last, in a cookie. */
export function diffOptions(visit: Visit): DiffOptions {
  const [style, whitespace] = (findCookie(visit.request, cookieName) ?? "").split(".");
  const asked = { style: styleOf(visit.query.get("style")), whitespace: whitespaceOf(visit.query.get("whitespace")) };
  const options: DiffOptions = {
    style: asked.style ?? styleOf(style) ?? "unified",
    whitespace: asked.whitespace ?? whitespaceOf(whitespace) ?? "show-all",
  };
  if (asked.style !== null || asked.whitespace !== null) {
    visit.keep(cookieName, `${options.style}.${options.whitespace}`, yearSeconds);
  }
  return options;
}
