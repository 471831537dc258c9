/** Behind a user's name in an address, for their public keys. No name of an owner ends so (`domain/identity/owners/names.ts`). */
export const keySuffix = /\.(keys|gpg)$/i;
