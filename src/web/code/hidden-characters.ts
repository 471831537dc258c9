import { html, trusted, type Html } from "../html.ts";

/*
 * Characters that make a text read otherwise than it runs: some turn the direction of what follows (CVE-2021-42574), others do not
 * show at all.
 */

const turning = "\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069";
const invisible =
  "\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B\\u2060-\\u2065\\u206A-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}";
/** Those that join or part letters belong into many scripts, and into emoji; behind ASCII they hide. */
const joiners = "(?<=[\\u0000-\\u007F])[\\u200C\\u200D]";
const control = "\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u0084\\u0086-\\u009F";

const turningCharacter = new RegExp(`[${turning}]`, "u");
const invisibleCharacter = new RegExp(`[${invisible}]|${joiners}`, "u");
const marked = new RegExp(`[${turning}${invisible}${control}]|${joiners}`, "gu");

/** What a text hides from its reader. */
export interface Hidden {
  readonly turns: boolean;
  readonly isInvisible: boolean;
}

export function hiddenIn(text: string): Hidden {
  // A byte order mark at the beginning is none of them.
  const from = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return { turns: turningCharacter.test(from), isInvisible: invisibleCharacter.test(from) };
}

/** Whether a text hides anything. */
export function hasHidden(text: string): boolean {
  const { turns, isInvisible } = hiddenIn(text);
  return turns || isInvisible;
}

/**
 * The markup of a line with a visible mark at each such character. The character stays, so that what is copied is what the file has;
 * it is isolated, so that it turns nothing. No attribute of the markup may have one.
 */
export function markHidden(line: Html): Html {
  const text = line.text.replaceAll(marked, (character) => mark(character).text);
  return text === line.text ? line : trusted(text);
}

function mark(character: string): Html {
  const name = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return html`<bdi class="hidden" data-is="${name}">${character}</bdi>`;
}
