import { clip, showValue } from "../../../lib/show-value.ts";
import { withoutCredentials } from "../../../lib/without-credentials.ts";
import { RemoteFailed } from "./errors.ts";

/** The credentials for a repository elsewhere. */
export type RemoteCredentials =
  | { readonly kind: "password"; readonly username: string; readonly password: string }
  /** An SSH key in the format of OpenSSH. */
  | { readonly kind: "key"; readonly privateKey: string };

/** Where a repository elsewhere is, without credentials. */
export interface RemoteAddress {
  readonly scheme: "http" | "https" | "ssh" | "git";
  /** The address for display and storage, without secrets. */
  readonly text: string;
  /** The user that an SSH address names; empty: none. */
  readonly user: string;
}

const longest = 2048;
/** `user@host:path`, as scp has it. */
const scpLike = /^(?:([A-Za-z0-9._-]+)@)?([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):(?!\/\/)(.+)$/;
const schemes = new Set(["http:", "https:", "ssh:", "git:"]);

/**
 * Reads the address of a repository elsewhere: http, https, ssh, git, or as scp has it. Credentials in it are taken out. Throws RemoteFailed for
 * anything else; files of this machine are among that. `field` is named in the message.
 */
export function readRemoteAddress(
  text: string,
  field: string,
): { address: RemoteAddress; credentials: RemoteCredentials | null } {
  const wrong = (reason: string) => new RemoteFailed("address", `${field} ${reason}`);
  if (text.length > longest) {
    throw wrong(`must have at most ${longest} characters`);
  }
  const scp = text.includes("://") ? null : scpLike.exec(text);
  const full = scp === null ? text : `ssh://${scp[1] ?? "git"}@${scp[2]}/${scp[3]?.replace(/^\//, "")}`;
  const url = URL.parse(full);
  if (/^(file:|[./~\\]|[A-Za-z]:\\)/i.test(text)) {
    throw wrong("must be the address of another server: files of this server cannot be read");
  }
  if (url === null || url.hostname === "" || !schemes.has(url.protocol)) {
    throw wrong(`must begin with https://, http://, ssh:// or git://, or be as user@host:path, not ${shown(text)}`);
  }
  if (/[\s\p{Cc}]/u.test(text) || url.hash !== "" || url.search !== "") {
    throw wrong(`must have no blanks, no query and no fragment: ${shown(text)}`);
  }
  if (url.pathname === "" || url.pathname === "/") {
    throw wrong(`names a server and no repository: ${shown(text)}`);
  }
  if (!canDecode(url.pathname)) {
    throw wrong(`has a % in its path that begins no character: ${shown(text)}`);
  }
  const isSsh = url.protocol === "ssh:";
  if (url.protocol === "git:" && (url.username !== "" || url.password !== "")) {
    throw wrong("must have no user name and no password: the git protocol knows none");
  }
  const [user, password] = [decode(url.username), decode(url.password)];
  url.password = "";
  if (!isSsh) {
    url.username = "";
  }
  return {
    address: { scheme: url.protocol.slice(0, -1) as RemoteAddress["scheme"], text: url.href, user: isSsh ? user : "" },
    credentials: password === "" && (isSsh || user === "") ? null : { kind: "password", username: user, password },
  };
}

/** The address again, as it was stored. */
export function storedAddress(text: string): RemoteAddress {
  return readRemoteAddress(text, "The stored address").address;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function shown(text: string): string {
  return showValue(clip(withoutCredentials(text), 80));
}
