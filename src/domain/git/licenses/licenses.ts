import collection from "choosealicense-list/licenses.json" with { type: "json" };

/** A license whose text can be put into a repository. */
export interface License {
  /** Its SPDX identifier. */
  key: string;
  name: string;
  /** Instructions for applying it. */
  implementation: string;
  /** The text, with blanks such as `[year]` and `[fullname]`. */
  body: string;
}

const licenses: readonly License[] = Object.values(collection)
  .map((entry) => ({ key: entry["spdx-id"], name: entry.title, implementation: entry.how, body: entry.body }))
  .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
const byLowerKey = new Map(licenses.map((license) => [license.key.toLowerCase(), license]));

/** All licenses, ordered by name. */
export function listLicenses(): readonly License[] {
  return licenses;
}

/** The license of this SPDX identifier in any case; null when there is none. */
export function findLicense(key: string): License | null {
  return byLowerKey.get(key.toLowerCase()) ?? null;
}
