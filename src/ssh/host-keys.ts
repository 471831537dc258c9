import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ParsedKey } from "ssh2";
import { generateKeyPair } from "ssh2/lib/keygen.js";
import { parseKey } from "ssh2/lib/protocol/keyParser.js";
import { keyFingerprint } from "../auth/identify/identify-key.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { writeFileDurably, writeFileUnsynced } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";

/** A key by which clients know this server again. */
export interface HostKey {
  /** Such as ssh-ed25519. */
  algorithm: string;
  /** `SHA256:…`, as clients show it when they meet the server for the first time. */
  fingerprint: string;
  privateKey: ParsedKey;
}

/** A host key cannot be used. Making another in its place would look like an attack to every client. */
class HostKeyUnusable extends StithyError {
  constructor(path: string, reason: string) {
    super(
      "fault",
      "ssh-host-key",
      `The SSH host key ${path} cannot be used: ${reason}. Put it back from a backup; if there is none, remove it, and a new one is made that clients have to accept anew`,
      { path },
    );
  }
}

/** Until the start has answered its first requests. */
const calmMs = 1000;

type Kind = "ed25519" | "ecdsa" | "rsa";

/**
 * The host keys of a data directory, each in a file as OpenSSH keeps them, `host_<kind>_key`. Those that are missing are
 * made: Ed25519 and ECDSA at once, RSA a while after the server listens, because that takes a processor up to a second.
 */
export class HostKeys implements Disposable {
  /** The keys that exist: at least one. */
  readonly ready: readonly HostKey[];
  #wanted = true;

  private constructor(
    ready: readonly HostKey[],
    private readonly directory: string,
    private readonly missing: boolean,
    private readonly write: typeof writeFileDurably,
    private readonly log: Logger,
  ) {
    this.ready = ready;
    log.info(Object.fromEntries(ready.map(({ algorithm, fingerprint }) => [algorithm, fingerprint])), "SSH host keys");
  }

  /**
   * `durable` false is for a directory that does not outlive this process.
   * Throws when a file is there and cannot be used (code "ssh-host-key").
   */
  static async load(directory: string, { durable, log }: { durable: boolean; log: Logger }): Promise<HostKeys> {
    const write = durable ? writeFileDurably : writeFileUnsynced;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const ready: HostKey[] = [];
    for (const kind of ["ed25519", "ecdsa"] as const) {
      ready.push((await findHostKey(directory, kind)) ?? (await makeHostKey(directory, kind, write)));
    }
    const rsa = await findHostKey(directory, "rsa");
    return new HostKeys(rsa === null ? ready : [...ready, rsa], directory, rsa === null, write, log);
  }

  /**
   * Makes the missing host key. Resolves to null if there is none, if it could not be made, or if it is not wanted any
   * more.
   */
  async makeMissing(delayMs = calmMs): Promise<HostKey | null> {
    if (!this.missing) {
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    if (!this.#wanted) {
      return null;
    }
    try {
      const key = await makeHostKey(this.directory, "rsa", this.write, () => this.#wanted);
      if (key !== null) {
        // It comes after the server has said that it is ready; the next start names it with the others.
        this.log.debug({ [key.algorithm]: key.fingerprint }, "Made an SSH host key");
      }
      return key;
    } catch (error) {
      if (this.#wanted) {
        this.log.warn(
          { reason: messageOf(error) },
          "The RSA host key could not be made; clients that know only such keys cannot connect",
        );
      }
      return null;
    }
  }

  /** A key that is still being made is not written any more: the directory may be gone by then. */
  [Symbol.dispose](): void {
    this.#wanted = false;
  }
}

function pathOf(directory: string, kind: Kind): string {
  return join(directory, `host_${kind}_key`);
}

async function findHostKey(directory: string, kind: Kind): Promise<HostKey | null> {
  const path = pathOf(directory, kind);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") {
      return null;
    }
    throw new HostKeyUnusable(path, messageOf(error));
  }
  return parseHostKey(text, path);
}

/** Throws HostKeyUnusable. */
function parseHostKey(text: string, path: string): HostKey {
  // A file may hold several keys, beyond what the library's types say.
  const [privateKey] = [parseKey(text)].flat();
  if (privateKey === undefined || privateKey instanceof Error) {
    throw new HostKeyUnusable(path, privateKey?.message ?? "it holds no key");
  }
  if (!privateKey.isPrivateKey()) {
    throw new HostKeyUnusable(path, "it is not a private key");
  }
  return { algorithm: privateKey.type, fingerprint: keyFingerprint(privateKey.getPublicSSH()), privateKey };
}

function makeHostKey(directory: string, kind: Kind, write: typeof writeFileDurably): Promise<HostKey>;
function makeHostKey(
  directory: string,
  kind: Kind,
  write: typeof writeFileDurably,
  isStillWanted: () => boolean,
): Promise<HostKey | null>;
async function makeHostKey(
  directory: string,
  kind: Kind,
  write: typeof writeFileDurably,
  isStillWanted: () => boolean = () => true,
): Promise<HostKey | null> {
  const path = pathOf(directory, kind);
  const { text, key } = await generateReadable(kind, path);
  if (!isStillWanted()) {
    return null;
  }
  // Written before it is shown to anybody: a client that has seen a key expects it for ever.
  await write(path, text, 0o600);
  return key;
}

/** The library writes one in several hundred Ed25519 keys such that it cannot be read again: then another is made. */
async function generateReadable(kind: Kind, path: string): Promise<{ text: string; key: HostKey }> {
  for (let attempt = 1; ; attempt++) {
    const text = await generate(kind);
    try {
      return { text, key: parseHostKey(text, path) };
    } catch (error) {
      if (attempt === 10) {
        throw error;
      }
    }
  }
}

/** A new private key in OpenSSH's own format. RSA keys are made in another thread. */
function generate(kind: Kind): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, pair: { private: string }): void =>
      error === null ? resolve(pair.private) : reject(error);
    switch (kind) {
      case "ed25519":
        return generateKeyPair(kind, done);
      case "ecdsa":
        return generateKeyPair(kind, { bits: 256 }, done);
      case "rsa":
        return generateKeyPair(kind, { bits: 3072 }, done);
    }
  });
}
