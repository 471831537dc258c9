import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { FetchSource } from "../../../git/transport/fetch-source.ts";
import type { Forge } from "../../spine/forge.ts";
import { fetchSource } from "../../git/refs/fetch-source.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";
import { prepareMergeRefs } from "../merges/merge-ref.ts";

/** A repository to be fetched from (`fetchSource`), with the merges of its pull requests. */
export function pullSource(forge: Forge, access: RepositoryAccess, signal: AbortSignal): FetchSource {
  return fetchSource(forge, access, signal, (prefixes) =>
    isWikiStore(access.repository.id) ? Promise.resolve(null) : prepareMergeRefs(forge, access, prefixes),
  );
}
