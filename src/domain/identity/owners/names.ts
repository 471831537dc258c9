import { InvalidInput } from "../../../lib/errors.ts";

/** Owner names that are reserved because the server's own paths begin with them. */
const reservedOwnerNames = new Set([
  ".",
  "..",
  ".well-known",
  "-",
  "admin",
  "api",
  "assets",
  "attachments",
  "avatar",
  "avatars",
  "captcha",
  "commits",
  "debug",
  "devtest",
  "error",
  "explore",
  "favicon.ico",
  "ghost",
  "healthz",
  "issues",
  "login",
  "logout",
  "manifest.json",
  "metrics",
  "milestones",
  "new",
  "notifications",
  "oauth",
  "org",
  "organizations",
  "packages",
  "pulls",
  "raw",
  "repo",
  "repo-avatars",
  "robots.txt",
  "search",
  "settings",
  "stars",
  "swagger.v1.json",
  "user",
  "users",
  "v2",
]);

/** Suffixes that are reserved for paths of the server. */
const reservedSuffix = /\.(git|wiki|rss|atom|keys|gpg|png)$/i;

const ownerName = /^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$/;
const repositoryName = /^[A-Za-z0-9._-]+$/;

/** Throws InvalidInput if a user or organization cannot have this name. */
export function checkOwnerName(name: string, field = "username"): void {
  if (name.length < 1 || name.length > 40) {
    throw new InvalidInput(`The name "${name.slice(0, 60)}" must have between 1 and 40 characters`, field);
  }
  // Letters of other alphabets look like these and would make one name pass for another.
  const foreign = [...name].find((character) => character > "\x7e" || character < "\x20");
  if (foreign !== undefined) {
    const code = foreign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    throw new InvalidInput(
      `The name "${name}" has the character ${foreign < "\x20" ? "" : `"${foreign}" `}(U+${code}): names have the letters a to z only, and digits, ".", "-" and "_"`,
      field,
    );
  }
  if (!ownerName.test(name)) {
    throw new InvalidInput(
      `The name "${name}" may have letters, digits and single ".", "-" and "_" between them`,
      field,
    );
  }
  if (reservedOwnerNames.has(name.toLowerCase()) || reservedSuffix.test(name)) {
    throw new InvalidInput(`The name "${name}" is reserved`, field);
  }
}

/** Throws InvalidInput if a repository cannot have this name. */
export function checkRepositoryName(name: string): void {
  if (name.length < 1 || name.length > 100) {
    throw new InvalidInput(`The name "${name.slice(0, 60)}" must have between 1 and 100 characters`, "name");
  }
  if (!repositoryName.test(name)) {
    throw new InvalidInput(`The name "${name}" may have letters, digits, ".", "-" and "_" only`, "name");
  }
  if (name === "." || name === ".." || name === "-" || reservedSuffix.test(name)) {
    throw new InvalidInput(`The name "${name}" is reserved`, "name");
  }
}

/** RFC 5321 section 4.1.2 without quoted names and literal addresses; domains of other alphabets in their ASCII form. */
const address = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** Throws InvalidInput if this is not an e-mail address. */
export function checkEmail(email: string, field = "email"): void {
  if (email.length > 254 || !address.test(email)) {
    throw new InvalidInput(`${field} must be an e-mail address, not "${email.slice(0, 60)}"`, field);
  }
}
