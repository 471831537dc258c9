import { RE2JS } from "re2js";

/**
 * The format of `CODEOWNERS`, as Gitea and Forgejo have it. A line is a rule: a regular expression that has to fit a
 * whole path, and those who own such paths, between spaces. `!` before the expression negates it; `@user`, or
 * `@organization/team`; `#` begins a remark; a backslash takes the meaning from the character behind it, so that `\\.`
 * is an expression's `\.`. Invalid lines are skipped, as the family does. Users who may push write the file and the
 * paths, so an expression takes linear time, and all of them together have a bound.
 */

/** The owners of files: names as they were written, each once. */
export interface CodeOwners {
  readonly users: readonly string[];
  readonly teams: readonly { readonly organization: string; readonly team: string }[];
}

interface OwnerRule {
  readonly expression: RE2JS;
  readonly negated: boolean;
  readonly owners: readonly string[];
  /** The work of comparing it with a character. */
  readonly size: number;
}

/** Instructions that the expressions of one file may have in all: half a second to make them. */
const maxInstructions = 50_000;
/**
 * Instructions times characters that comparing may take in all. What people write takes 3 ns for each, and the worst that was found 800:
 * a thousand files and fifty rules of fifty characters are within it.
 */
const maxWork = 50_000_000;
/** The work of making an instruction. */
const workToMake = 1000;
/** Others go on after so much of it. */
const workAtOnce = 100_000;
const maxExpressionCharacters = 1000;

/** Reads the rules of a file in their order. */
function* readRules(text: string): Generator<OwnerRule> {
  let left = maxInstructions;
  for (const line of text.split("\n")) {
    const [pattern, ...owners] = tokensOf(line);
    const negated = pattern?.startsWith("!") === true;
    const source = pattern?.slice(negated ? 1 : 0) ?? "";
    if (owners.length === 0 || largestSize(source) > left) {
      continue;
    }
    const expression = compile(source);
    if (expression !== null) {
      const size = expression.programSize();
      left -= size;
      yield { expression, negated, owners, size };
    }
  }
}

/**
 * Finds the owners of at least one of these paths. Rules that are too costly to compare own nothing. Yields to other
 * work now and then.
 */
export async function findCodeOwners(text: string, paths: readonly string[]): Promise<CodeOwners> {
  const owners = new Set<string>();
  let work = 0;
  let pause = workAtOnce;
  for (const { expression, negated, owners: named, size } of readRules(text)) {
    work += size * workToMake;
    for (const path of paths) {
      work += size * (path.length + 1);
      if (work > maxWork) {
        return sortOwners(owners);
      }
      if (work > pause) {
        pause = work + workAtOnce;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (expression.matches(path) !== negated) {
        named.forEach((name) => owners.add(name));
        break;
      }
    }
  }
  return sortOwners(owners);
}

function sortOwners(names: ReadonlySet<string>): CodeOwners {
  const users: string[] = [];
  const teams: { organization: string; team: string }[] = [];
  for (const name of names) {
    const [first = "", team, ...more] = name.replace(/^@/, "").split("/");
    if (team === undefined) {
      users.push(first);
    } else if (more.length === 0) {
      teams.push({ organization: first, team });
    }
  }
  return { users, teams };
}

/** The words of a line. */
function tokensOf(line: string): string[] {
  const tokens: string[] = [];
  let token = "";
  let escaped = false;
  for (const character of line.trim().replaceAll("\t", " ")) {
    if (escaped) {
      token += character;
      escaped = false;
    } else if (character === "\\") {
      escaped = true;
    } else if (character === "#") {
      break;
    } else if (character !== " ") {
      token += character;
    } else if (token !== "") {
      tokens.push(token);
      token = "";
    }
  }
  return token === "" ? tokens : [...tokens, token];
}

/** How many instructions an expression may become: a repetition `{n}` writes its part n times, one in another multiplies. */
function largestSize(source: string): number {
  if (source.length > maxExpressionCharacters) {
    return Infinity;
  }
  const repeats = [...source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)];
  return repeats.reduce(
    (size, [, least, most]) => size * Math.max(1, Number(least), Number(most ?? 0)),
    source.length + 4,
  );
}

function compile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source);
  } catch {
    return null;
  }
}
