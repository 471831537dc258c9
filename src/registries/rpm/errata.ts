import { Type, type Static } from "typebox";
import { InvalidInput } from "../../lib/errors.ts";
import { showValue } from "../../lib/show-value.ts";
import { xmlAttribute, XmlLines } from "./xml.ts";
import { choice, faultsOf, fits } from "../../lib/schema.ts";

/**
 * Advisories: what an update of packages is about, as `dnf updateinfo` shows it. Those of a version are kept as one text in each of
 * its files, so that they go with it; updateinfo.xml has each advisory once, with the packages of all files that have it.
 */

const text = (maxLength: number) => Type.String({ maxLength });
const date = text(40);

const AdvisoryInput = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, pattern: "^[\\x21-\\x2e\\x30-\\x7e]+$" }),
  type: choice(["security", "bugfix", "enhancement", "newpackage"]),
  title: Type.Optional(text(1000)),
  severity: Type.Optional(text(40)),
  description: Type.Optional(text(65_536)),
  summary: Type.Optional(text(65_536)),
  solution: Type.Optional(text(65_536)),
  rights: Type.Optional(text(4096)),
  release: Type.Optional(text(255)),
  from: Type.Optional(text(255)),
  status: Type.Optional(text(40)),
  version: Type.Optional(text(40)),
  issued: Type.Optional(Type.Union([date, Type.Object({ date })])),
  updated: Type.Optional(Type.Union([date, Type.Object({ date })])),
  references: Type.Optional(
    Type.Array(
      Type.Object({
        href: text(2048),
        id: Type.Optional(text(255)),
        title: Type.Optional(text(1000)),
        type: Type.Optional(text(40)),
      }),
      { maxItems: 1000 },
    ),
  ),
  pkglist: Type.Optional(
    Type.Array(
      Type.Object({
        short: Type.Optional(text(255)),
        name: Type.Optional(text(255)),
        packages: Type.Array(
          Type.Object({
            name: text(255),
            version: text(255),
            release: text(255),
            arch: text(40),
            epoch: Type.Optional(text(20)),
            src: Type.Optional(text(600)),
            filename: Type.Optional(text(600)),
          }),
          { maxItems: 10_000 },
        ),
      }),
      { maxItems: 100 },
    ),
  ),
});
const AdvisoriesInput = Type.Array(AdvisoryInput, { minItems: 1, maxItems: 1000 });

/** An advisory as it came, its dates as updateinfo.xml has them, and which packages it is about. */
export type Advisory = Omit<Static<typeof AdvisoryInput>, "issued" | "updated" | "pkglist"> & {
  issued: string;
  updated: string;
  pkglist: NonNullable<Static<typeof AdvisoryInput>["pkglist"]>;
};
export type AdvisedPackage = Advisory["pkglist"][number]["packages"][number];

/** The most characters of all advisories of a file. */
const mostCharacters = 4 * 1024 * 1024;

/** Returns the advisories of a body: one, or a list. Those without a date are of `now`. Throws InvalidInput. */
export async function readAdvisories(body: unknown, now: Date): Promise<Advisory[]> {
  const value = Array.isArray(body) ? body : [body];
  if (value.length > 1000 || !fits(AdvisoriesInput, value)) {
    const [error] = value.length > 1000 ? [] : faultsOf(AdvisoriesInput, value);
    throw new InvalidInput(
      `These are no advisories: ${error === undefined ? "there are more than 1000" : `${error.instancePath || "the list"} ${error.message}`}`,
    );
  }
  const ids = new Set(value.map(({ id }) => id));
  if (ids.size < value.length) {
    throw new InvalidInput("These are no advisories: two have the same id");
  }
  const { Clean } = await import("typebox/value");
  return value.map(({ issued, updated, pkglist = [], ...advisory }) => {
    const first = readDate(issued, now);
    return Object.assign(Clean(AdvisoryInput, advisory) as typeof advisory, {
      issued: first,
      updated: updated === undefined ? first : readDate(updated, now),
      pkglist,
    });
  });
}

/** As "2026-11-23 13:45:00", of UTC. Throws InvalidInput. */
function readDate(value: string | { date: string } | undefined, now: Date): string {
  const told = typeof value === "object" ? value.date : value;
  // A date without a zone is UTC, whatever the server's zone.
  const isBare = told !== undefined && /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d$/.test(told);
  const read = told === undefined ? now : new Date(isBare ? `${told.replace(" ", "T")}Z` : told);
  if (Number.isNaN(read.getTime()) || read.getUTCFullYear() < 1970 || read.getUTCFullYear() > 9999) {
    throw new InvalidInput(`${showValue(told)} is no date such as 2026-11-23 13:45:00`);
  }
  return read.toISOString().slice(0, 19).replace("T", " ");
}

/** The advisories that a file has by its text; none without one. */
export function parseAdvisories(content: string | null): Advisory[] {
  return content === null ? [] : (JSON.parse(content) as Advisory[]);
}

