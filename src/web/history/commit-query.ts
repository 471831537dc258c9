import { trimOf } from "../../lib/trim-text.ts";

/** What a search in the history asks for. */
export interface CommitQueryText {
  readonly words: readonly string[];
  readonly author: string;
  readonly committer: string;
  readonly changes: string;
  readonly paths: readonly string[];
  /** seconds */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** A qualifier and a quoted text, or one of both. */
const part = /(?:(author|committer|before|after|path|changes):)?(?:"([^"]*)"?|(\S+))/g;
const mostParts = 20;

/** Seconds of the first moment of a day, or of an instant; null for anything else. */
function readDate(text: string): number | null {
  const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}

/** Reads words and qualifiers. A text is what is wrong with them. */
export function readCommitQuery(text: string): CommitQueryText | string {
  const words: string[] = [];
  const paths: string[] = [];
  const texts = { author: "", committer: "", changes: "" };
  let since: number | undefined;
  let until: number | undefined;
  for (const [, qualifier, quoted, plain] of [...text.matchAll(part)].slice(0, mostParts)) {
    const value = quoted ?? plain ?? "";
    if (value === "") {
      continue;
    }
    switch (qualifier) {
      case undefined:
        words.push(value);
        break;
      case "path":
        paths.push(trimOf(value, "/"));
        break;
      case "before":
      case "after": {
        const seconds = readDate(value);
        if (seconds === null) {
          return `${qualifier}: takes a day such as 2026-01-31, not "${value.slice(0, 40)}"`;
        }
        [since, until] = qualifier === "after" ? [seconds, until] : [since, seconds - 1];
        break;
      }
      default:
        texts[qualifier as keyof typeof texts] = value;
    }
  }
  return { ...texts, words, paths: paths.filter((path) => path !== ""), since, until };
}
