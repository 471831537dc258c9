import { createHash } from "node:crypto";

/** A value of a tag: a text, a list of texts, numbers (of 32 bits unless `bits` says otherwise) or bytes. */
export type TagValue =
  | string
  | readonly string[]
  | { readonly translated: string | Uint8Array }
  | { readonly numbers: readonly number[]; readonly bits?: 16 | 32 }
  | Uint8Array;

const region = { signature: 62, main: 63 };

/** Writes a header as rpmbuild does: README.md of src/registries/rpm has the format. */
export function makeHeader(kind: keyof typeof region, tags: ReadonlyMap<number, TagValue>): Buffer {
  const entries: [tag: number, type: number, offset: number, count: number][] = [];
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [tag, value] of [...tags].sort(([one], [other]) => one - other)) {
    const [type, count, bytes, alignment] = encode(value);
    const padding = Buffer.alloc((alignment - (offset % alignment)) % alignment);
    parts.push(padding, bytes);
    entries.push([tag, type, offset + padding.length, count]);
    offset += padding.length + bytes.length;
  }
  entries.unshift([region[kind], 7, offset, 16]);
  parts.push(entryOf([region[kind], 7, (-16 * entries.length) >>> 0, 16]));
  const intro = Buffer.alloc(16);
  intro.writeUInt32BE(0x8eade801, 0);
  intro.writeUInt32BE(entries.length, 8);
  intro.writeUInt32BE(offset + 16, 12);
  return Buffer.concat([intro, ...entries.map(entryOf), ...parts]);
}

function entryOf(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(16);
  numbers.forEach((number, at) => bytes.writeUInt32BE(number, at * 4));
  return bytes;
}

function encode(value: TagValue): [type: number, count: number, bytes: Buffer, alignment: number] {
  if (typeof value === "string") {
    return [6, 1, Buffer.from(`${value}\0`), 1];
  }
  if (value instanceof Uint8Array) {
    return [7, value.length, Buffer.from(value), 1];
  }
  if ("translated" in value) {
    return [9, 1, Buffer.concat([Buffer.from(value.translated as Uint8Array), Buffer.from("\0")]), 1];
  }
  if ("numbers" in value) {
    const size = (value.bits ?? 32) / 8;
    const bytes = Buffer.alloc(value.numbers.length * size);
    value.numbers.forEach((number, at) => bytes.writeUIntBE(number, at * size, size));
    return [size === 2 ? 3 : 4, value.numbers.length, bytes, size];
  }
  return [8, value.length, Buffer.from(value.map((text) => `${text}\0`).join("")), 1];
}

export interface RpmToMake {
  name?: string;
  epoch?: number;
  version?: string;
  release?: string;
  arch?: string;
  /** Tags beside or instead of the usual ones; null leaves one out. */
  tags?: Readonly<Record<number, TagValue | null>>;
  /** The same of the signature header. */
  signatureTags?: Readonly<Record<number, TagValue | null>>;
  payload?: Uint8Array;
}

/**
 * A package as rpmbuild would make it of few files, or of none; made without rpmbuild, it can be wrong where a test wants that. Its
 * payload is an empty archive that is not compressed, so rpm installs it.
 */
export function makeRpm(rpm: RpmToMake = {}): Buffer<ArrayBuffer> {
  const { name = "anvil", epoch = 0, version = "1.0", release = "1", arch = "noarch" } = rpm;
  const payload = rpm.payload ?? emptyArchive;
  const evr = `${epoch === 0 ? "" : `${epoch}:`}${version}-${release}`;
  const main = makeHeader(
    "main",
    tagsOf(
      {
        100: ["C"],
        1000: name,
        1001: version,
        1002: release,
        ...(epoch === 0 ? {} : { 1003: { numbers: [epoch] } }),
        1004: { translated: `The ${name}` },
        1005: { translated: `What ${name} is for` },
        1006: { numbers: [1_700_000_000] },
        1007: "builder.example",
        1009: { numbers: [0] },
        1014: "MIT",
        1016: { translated: "Unspecified" },
        1021: "linux",
        1022: arch,
        1044: `${name}-${version}-${release}.src.rpm`,
        1047: [name],
        1112: { numbers: [8] },
        1113: [evr],
        1124: "cpio",
        1125: "",
        5092: [createHash("sha256").update(payload).digest("hex")],
        5093: { numbers: [8] },
      },
      rpm.tags,
    ),
  );
  const signatures = makeHeader(
    "signature",
    tagsOf(
      {
        269: createHash("sha1").update(main).digest("hex"),
        273: createHash("sha256").update(main).digest("hex"),
        1000: { numbers: [main.length + payload.length] },
        1004: createHash("md5").update(main).update(payload).digest(),
        1007: { numbers: [payload.length] },
      },
      rpm.signatureTags,
    ),
  );
  return Buffer.concat([makeLead(), signatures, Buffer.alloc((8 - (signatures.length % 8)) % 8), main, payload]);
}

function tagsOf(usual: Readonly<Record<number, TagValue>>, own: RpmToMake["tags"] = {}): Map<number, TagValue> {
  const all = Object.entries({ ...usual, ...own });
  return new Map(all.flatMap(([tag, value]) => (value === null ? [] : [[Number(tag), value] as const])));
}

function makeLead(): Buffer {
  const lead = Buffer.alloc(96);
  lead.write("edabeedb0300", "hex");
  lead.write("lead", 10);
  lead.writeUInt16BE(1, 76);
  lead.writeUInt16BE(5, 78);
  return lead;
}

/** The end of a cpio archive of the new portable format. */
const emptyArchive = Buffer.from(
  `070701${"0".repeat(8 * 4)}${"00000001"}${"0".repeat(8 * 6)}0000000b${"0".repeat(8)}TRAILER!!!\0\0\0\0`,
);
