import { describe, expect, test } from "bun:test";
import tokens from "./tokens.css" with { type: "text" };

/** Colours by their names: light, dark. */
type Colours = ReadonlyMap<string, readonly [light: string, dark: string]>;

/** The colours that a rule declares. */
function coloursOf(selector: string): Colours {
  const from = tokens.indexOf(`${selector} {`);
  const rule = tokens.slice(from, tokens.indexOf("}", from));
  return new Map(
    Array.from(
      rule.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g),
      ([, name = "", light = "", dark = ""]) => [name, [light, dark]],
    ),
  );
}

/** WCAG 2.2: the relative luminance of a colour. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

const words = ["text", "code-key", "code-string", "code-number", "code-name", "code-type"];
const grounds = ["page", "panel", "well", "add", "del"];
/** What stands out of these. */
const marks = ["add-word", "del-word", "picked"];

const base = coloursOf(":root");
const more = new Map([...base, ...coloursOf(':root[data-contrast="more"]')]);
const bySystem = new Map([...base, ...coloursOf(":root:not([data-contrast])")]);

describe.each([
  ["the colours of code", base, 4.5, 4.5],
  ["those with more contrast", more, 7, 4.5],
  ["those with more contrast by the system", bySystem, 7, 4.5],
] as const)("%s", (_, colours, onGround, onMark) => {
  test.each([
    ["words", [...words, "faint"], grounds, onGround],
    ["changed words", [...words, "soft"], marks.slice(0, 2), onMark],
    ["selected words", words, marks, onMark],
  ] as const)("can be read: %s", (_name, inks, papers, least) => {
    const faint = inks.flatMap((ink) =>
      papers.flatMap((paper) =>
        ([0, 1] as const)
          .filter((mode) => contrast(colours.get(ink)![mode], colours.get(paper)![mode]) < least)
          .map((mode) => `${ink} on ${paper}, ${mode === 0 ? "light" : "dark"}`),
      ),
    );
    expect(faint).toEqual([]);
  });
});
