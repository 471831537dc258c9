import { createHmac, randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { StithyError } from "../lib/errors.ts";
import { trimEndOf } from "../lib/trim-text.ts";

/** argon2id as OWASP's password storage sheet advises: 19 MiB, two passes, one lane. `algorithm: 2` is argon2id. */
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const cacheLifetimeMs = 5 * 60_000;
const cacheEntries = 10_000;
const parallelChecks = 2;
const waitingChecks = 100;

/** A hash that no password is known for, to be compared with for as long as any other. */
function randomHash(): string {
  const { memoryCost, timeCost, parallelism } = parameters;
  const [salt, digest] = [randomBytes(16), randomBytes(32)].map((bytes) => trimEndOf(bytes.toString("base64"), "="));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${digest}`;
}

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** More passwords wait to be checked than the server takes on. */
export class PasswordChecksBusy extends StithyError {
  constructor(waiting: number) {
    super("busy", "sign-in-busy", "Too many passwords are being checked at the moment; try again, or use a token", {
      waiting,
    });
  }
}

/**
 * Checks passwords. An accepted one is remembered for five minutes under a keyed digest of user, stored hash and
 * password, so that git over Basic does not cost an argon2 a request. The stored hash is part of the key: a changed
 * password is wrong at once, in every process. At most two checks run at a time and a hundred wait, which bounds their
 * memory and everybody's patience.
 */
export class PasswordChecker {
  private readonly key = randomBytes(32);
  private readonly accepted = new Map<string, number>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** `decoy`: what the password of nobody is compared with. Throw-away servers alone may have one that costs less than a user's. */
  constructor(private readonly decoy: string = randomHash()) {}

  /**
   * `storedHash` null (nobody of that name, or no password) does the same work and answers false. `beforeWork` is called
   * when it is this password's turn, and ends the check by throwing. Throws PasswordChecksBusy.
   */
  async check(
    userId: number,
    storedHash: string | null,
    password: string,
    beforeWork: () => void = () => {},
  ): Promise<boolean> {
    const digest = this.digest(userId, storedHash, password);
    if (this.isAccepted(digest)) {
      return true;
    }
    await this.enter();
    try {
      // The call before this one may have brought the same password.
      if (this.isAccepted(digest)) {
        return true;
      }
      beforeWork();
      const isRight = await verify(storedHash ?? this.decoy, password).catch(() => false);
      if (isRight && storedHash !== null) {
        this.accept(digest);
        return true;
      }
      return false;
    } finally {
      this.leave();
    }
  }

  /** Whether the password was accepted a short while ago, and would be still. Costs next to nothing. */
  isRemembered(userId: number, storedHash: string | null, password: string): boolean {
    return this.isAccepted(this.digest(userId, storedHash, password));
  }

  /** Stands for a password of a user, in this process alone. */
  digest(userId: number, storedHash: string | null, password: string): string {
    return createHmac("sha256", this.key).update(`${userId}\0${storedHash}\0${password}`).digest("base64");
  }

  private isAccepted(digest: string): boolean {
    const expiry = this.accepted.get(digest);
    if (expiry !== undefined && expiry <= Date.now()) {
      this.accepted.delete(digest);
      return false;
    }
    return expiry !== undefined;
  }

  private accept(digest: string): void {
    if (this.accepted.size >= cacheEntries) {
      this.accepted.delete(this.accepted.keys().next().value ?? "");
    }
    this.accepted.set(digest, Date.now() + cacheLifetimeMs);
  }

  private async enter(): Promise<void> {
    if (this.running < parallelChecks) {
      this.running++;
      return;
    }
    if (this.waiting.length >= waitingChecks) {
      throw new PasswordChecksBusy(this.waiting.length);
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the place on, or gives it up. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.running--;
    } else {
      next();
    }
  }
}
