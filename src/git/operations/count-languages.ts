import { countLanguages as countLanguagesOf, type LanguageBytes } from "../languages/count-languages.ts";
import { objectFormat } from "../objects/object-format.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Job } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";

export interface CountLanguagesArgs {
  /** hexadecimal oid of a commit */
  readonly commit: string;
  /** another commit, which may be gone, with its languages: what did not change since need not be looked at */
  readonly known: { readonly commit: string; readonly bytes: LanguageBytes } | null;
}

/** How many bytes of each language a commit has, the most first; null: that is too much to count. Throws MissingObject, CorruptObject, CorruptPack, EngineCancelled. */
export async function countLanguages(
  view: RepositoryView,
  { commit, known }: CountLanguagesArgs,
  caches: EngineCaches,
  job: Job,
): Promise<LanguageBytes | null> {
  using odb = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
  const step = job.throttled();
  const since =
    known !== null && odb.findHex(known.commit) >= 0 ? { tree: rootTree(odb, known.commit), bytes: known.bytes } : null;
  return countLanguagesOf(odb, rootTree(odb, commit), since, (done) => step({ phase: "files", done, total: 0 }));
}
