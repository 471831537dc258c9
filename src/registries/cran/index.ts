import type { PackageAbout } from "../../db/schema/packages.ts";
import { aboutPackage } from "../../domain/packages/about.ts";
import type { NewStanza } from "../../domain/packages/index-queries.ts";
import type { IndexFormat } from "../../domain/packages/package-indexes.ts";
import type { Description } from "./parse.ts";

/** The one part of an index of R packages. */
const part = "PACKAGES";

/** Which packages: sources, or those built for a platform and a version of R. */
export type Kind = "source" | { readonly platform: string; readonly rVersion: string };

/** The name of the index of a kind. Files of the kind have it as their place. */
export function indexNameOf(kind: Kind): string {
  return kind === "source" ? "src" : `bin/${kind.platform}/${kind.rVersion}`;
}

const list = (values: readonly string[] = []): string => values.join(", ");

/** Returns the record of a file for the index of its kind, PACKAGES. Source: R's `tools::write_PACKAGES`. */
export function stanzaOf(description: Description, kind: Kind, md5: string): NewStanza {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Package", description.name],
    ["Version", description.version],
    ["Depends", list(description.depends)],
    ["Imports", list(description.imports)],
    ["LinkingTo", list(description.linking_to)],
    ["Suggests", list(description.suggests)],
    ["Enhances", list(description.enhances)],
    ["License", description.license],
    ["OS_type", description.os_type],
    ["MD5sum", md5],
    ["NeedsCompilation", description.needs_compilation ? "yes" : "no"],
  ];
  const lines = fields.flatMap(([name, value = ""]) => (value === "" ? [] : [`${name}: ${value}\n`]));
  return { indexName: indexNameOf(kind), part, sort: description.name.toLowerCase(), content: lines.join("") };
}

/** What a package says of itself. */
export function aboutCran(description: Description): PackageAbout {
  return aboutPackage({
    summary: description.title,
    description: description.description?.replaceAll(/\s+/g, " "),
    website: description.project_url?.[0],
    license: description.license,
    maintainer: description.authors?.join(", "),
    relations: [
      { kind: "Depends", names: description.depends },
      { kind: "Imports", names: description.imports },
      { kind: "LinkingTo", names: description.linking_to },
      { kind: "Suggests", names: description.suggests },
      { kind: "Enhances", names: description.enhances },
    ],
  });
}

/** The name of the package that a record is of, as names are compared. */
function packageOf(stanza: string): string {
  return stanza.slice(0, stanza.indexOf("\n")).toLowerCase();
}

/**
 * The records of an index, with a blank line between them: of each package the one that came last. They come in the order of the names, and those of a name
 * in the order in which they came.
 */
export async function* newestOnly(stanzas: AsyncIterable<string>): AsyncGenerator<string> {
  let last: string | null = null;
  let isFirst = true;
  const separated = (stanza: string): string => (isFirst ? stanza : `\n${stanza}`);
  for await (const stanza of stanzas) {
    if (last !== null && packageOf(last) !== packageOf(stanza)) {
      yield separated(last);
      isFirst = false;
    }
    last = stanza;
  }
  if (last !== null) {
    yield separated(last);
  }
}

/** How indexes of R packages are written: PACKAGES, and the same compressed. */
export const cranIndex: IndexFormat = {
  type: "cran",
  build: async ({ stanzas, stage, stageGzip }) => [
    await stage("PACKAGES", newestOnly(stanzas(part))),
    await stageGzip("PACKAGES.gz", newestOnly(stanzas(part))),
  ],
};
