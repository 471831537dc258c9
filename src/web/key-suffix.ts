/** Behind a user's name in an address, for their public keys. No name of an owner ends so (`domain/names.ts`). */
export const keySuffix = /\.(keys|gpg)$/i;
