/** The files of one pack lie beside each other: `<name>.pack`, `<name>.idx`, and for some packs `<name>.reach`. */

/** The ending of the file in which `graph/reachability-file.ts` keeps what it knows of a pack. */
export const reachabilityEnding = ".reach";

export function indexPathOf(packPath: string): string {
  return packPath.replace(/\.pack$/, ".idx");
}

export function reachabilityPathOf(packPath: string): string {
  return packPath.replace(/\.pack$/, reachabilityEnding);
}
