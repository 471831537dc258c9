import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { Database } from "../../../db/client.ts";
import { ensureServerKey } from "../server-keys/queries.ts";

/** The one algorithm that every client of OpenID Connect has to know. */
export const signingAlgorithm = "RS256";
const digest = "sha256";

interface Key {
  key: KeyObject;
  jwk: PublicKey;
}

/** A public key of RSA as a JWK (RFC 7517). */
interface PublicKey {
  kty: string;
  n: string;
  e: string;
  kid: string;
  use: "sig";
  alg: typeof signingAlgorithm;
}

/** Signs id tokens. The key is made when it is first needed, and is kept in the database. */
export class SigningKey {
  private loading: Promise<Key> | null = null;

  constructor(private readonly db: Database) {}

  /** The public key, for /login/oauth/keys. */
  async publicKey(): Promise<PublicKey> {
    return (await this.load()).jwk;
  }

  /** A JSON Web Token (RFC 7519) with these claims. */
  async sign(claims: object): Promise<string> {
    const { key, jwk } = await this.load();
    const header = { alg: signingAlgorithm, typ: "JWT", kid: jwk.kid };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = await promisify(sign)(digest, Buffer.from(signed), key);
    return `${signed}.${signature.toString("base64url")}`;
  }

  private load(): Promise<Key> {
    this.loading ??= this.read().catch((error: unknown) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  private async read(): Promise<Key> {
    const pem = await this.db.transaction((tx) => ensureServerKey(tx, "oauth-signing", makeKey));
    const key = createPrivateKey(Buffer.from(pem));
    const { kty = "RSA", n = "", e = "" } = createPublicKey(key).export({ format: "jwk" });
    // The thumbprint of RFC 7638, for which the order of the members matters.
    const kid = createHash(digest).update(JSON.stringify({ e, kty, n })).digest("base64url");
    return { key, jwk: { kty, n, e, kid, use: "sig", alg: signingAlgorithm } };
  }
}

async function makeKey(): Promise<Uint8Array> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return Buffer.from(privateKey);
}
