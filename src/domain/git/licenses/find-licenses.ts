import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { TreeItem } from "../../../git/tree/tree-item.ts";
import type { Forge } from "../../spine/forge.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { nextTurn } from "../../../lib/turns.ts";
import { detectLicense } from "./detect-license.ts";

const licenseName = /^(?:un)?licen[sc]e|^copying/i;
/** A repository has one or two of them; of more only the first are read. */
const mostFiles = 20;

/** The licenses of blobs, by their oids. To compare one with all licenses takes a millisecond. */
const detected = new ByteCache<{ key: string | null }>(256 * 1024);

function isLicense({ type, name }: TreeItem): boolean {
  return type === "blob" && licenseName.test(name);
}

/**
 * Returns the SPDX identifiers of the licenses that a commit's root directory holds in files such as LICENSE, COPYING and
 * LICENSE-MIT, in alphabetical order. Texts that are none of the licenses that the server knows are left out.
 */
export async function findLicenses(
  forge: Forge,
  view: RepositoryView,
  commit: string,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await forge.git.contents.find(view, commit, "", { signal, lastCommits: false });
  return found?.kind === "directory" ? readLicenses(forge, view, commit, found.entries) : [];
}

/** Returns the licenses of a root directory, as `findLicenses` does, from entries of it that were read already. */
export async function readLicenses(
  { git }: Forge,
  view: RepositoryView,
  commit: string,
  entries: readonly TreeItem[],
): Promise<string[]> {
  const keys = new Set<string>();
  for (const { path, oid } of entries.filter(isLicense).slice(0, mostFiles)) {
    let found = detected.get(oid);
    if (found === undefined) {
      const bytes = (await git.contents.findFile(view, commit, path))?.bytes ?? null;
      found = { key: bytes === null ? null : detectLicense(Buffer.from(bytes).toString("utf8")) };
      detected.set(oid, found, 64);
      await nextTurn();
    }
    if (found.key !== null) {
      keys.add(found.key);
    }
  }
  return [...keys].toSorted();
}
