import { textOutsideCode } from "../../../markdown/text-outside-code.ts";
import {
  mostReferences,
  patterns,
  readAddress,
  referenceOf,
  type RepositoryName,
} from "../../../markdown/references.ts";

/** The effect of a reference on an issue. */
export type ReferenceAction = "closes" | "reopens";

/** An issue or a pull request that a text names. */
export interface ReferencedIssue {
  /** null: of the repository that the text belongs to. */
  readonly place: RepositoryName | null;
  readonly number: number;
  /** "!": only a pull request is meant. */
  readonly sign: "#" | "!";
  /** null: it is named and nothing else. */
  readonly action: ReferenceAction | null;
}

/** So many different issues one text can name. */
const mostIssues = 100;

/** The words of the family, right before what they are about. */
const keyword = /(?:^|[\s([{"'])(?:(?<closes>close[sd]?|fix(?:e[sd])?|resolve[sd]?)|reopen(?:s|ed)?):?[ \t]+$/i;
const longestKeyword = 24;

/** Ends where an address in a text does, but for the sign that ends a sentence. */
const address = String.raw`(?<address>https?:\/\/[^\s<>()"'\]]{1,400}[^\s<>()"'\].,:;!?])`;

/**
 * The issues and pull requests that a text names, each once, in the order in which it names them, at most 100: `#1`, `!1`, `smith/anvil#1` and addresses of
 * the server at `server`. Of several actions for one issue the last one counts. References in code do not count. Only the first `mostReferences` are read.
 */
export function referencedIssues(text: string, server: string | null): ReferencedIssue[] {
  const pattern = new RegExp([address, patterns.issue, patterns.number].join("|"), "g");
  const found = new Map<string, ReferencedIssue>();
  let read = 0;
  for (const piece of textOutsideCode(text)) {
    for (const match of piece.matchAll(pattern)) {
      if (read++ >= mostReferences) {
        return [...found.values()];
      }
      const one = nameOf(match.groups ?? {}, server);
      if (one === null) {
        continue;
      }
      const { place, number, sign } = one;
      const before = keyword.exec(piece.slice(Math.max(0, match.index - longestKeyword), match.index));
      const action = before === null ? null : before.groups?.["closes"] === undefined ? "reopens" : "closes";
      const key = `${place === null ? "" : `${place.owner}/${place.repository}`.toLowerCase()}${sign}${number}`;
      const known = found.get(key);
      if (known !== undefined || found.size < mostIssues) {
        found.set(key, { ...one, action: action ?? known?.action ?? null });
      }
    }
  }
  return [...found.values()];
}

function nameOf(
  groups: Readonly<Record<string, string | undefined>>,
  server: string | null,
): Omit<ReferencedIssue, "action"> | null {
  const { address: text } = groups;
  if (text !== undefined) {
    const target = server === null ? null : readAddress(text, server);
    return target === null || "digits" in target
      ? null
      : { place: { owner: target.owner, repository: target.repository }, number: target.number, sign: "#" };
  }
  const reference = referenceOf(groups);
  switch (reference.kind) {
    case "number":
      return { place: null, number: reference.number, sign: reference.sign };
    case "issue":
      return {
        place: { owner: reference.owner, repository: reference.repository },
        number: reference.number,
        sign: reference.sign,
      };
    default:
      return null;
  }
}