/** The text of a file's advisories; null for none. Throws InvalidInput when they are too many to be kept. */
export function writeAdvisories(advisories: readonly Advisory[]): string | null {
  const content = advisories.length === 0 ? null : `${JSON.stringify(advisories)}\n`;
  if (content !== null && content.length > mostCharacters) {
    throw new InvalidInput(`All advisories of a version have at most ${mostCharacters} characters`);
  }
  return content;
}

/** A file's advisories with these added, which replace those of the same ids. What names no packages is about `own`. */
export function addAdvisories(
  before: readonly Advisory[],
  added: readonly Advisory[],
  own: AdvisedPackage,
): Advisory[] {
  const ids = new Set(added.map(({ id }) => id));
  return [
    ...before.filter(({ id }) => !ids.has(id)),
    ...added.map((advisory) => ({
      ...advisory,
      pkglist: advisory.pkglist.length > 0 ? advisory.pkglist : [{ short: "", name: "", packages: [own] }],
    })),
  ];
}

/** One advisory of what several files say of it: it was updated last where `updated` is the greatest, and is about all their packages. */
export function mergeAdvisories(one: Advisory, other: Advisory): Advisory {
  const [older, newer] = other.updated < one.updated ? [other, one] : [one, other];
  const pkglist = older.pkglist.map(({ short = "", name = "", packages }) => ({
    short,
    name,
    packages: [...packages],
  }));
  for (const { short = "", name = "", packages } of newer.pkglist) {
    const found = pkglist.find((each) => each.short === short && each.name === name);
    const there = new Set(found?.packages.map(keyOf));
    if (found === undefined) {
      pkglist.push({ short, name, packages: [...packages] });
    } else {
      found.packages.push(...packages.filter((each) => !there.has(keyOf(each))));
    }
  }
  return { ...newer, pkglist };
}

const keyOf = ({ name, epoch = "0", version, release, arch }: AdvisedPackage) =>
  [name, epoch, version, release, arch].join(" ");

/**
 * The advisories of texts that can be read twice, each once. Only those that several files have are held, from the first of the
 * files to the last.
 */
export async function* mergedAdvisories(read: () => AsyncIterable<string>): AsyncGenerator<Advisory> {
  const left = new Map<string, number>();
  for await (const content of read()) {
    for (const { id } of parseAdvisories(content)) {
      left.set(id, (left.get(id) ?? 0) + 1);
    }
  }
  const held = new Map<string, Advisory>();
  for await (const content of read()) {
    for (const advisory of parseAdvisories(content)) {
      const { id } = advisory;
      const before = held.get(id);
      const merged = before === undefined ? advisory : mergeAdvisories(before, advisory);
      const more = (left.get(id) ?? 1) - 1;
      left.set(id, more);
      if (more > 0) {
        held.set(id, merged);
      } else {
        held.delete(id);
        yield merged;
      }
    }
  }
}

/** Writes an advisory for updateinfo.xml. Source: the output of createrepo_c, and the reader of libsolv. */
export function advisoryStanza(advisory: Advisory): string {
  const lines = new XmlLines();
  const { from = "", status = "final", type, version = "1" } = advisory;
  lines.add(
    `  <update${xmlAttribute("from", from)}${xmlAttribute("status", status)}${xmlAttribute("type", type)}${xmlAttribute("version", version)}>`,
  );
  lines.element(2, "id", "", advisory.id);
  lines.element(2, "title", "", advisory.title ?? "");
  lines.element(2, "issued", xmlAttribute("date", advisory.issued));
  lines.element(2, "updated", xmlAttribute("date", advisory.updated));
  for (const name of ["rights", "release", "severity", "summary", "description", "solution"] as const) {
    const value = advisory[name] ?? "";
    if (value !== "") {
      lines.element(2, name, "", value);
    }
  }
  lines.add("    <references>");
  for (const { href, id = "", type: kind = "other", title = "" } of advisory.references ?? []) {
    lines.element(
      3,
      "reference",
      xmlAttribute("href", href) + xmlAttribute("id", id) + xmlAttribute("type", kind) + xmlAttribute("title", title),
    );
  }
  lines.add("    </references>");
  lines.add("    <pkglist>");
  for (const { short = "", name = "", packages } of advisory.pkglist) {
    lines.add(`      <collection${xmlAttribute("short", short)}>`);
    lines.element(4, "name", "", name);
    for (const each of packages) {
      addPackage(lines, each);
    }
    lines.add("      </collection>");
  }
  lines.add("    </pkglist>");
  lines.add("  </update>");
  return lines.toString();
}

function addPackage(
  lines: XmlLines,
  { name, version, release, epoch = "0", arch, src = "", filename }: AdvisedPackage,
): void {
  const attributes = [
    ["name", name],
    ["version", version],
    ["release", release],
    ["epoch", epoch],
    ["arch", arch],
    ["src", src],
  ] as const;
  lines.add(`        <package${attributes.map(([key, value]) => xmlAttribute(key, value)).join("")}>`);
  lines.element(5, "filename", "", filename ?? `${name}-${version}-${release}.${arch}.rpm`);
  lines.add("        </package>");
}
