import { keyFingerprint } from "../../../auth/identify/identify-key.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { checkKeyBlob, keyAlgorithms } from "./key-blob.ts";

/** A public key that was checked. */
export interface PublicKey {
  /** `SHA256:` and the unpadded base64 of the digest, as ssh-keygen prints it. */
  fingerprint: string;
  /** The algorithm and the base64 of the key. */
  content: string;
  /** The text after the key, which usually names its machine; often empty. */
  comment: string;
}

/** Room for the largest RSA key and a long comment. */
const largestText = 8192;

function refuse(reason: string): InvalidInput {
  return new InvalidInput(`The key cannot be taken: ${reason}`, "key");
}

/** Throws what is known of a first word that names no algorithm whose keys are taken. */
function refuseAlgorithm(words: string[], algorithm: string): InvalidInput {
  if (/-cert-v\d+@openssh\.com$/.test(algorithm)) {
    return refuse("it is a certificate; send the public key itself");
  }
  if (algorithm === "ssh-dss") {
    return refuse("DSA keys are not safe any more");
  }
  if (words.slice(1).some((word) => keyAlgorithms.has(word))) {
    return refuse("options before the key are not possible here; begin with the algorithm");
  }
  return refuse(`it must begin with one of ${[...keyAlgorithms].join(", ")}`);
}

/**
 * Reads one line of an `authorized_keys` or `.pub` file: the algorithm, the key in base64, and a comment.
 * Throws InvalidInput naming `key` for everything else: options, certificates, private keys, several lines, keys that
 * are too short, are damaged, or are not what they say.
 */
export function parsePublicKey(text: string): PublicKey {
  if (text.length > largestText) {
    throw refuse(`it has ${text.length} characters; the largest keys have less than ${largestText}`);
  }
  const line = text.trim();
  if (/-----BEGIN[A-Z ]* PRIVATE KEY-----/.test(line)) {
    throw refuse("it is a private key; keep that to yourself, and send the one in the file ending in .pub");
  }
  if (/[\r\n]/.test(line)) {
    throw refuse("it must be a single line, as in the file ending in .pub");
  }
  const words = line.split(/[ \t]+/);
  const [algorithm = "", encoded = ""] = words;
  if (!keyAlgorithms.has(algorithm)) {
    throw refuseAlgorithm(words, algorithm);
  }
  const blob = Buffer.from(encoded, "base64");
  const canonical = blob.toString("base64");
  if (encoded === "" || canonical.replaceAll("=", "") !== encoded.replace(/={0,2}$/, "")) {
    throw refuse(`what follows "${algorithm}" is not base64`);
  }
  checkKeyBlob(algorithm, blob);
  return {
    fingerprint: keyFingerprint(blob),
    content: `${algorithm} ${canonical}`,
    // Control characters would do something in a terminal that shows it.
    comment: line.replace(/^\S+[ \t]+\S+[ \t]*/, "").replace(/\p{Cc}/gu, ""),
  };
}
