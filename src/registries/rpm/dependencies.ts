import { compareRpmVersions } from "./compare-versions.ts";
import { BadRpm, type RpmHeader } from "./header.ts";
import { dependencyKinds, type DependencyKind, type RpmDependency } from "./package.ts";

/** Names, flags and versions of each kind, in the order in which createrepo_c reads them: two rules depend on it. */
const sources = [
  { tags: [1047, 1112, 1113], kindOf: () => "provides" },
  { tags: [1054, 1053, 1055], kindOf: () => "conflicts" },
  { tags: [1090, 1114, 1115], kindOf: () => "obsoletes" },
  { tags: [1049, 1048, 1050], kindOf: (flags) => (flags & sense.missingOk ? "recommends" : "requires") },
  { tags: [5049, 5051, 5050], kindOf: () => "suggests" },
  { tags: [5055, 5057, 5056], kindOf: () => "enhances" },
  { tags: [5046, 5048, 5047], kindOf: () => "recommends" },
  { tags: [5052, 5054, 5053], kindOf: () => "supplements" },
  // As SUSE had them before rpm 4.12.
  { tags: [1156, 1158, 1157], kindOf: (flags) => (flags & sense.strong ? "recommends" : "suggests") },
  { tags: [1159, 1161, 1160], kindOf: (flags) => (flags & sense.strong ? "supplements" : "enhances") },
] as const satisfies { tags: readonly [number, number, number]; kindOf: (flags: number) => DependencyKind }[];

const requireNames = 1049;
/** The limit for all kinds together: kernels with a symbol for each of their functions have about 30,000. */
const mostDependencies = 50_000;

/** Bits of a dependency's flags. */
const sense = {
  compared: 0xf,
  /** Needed by a script of the package, or before it is installed. */
  before: (1 << 6) | (1 << 5) | (1 << 7) | (1 << 9) | (1 << 10),
  missingOk: 1 << 19,
  strong: 1 << 27,
};

const flagNames: Readonly<Record<number, RpmDependency["flags"]>> = { 2: "LT", 4: "GT", 8: "EQ", 10: "LE", 12: "GE" };

/**
 * Returns the dependencies of a package by kind, as createrepo_c does: it leaves out those that the package's own files
 * fulfil, and duplicates.
 */
export function readDependencies(
  header: RpmHeader,
  isOwnPrimaryFile: (path: string) => boolean,
): Record<DependencyKind, RpmDependency[]> {
  const found = Object.fromEntries(dependencyKinds.map((kind) => [kind, []])) as unknown as Record<
    DependencyKind,
    RpmDependency[]
  >;
  const provided = new Set<string>();
  let count = 0;
  for (const { tags, kindOf } of sources) {
    const [names, flags, versions] = [header.texts(tags[0]), header.numbers(tags[1]), header.texts(tags[2])];
    if (flags.length !== names.length || versions.length !== names.length) {
      if (flags.length === 0 || versions.length === 0) {
        continue;
      }
      throw new BadRpm(`the tags ${tags.join(", ")} do not have as many values as each other`);
    }
    count += names.length;
    if (count > mostDependencies) {
      throw new BadRpm(`it has more than ${mostDependencies} dependencies`);
    }
    const isRequires = tags[0] === requireNames;
    const requires = isRequires ? new Requires(provided, isOwnPrimaryFile) : null;
    for (let at = 0; at < names.length; at++) {
      const [name = "", flag = 0, evr = ""] = [names[at], flags[at], versions[at]];
      const dependency = makeDependency(name, flag, evr, isRequires);
      if (dependency === null || (requires !== null && !requires.isNeeded(dependency, evr))) {
        continue;
      }
      const kind = kindOf(flag);
      if (tags[0] === 1047) {
        provided.add(keyOf(dependency, evr));
      }
      if (requires !== null && kind === "requires" && requires.isHeld(dependency, evr)) {
        continue;
      }
      found[kind].push(dependency);
    }
    if (requires?.libc) {
      found.requires.push(requires.libc);
    }
  }
  return found;
}

const keyOf = ({ name, flags }: RpmDependency, evr: string): string => `${name}${flags}${evr}`;

/** Returns null for a version whose epoch is no number, as createrepo_c leaves such a dependency out. */
function makeDependency(name: string, flag: number, evr: string, isRequires: boolean): RpmDependency | null {
  const matched = /^(?:([^:]*):)?([^-]*)(?:-(.*))?$/s.exec(evr);
  const [, epoch = "0", version = "", release = ""] = matched ?? [];
  if (!/^\d*$/.test(epoch)) {
    return null;
  }
  return {
    name,
    flags: flagNames[flag & sense.compared] ?? "",
    epoch: evr === "" ? "" : epoch === "" ? "0" : epoch,
    version,
    release,
    isBefore: isRequires && (flag & sense.before) !== 0,
  };
}

/** Which requirements of a package are told to clients. */
class Requires {
  /** The requirement of the C library's newest version: it holds the others. */
  libc: RpmDependency | null = null;
  readonly #last = new Map<string, string>();

  constructor(
    private readonly provided: ReadonlySet<string>,
    private readonly isOwnPrimaryFile: (path: string) => boolean,
  ) {}

  isNeeded(dependency: RpmDependency, evr: string): boolean {
    const { name } = dependency;
    return !(
      // Features of rpm itself.
      name.startsWith("rpmlib(") ||
      (name.startsWith("/") && this.isOwnPrimaryFile(name)) ||
      this.provided.has(keyOf(dependency, evr)) ||
      this.#last.get(name) === stateOf(dependency, evr)
    );
  }

  /** Whether it is not listed where it stands: one of the C library comes at the end. */
  isHeld(dependency: RpmDependency, evr: string): boolean {
    if (dependency.name.startsWith("libc.so.6")) {
      if (this.libc === null || isNewerLibrary(this.libc.name, dependency.name)) {
        this.libc = dependency;
      }
      return true;
    }
    this.#last.set(dependency.name, stateOf(dependency, evr));
    return false;
  }
}

const stateOf = ({ flags, isBefore }: RpmDependency, evr: string): string => `${flags} ${isBefore} ${evr}`;

/** Whether the second of two such as `libc.so.6(GLIBC_2.34)(64bit)` names a newer version than the first. */
function isNewerLibrary(first: string, second: string): boolean {
  const [held, other] = [libraryVersion(first), libraryVersion(second)];
  return other !== null && (held === null || compareRpmVersions(held, other) < 0);
}

/** Returns the part from the first digit within the first parentheses; null if there is none. */
function libraryVersion(name: string): string | null {
  const open = name.indexOf("(");
  const close = name.indexOf(")", open);
  const inside = open < 0 || close < 0 ? "" : name.slice(open + 1, close);
  const digit = inside.search(/\d/);
  return digit < 0 ? null : inside.slice(digit);
}
