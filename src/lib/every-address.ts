const everyAddress = new Set(["", "0.0.0.0", "::"]);

/** Whether a server that listens on this host listens on every address of its machine. */
export function isEveryAddress(host: string): boolean {
  return everyAddress.has(host);
}
