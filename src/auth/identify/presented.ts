import type { Negotiation } from "./negotiate.ts";

/** The credential in a request, not yet checked. */
export type PresentedCredential =
  | { kind: "none" }
  | { kind: "token"; token: string }
  | { kind: "basic"; username: string; password: string }
  | { kind: "proxy"; username: string }
  | { kind: "negotiate"; negotiation: Negotiation }
  | { kind: "unreadable" };

const none: PresentedCredential = { kind: "none" };
const unreadable: PresentedCredential = { kind: "unreadable" };

/** Reads an Authorization header: `token X`, `Bearer X`, `Basic …` (RFC 7617) and `Negotiate …` (RFC 4559). Anything else is unreadable. */
export function parseAuthorization(header: string | null): PresentedCredential {
  if (header === null || header === "") {
    return none;
  }
  const space = header.indexOf(" ");
  const scheme = header.slice(0, space).toLowerCase();
  const rest = header.slice(space + 1).trim();
  if (space < 0 || rest === "") {
    return unreadable;
  }
  if (scheme === "token" || scheme === "bearer") {
    return { kind: "token", token: rest };
  }
  if (scheme === "negotiate") {
    return { kind: "negotiate", negotiation: { token: rest, accepted: null } };
  }
  return scheme === "basic" ? parseBasic(rest) : unreadable;
}

function parseBasic(encoded: string): PresentedCredential {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon < 0
    ? unreadable
    : { kind: "basic", username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
