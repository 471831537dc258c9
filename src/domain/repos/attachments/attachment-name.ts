import { clip } from "../../../lib/show-value.ts";
import { InvalidAttachment } from "./errors.ts";
import { parseWebAddress } from "../../../lib/web-address.ts";

const longestName = 255;
const longestAddress = 2048;

/** Throws InvalidAttachment for what cannot be the name of a file. */
export function checkAttachmentName(name: string): void {
  if (name === "") {
    throw new InvalidAttachment("The file has no name: send one as name in the query, or as filename of the part");
  }
  if (name.length > longestName || name === "." || name === ".." || /[/\\\p{Cc}]/u.test(name)) {
    throw new InvalidAttachment(
      `name "${clip(name, 80)}" cannot be the name of a file: it must have at most ${longestName} characters, and no slashes or control characters`,
    );
  }
}

/** Returns the address of a file elsewhere. Throws InvalidAttachment for what is no address of the web. */
export function checkExternalUrl(field: string, text: string): string {
  const url = text.length > longestAddress ? null : parseWebAddress(text);
  if (url === null || url.username !== "" || url.password !== "") {
    throw new InvalidAttachment(
      `${field} must be an address that begins with http:// or https://, without a password, not "${clip(text, 80)}"`,
    );
  }
  return url.href;
}

/** Returns what a file elsewhere is called where nobody says it: the last part of its address, else its host. */
export function nameOfExternal(address: string): string {
  const { pathname, hostname } = new URL(address);
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  return last === "" ? hostname : last.slice(0, longestName);
}
