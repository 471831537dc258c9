import type { ObjectFormatName } from "../objects/object-format.ts";

/** A repository as the engine knows it: an immutable list of packs under a name. */
export interface RepositoryView {
  /**
   * `<repository>:<generation>`: the first part names the repository (and chooses its worker), the whole changes
   * whenever the list of packs changes.
   */
  readonly key: string;
  readonly format: ObjectFormatName;
  /** absolute paths of `.pack` files, newest first; the `.idx` lies beside each */
  readonly packs: readonly string[];
}

/** The part of a view's key that stays the same over the repository's life. */
export function repositoryOf(key: string): string {
  const colon = key.indexOf(":");
  return colon === -1 ? key : key.slice(0, colon);
}
