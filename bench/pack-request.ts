/** A request in protocol 2 for a pack with all that the oids (hex) reach. */
export function packRequest(oids: readonly string[]): string {
  return [
    line("command=fetch"),
    "0001",
    line("no-progress"),
    line("ofs-delta"),
    ...oids.map((oid) => line(`want ${oid}`)),
    line("done"),
    "0000",
  ].join("");
}

function line(text: string): string {
  return `${(text.length + 5).toString(16).padStart(4, "0")}${text}\n`;
}
