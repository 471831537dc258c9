/** Most bytes of a module zip, and of what is in it. Source of these: golang.org/x/mod/zip. */
export const largestModule = 500 * 1024 * 1024;
/** Most bytes of a go.mod. */
export const largestGoMod = 16 * 1024 * 1024;
/** Most bytes of a LICENSE. */
export const largestLicense = 16 * 1024 * 1024;
