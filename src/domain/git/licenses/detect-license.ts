import { listLicenses } from "./licenses.ts";

/** How many of each pair of neighbouring words a text has, and how many pairs altogether. */
interface WordPairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Two texts with less in common are not the same license: MIT and MIT-0 have 0.93, AGPL and GPL 0.93. */
const leastLikeness = 0.95;

const named = "SPDX-License-Identifier:";
const endOfTerms = /^\W*end of (?:the )?terms and conditions\W*$/i;
const notice = /^\W*?(?:copyright\b|\(c\)|©)/i;
const yearOrSign = /\d{4}|\[year\]|\(c\)|©/i;
const reserved = /^\W*all rights reserved\W*$/i;

/** The lines that have something in them. */
const linesOf = (text: string): readonly string[] => text.match(/[^\r\n]+/g) ?? [];

/** The identifier that a line names; null for another line. */
function identifierIn(line: string): string | null {
  const at = line.indexOf(named);
  const rest = line.slice(at + named.length).trimStart();
  const [id = ""] = at < 0 ? [] : (/^[A-Za-z0-9.+-]+/.exec(rest) ?? []);
  return id !== "" && !/\w/.test(line.slice(0, at) + rest.slice(id.length)) ? id.toLowerCase() : null;
}

function isNotice(line: string): boolean {
  const [beginning] = notice.exec(line) ?? [];
  return beginning !== undefined && yearOrSign.test(line.slice(beginning.length));
}

/** The copyright line and the instructions after the terms are not compared. */
function wordsOf(text: string): string[] {
  const lines = linesOf(text);
  const end = lines.findIndex((line) => endOfTerms.test(line));
  return (
    lines
      .slice(0, end < 0 ? lines.length : end)
      .filter((line) => !isNotice(line) && !reserved.test(line))
      .join("\n")
      .toLowerCase()
      .replaceAll("licence", "license")
      .replaceAll("https:", "http:")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function pairsOf(text: string): WordPairs {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (let index = 1; index < words.length; index++) {
    const pair = `${words[index - 1]} ${words[index]}`;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(words.length - 1, 0) };
}

/** Returns the likeness of two texts, from 0 to 1 (Sørensen–Dice coefficient). */
function likeness(left: WordPairs, right: WordPairs): number {
  let common = 0;
  for (const [pair, count] of left.counts) {
    common += Math.min(count, right.counts.get(pair) ?? 0);
  }
  return (2 * common) / (left.total + right.total);
}

/** The known texts, made when somebody asks for the first time. That takes about 20 ms. */
let known: readonly { key: string; pairs: WordPairs }[] | null = null;

/**
 * The SPDX identifier of the license that a text is, or that it names in a line `SPDX-License-Identifier:`; null for any
 * other text. Headlines, holders of the copyright and a few changed words do not matter; another clause does.
 */
export function detectLicense(text: string): string | null {
  known ??= listLicenses().map(({ key, body }) => ({ key, pairs: pairsOf(body) }));
  const identifier = linesOf(text)
    .map(identifierIn)
    .find((id) => id !== null);
  const pairs = pairsOf(text);
  let best: { key: string | null; likeness: number } = { key: null, likeness: leastLikeness };
  for (const candidate of known) {
    if (candidate.key.toLowerCase() === identifier) {
      return candidate.key;
    }
    const bound = (2 * Math.min(pairs.total, candidate.pairs.total)) / (pairs.total + candidate.pairs.total);
    const found = bound < best.likeness ? 0 : likeness(pairs, candidate.pairs);
    if (found >= best.likeness) {
      best = { key: candidate.key, likeness: found };
    }
  }
  return best.key;
}
