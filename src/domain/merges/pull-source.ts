import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FetchSource } from "../../git/transport/fetch-source.ts";
import type { Forge } from "../forge.ts";
import { fetchSource } from "../refs/fetch-source.ts";
import { isWikiStore } from "../stores/wiki-store.ts";
import { prepareMergeRefs } from "./merge-ref.ts";

/** A repository to be fetched from (`fetchSource`), with the merges of its pull requests. */
export function pullSource(forge: Forge, access: RepositoryAccess, signal: AbortSignal): FetchSource {
  return fetchSource(forge, access, signal, (prefixes) =>
    isWikiStore(access.repository.id) ? Promise.resolve(null) : prepareMergeRefs(forge, access, prefixes),
  );
}
