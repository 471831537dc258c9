import type { PrivateKey } from "openpgp";

/** A key pair without a passphrase; the caller seals the secret half. Both are armored, with line feeds alone. */
export interface OpenPgpPair {
  readonly publicKey: string;
  readonly secretKey: string;
}

/** Signs as one key. Signatures are of version 4 with SHA-512, which gpgv, sqv and rpm accept. */
export interface OpenPgpSigner {
  /** The text inside an armored message that a reader sees as it is (RFC 9580, section 7). It must be free of blanks at ends of lines. */
  clearSign: (text: string) => Promise<string>;
  /** A signature over the bytes that stands apart from them, armored. */
  signArmored: (bytes: Uint8Array) => Promise<string>;
  /** Returns the signature as the bytes of a packet. */
  signBinary: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Read when it is first needed: most servers have no registry that signs. */
const library = () => import("openpgp");

const rsaBits = 3072;

/**
 * Makes a pair that signs, with no end of its validity. RSA, since apt and rpm of all supported releases know it; no part of it
 * encrypts. It takes the processor about a second.
 */
export async function makeOpenPgpPair(name: string): Promise<OpenPgpPair> {
  const { generateKey } = await library();
  const pair = await generateKey({ type: "rsa", rsaBits, userIDs: [{ name }], subkeys: [], format: "armored" });
  return { publicKey: withLineFeeds(pair.publicKey), secretKey: withLineFeeds(pair.privateKey) };
}

/** Returns what signs with an armored secret key. Throws Error when it cannot be read. */
export async function openPgpSigner(secretKey: string): Promise<OpenPgpSigner> {
  const { createCleartextMessage, createMessage, readPrivateKey, sign } = await library();
  const signingKeys: PrivateKey = await readPrivateKey({ armoredKey: secretKey });
  return {
    clearSign: async (text) => {
      // The line feed before the signature belongs to the armor, and readers take it for the text's last one.
      const message = await createCleartextMessage({ text: text.replace(/\n$/, "") });
      return withLineFeeds(await sign({ message, signingKeys }));
    },
    signArmored: async (bytes) => {
      const message = await createMessage({ binary: bytes });
      return withLineFeeds(await sign({ message, signingKeys, detached: true, format: "armored" }));
    },
    signBinary: async (bytes) => {
      const message = await createMessage({ binary: bytes });
      return sign({ message, signingKeys, detached: true, format: "binary" });
    },
  };
}

const withLineFeeds = (armored: string): string => armored.replaceAll("\r\n", "\n");
