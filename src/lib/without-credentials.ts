/** An address as far as a message may quote it, also where it could not be read: without all that stands before its last `@`. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1");
}
