import { createHmac, randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

/** argon2id as OWASP's password storage sheet advises: 19 MiB, two passes, one lane. `algorithm: 2` is argon2id. */
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const cacheLifetimeMs = 5 * 60_000;
const cacheEntries = 10_000;
const parallelChecks = 2;

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/**
 * Checks passwords. An accepted one is remembered for five minutes under a keyed digest of user, stored hash and
 * password, so that git over Basic does not cost an argon2 a request. The stored hash is part of the key: a changed
 * password is wrong at once, in every process. At most two checks run at a time, which bounds their memory.
 */
export class PasswordChecker {
  private readonly key = randomBytes(32);
  private readonly accepted = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private readonly decoy = hashPassword(randomBytes(16).toString("hex"));

  /** `storedHash` null (nobody of that name, or no password) does the same work and answers false. */
  async check(userId: number, storedHash: string | null, password: string): Promise<boolean> {
    if (storedHash === null) {
      await this.verify(await this.decoy, password);
      return false;
    }
    const digest = createHmac("sha256", this.key).update(`${userId}\0${storedHash}\0${password}`).digest("base64");
    const expiry = this.accepted.get(digest);
    if (expiry !== undefined && expiry > Date.now()) {
      return true;
    }
    this.accepted.delete(digest);
    if (!(await this.verify(storedHash, password))) {
      return false;
    }
    if (this.accepted.size >= cacheEntries) {
      this.accepted.delete(this.accepted.keys().next().value ?? "");
    }
    this.accepted.set(digest, Date.now() + cacheLifetimeMs);
    return true;
  }

  private async verify(storedHash: string, password: string): Promise<boolean> {
    while (this.running >= parallelChecks) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.running++;
    try {
      return await verify(storedHash, password);
    } catch {
      return false;
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
