import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";

/** Whose picture it is. */
export interface Pictured {
  readonly name: string;
  readonly fullName: string;
  readonly kind: string;
  readonly avatarSha256: Uint8Array | null;
}

export type AvatarSize = "s" | "me" | "m" | "l" | "xl";

/** White text reads well on each of them. */
const grounds = [
  "#3f6fb5",
  "#8a6a2f",
  "#7d5aa6",
  "#2f7d70",
  "#a6526b",
  "#5c6b7a",
  "#4a5a8a",
  "#4f7d3a",
  "#9a5a3c",
  "#456f8f",
];

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const letters = (
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 2)
  ).join("");
  return letters.toLocaleUpperCase("en");
}

/** The first letters of a name on a ground that the name decides: nothing has to be loaded. */
export function letterAvatar(name: string, text: string, classes: string): Html {
  const ground = grounds[Bun.hash.crc32(name.toLowerCase()) % grounds.length] ?? "";
  return html`<svg class="avatar ${classes}" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" fill="${ground}"/><text x="10" y="13.1" text-anchor="middle" font-size="8.6" font-weight="600" fill="#fff">${initials(text)}</text></svg>`;
}

/** The picture of a user or an organization: the one that they uploaded, else their letters. Their name stands beside it. */
export function avatar({ root }: Reader, owner: Pictured, size: AvatarSize = "s"): Html {
  const classes = owner.kind === "organization" ? `${size} square` : size;
  const { avatarSha256: sha256 } = owner;
  return sha256 === null
    ? letterAvatar(owner.name, owner.fullName === "" ? owner.name : owner.fullName, classes)
    : html`<img class="avatar ${classes}" src="${root}/avatars/${Buffer.from(sha256).toString("hex")}" alt="" loading="lazy">`;
}
