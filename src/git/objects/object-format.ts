export type ObjectFormatName = "sha1" | "sha256";

/**
 * The parameters of the hash that names objects. Everything in the engine takes it as a parameter, so that SHA-256
 * repositories use the same code and a test can use a format with a weakened hash.
 */
export interface ObjectFormat {
  readonly name: ObjectFormatName;
  /** Length of an oid in bytes. */
  readonly oidBytes: 20 | 32;
  /** Length of an oid in hexadecimal digits. */
  readonly hexLength: 40 | 64;
  /** The null oid: "no such object" in protocol messages. */
  readonly zeroHex: string;
  /** Hashes `bytes` into `out`, which is exactly `oidBytes` long. */
  hashInto(bytes: Uint8Array, out: Uint8Array): void;
  /** A hash that is fed in pieces. `digest` may be called once. */
  hasher(): Hasher;
}

export interface Hasher {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
  /** Returns a copy of the state, to be continued on its own. */
  copy(): Hasher;
}

export const sha1: ObjectFormat = {
  name: "sha1",
  oidBytes: 20,
  hexLength: 40,
  zeroHex: "0".repeat(40),
  hashInto(bytes, out) {
    Bun.SHA1.hash(bytes, out);
  },
  hasher: () => hasher("sha1"),
};

export const sha256: ObjectFormat = {
  name: "sha256",
  oidBytes: 32,
  hexLength: 64,
  zeroHex: "0".repeat(64),
  hashInto(bytes, out) {
    Bun.SHA256.hash(bytes, out);
  },
  hasher: () => hasher("sha256"),
};

export function objectFormat(name: ObjectFormatName): ObjectFormat {
  return name === "sha1" ? sha1 : sha256;
}

function hasher(algorithm: ObjectFormatName, inner = new Bun.CryptoHasher(algorithm)): Hasher {
  return {
    update(bytes) {
      inner.update(bytes);
    },
    digest: () => inner.digest(),
    copy: () => hasher(algorithm, inner.copy()),
  };
}
