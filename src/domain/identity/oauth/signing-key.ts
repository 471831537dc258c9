import { generateKeyPair as generate } from "node:crypto";
import { promisify } from "node:util";
import type { CryptoKey, JWK, JWTPayload } from "jose";
import type { Database } from "../../../db/client.ts";
import { ensureServerKey } from "../server-keys/queries.ts";

const generateKeyPair = promisify(generate);

/** The one algorithm that every client of OpenID Connect has to know. */
export const signingAlgorithm = "RS256";

interface Key {
  key: CryptoKey;
  jwk: JWK;
}

/** Signs id tokens. The key is made when it is first needed, and is kept in the database. */
export class SigningKey {
  private loading: Promise<Key> | null = null;

  constructor(private readonly db: Database) {}

  /** The public key, for /login/oauth/keys. */
  async publicKey(): Promise<JWK> {
    return (await this.load()).jwk;
  }

  async sign(claims: JWTPayload): Promise<string> {
    const [{ key, jwk }, { SignJWT }] = await Promise.all([this.load(), library()]);
    return new SignJWT(claims).setProtectedHeader({ alg: signingAlgorithm, typ: "JWT", kid: jwk.kid ?? "" }).sign(key);
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
    const { calculateJwkThumbprint, exportJWK, importPKCS8 } = await library();
    const key = await importPKCS8(Buffer.from(pem).toString("utf8"), signingAlgorithm, { extractable: true });
    const { kty = "RSA", n = "", e = "" } = await exportJWK(key);
    const kid = await calculateJwkThumbprint({ kty, n, e });
    return { key, jwk: { kty, n, e, kid, use: "sig", alg: signingAlgorithm } };
  }
}

/** Many modules, which only a server that applications sign in with needs. */
function library() {
  return import("jose");
}

async function makeKey(): Promise<Uint8Array> {
  const { privateKey } = await generateKeyPair("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return Buffer.from(privateKey);
}
