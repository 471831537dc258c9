import { StithyError } from "../../lib/errors.ts";
import { objectFormat, type ObjectFormatName } from "../objects/object-format.ts";

/*
 * A bundle is a fetch in a file (gitformat-bundle(5)). Text lines first: a signature with the version, in version 3
 * capabilities (`@key=value`), then prerequisites (`-<oid> <comment>`) and refs (`<oid> <name>`); an empty line; a pack.
 */

/** The header of a bundle, before its pack. */
export interface BundleHeader {
  readonly format: ObjectFormatName;
  /** hexadecimal oids of commits that the receiver of the bundle must have */
  readonly prerequisites: readonly string[];
  readonly refs: readonly { readonly oid: string; readonly name: string }[];
  /** where the pack begins, bytes */
  readonly packOffset: number;
}

/** The file is no bundle, or one that cannot be read. */
export class BadBundle extends StithyError {
  constructor(message: string) {
    super("malformed", "bad-bundle", message);
  }
}

const signatures = new Map([
  ["# v2 git bundle", 2],
  ["# v3 git bundle", 3],
]);
const maxHeaderBytes = 64 * 1024 * 1024;

/** Reads a header from the beginning of a bundle; null when the bytes end before it does. Throws BadBundle. */
export function parseBundleHeader(bytes: Uint8Array): BundleHeader | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const firstLine = buffer.subarray(0, 16).toString("latin1").split("\n")[0] ?? "";
  const version = signatures.get(firstLine);
  if (version === undefined) {
    throw new BadBundle("It is not a git bundle of version 2 or 3");
  }
  const end = buffer.indexOf("\n\n");
  if (end < 0) {
    if (buffer.length > maxHeaderBytes) {
      throw new BadBundle(`The bundle's header is longer than ${maxHeaderBytes} bytes`);
    }
    return null;
  }
  let format: ObjectFormatName = "sha1";
  const prerequisites: string[] = [];
  const refs: { oid: string; name: string }[] = [];
  for (const line of buffer.toString("utf8", firstLine.length + 1, end).split("\n")) {
    if (version === 3 && line.startsWith("@")) {
      format = readCapability(line);
      continue;
    }
    const [, minus, oid, name] = /^(-?)([0-9a-f]{40}|[0-9a-f]{64})(?: (.*))?$/.exec(line) ?? [];
    if (oid === undefined || (minus === "" && name === undefined)) {
      if (line === "") {
        continue;
      }
      throw new BadBundle(`The bundle's header has a line that means nothing: "${line.slice(0, 100)}"`);
    }
    if (minus === "-") {
      prerequisites.push(oid);
    } else {
      refs.push({ oid, name: name ?? "" });
    }
  }
  const { hexLength } = objectFormat(format);
  if ([...prerequisites, ...refs.map(({ oid }) => oid)].some((oid) => oid.length !== hexLength)) {
    throw new BadBundle(`The bundle's header names objects in another format than ${format}`);
  }
  return { format, prerequisites, refs, packOffset: end + 2 };
}

/** The header of a bundle with all the history of its refs. */
export function writeBundleHeader(format: ObjectFormatName, refs: BundleHeader["refs"]): Uint8Array {
  const signature = format === "sha1" ? "# v2 git bundle\n" : `# v3 git bundle\n@object-format=${format}\n`;
  return Buffer.from(`${signature}${refs.map(({ oid, name }) => `${oid} ${name}\n`).join("")}\n`, "utf8");
}

function readCapability(line: string): ObjectFormatName {
  if (line === "@object-format=sha1" || line === "@object-format=sha256") {
    return line.endsWith("sha256") ? "sha256" : "sha1";
  }
  if (line === "@filter" || line.startsWith("@filter=")) {
    throw new BadBundle("The bundle is filtered, so it lacks objects");
  }
  throw new BadBundle(`The bundle needs a capability that is not known: "${line.slice(1, 100)}"`);
}
