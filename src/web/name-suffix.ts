/** Behind a user's name in an address, for their public keys or a feed. No name of an owner ends so (`domain/identity/owners/names.ts`). */
export const ownerSuffix = /\.(keys|gpg|rss|atom)$/i;
/** Behind a repository's name: git's own, or a feed. No name of a repository ends so. */
export const repositorySuffix = /\.(git|rss|atom)$/i;
