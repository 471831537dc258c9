import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Kind } from "./index.ts";
import type { Packing } from "./read-package.ts";

/** A file that R asks for. */
export interface AskedFile {
  readonly kind: Kind;
  readonly file: string;
  /** The package whose former versions are asked for. */
  readonly archiveOf: string | null;
}

const segment = /^(?!\.+$)[A-Za-z0-9._+-]{1,100}$/;
/** R asks for `bin/macosx/big-sur-arm64/contrib/4.2`. */
const mostSegments = 4;

/** Reads what a client says of the platform and the version of R of a package. Throws InvalidInput. */
export function readKind(query: URLSearchParams): Kind {
  const [platform, rVersion] = ["platform", "rversion"].map((name) => query.get(name) ?? "") as [string, string];
  const segments = platform.split("/");
  if (!segments.every((part) => segment.test(part)) || segments.length > mostSegments || segments.includes("contrib")) {
    throw new InvalidInput(`platform: "${clip(platform, 80)}" is no platform, such as windows or macosx/big-sur-arm64`);
  }
  if (!segment.test(rVersion)) {
    throw new InvalidInput(`rversion: "${clip(rVersion, 80)}" is no version of R, such as 4.2`);
  }
  return { platform, rVersion };
}

/**
 * Parses the part of an address after `/src/` or `/bin/`: `contrib/FILE`, `contrib/Archive/PACKAGE/FILE`,
 * `PLATFORM/contrib/RVERSION/FILE`; null for any other. Source: R's `contrib.url`.
 */
export function parseAskedFile(top: "src" | "bin", rest: string): AskedFile | null {
  const parts = rest.split("/");
  const file = parts.at(-1) ?? "";
  if (top === "src") {
    const [contrib, archive, archiveOf] = parts;
    if (contrib === "contrib" && parts.length === 2) {
      return { kind: "source", file, archiveOf: null };
    }
    return contrib === "contrib" && archive === "Archive" && archiveOf !== undefined && parts.length === 4
      ? { kind: "source", file, archiveOf }
      : null;
  }
  const contrib = parts.length - 3;
  if (contrib < 1 || parts[contrib] !== "contrib") {
    return null;
  }
  const kind = { platform: parts.slice(0, contrib).join("/"), rVersion: parts[contrib + 1] ?? "" };
  return { kind, file, archiveOf: null };
}

/** `PACKAGE_VERSION.tar.gz` and the like; null for what is no such name. Names of packages have no underscore. */
export function parseFileName(file: string): { name: string; version: string } | null {
  const [, name, version] = /^([^_]+)_([^_]+?)\.(?:tar\.gz|tgz|zip)$/i.exec(file) ?? [];
  return name === undefined || version === undefined ? null : { name, version };
}

/** The name that R asks for: those for macOS end with `.tgz`. */
export function fileNameOf({ name, version }: { name: string; version: string }, kind: Kind, packing: Packing): string {
  const isForMac = kind !== "source" && /^macosx(?:\/|$)/i.test(kind.platform);
  return `${name}_${version}.${packing === "tar.gz" && isForMac ? "tgz" : packing}`;
}
