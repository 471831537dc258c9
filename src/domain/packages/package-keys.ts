import type { Database } from "../../db/client.ts";
import type { PackageType } from "../../db/schema/packages.ts";
import { StithyError } from "../../lib/errors.ts";
import { seal, unseal } from "../../lib/sealed-box.ts";
import { serverDoer } from "../spine/doer.ts";
import type { Change } from "../spine/work.ts";
import { findKey, insertKey } from "./index-queries.ts";

/** A pair of keys, both as the texts that the format has for them. */
export interface KeyPair {
  readonly publicKey: string;
  readonly secretKey: string;
}

/** The secret half was sealed with a key that is gone. */
class KeyLost extends StithyError {
  constructor(ownerId: number, type: PackageType) {
    super("fault", "package-key-lost", "The key that signs this registry does not open with the server's sealing key", {
      ownerId,
      type,
    });
  }
}

/** The pairs of keys of the owners' registries: one for each owner and format, made when it is first needed. */
export class PackageKeys {
  /** Keys that are made now: they take the processor a second. */
  readonly #making = new Map<string, Promise<KeyPair>>();

  constructor(
    private readonly db: Database,
    private readonly change: Change,
    private readonly sealKey: Uint8Array,
  ) {}

  /** The pair of an owner's registry; `make` makes it where there is none. */
  async get(ownerId: number, type: PackageType, make: () => Promise<KeyPair>): Promise<KeyPair> {
    const found = await findKey(this.db, ownerId, type);
    if (found !== null) {
      return this.#open(found);
    }
    const name = contextOf(ownerId, type);
    const making =
      this.#making.get(name) ?? this.#make(ownerId, type, make).finally(() => void this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  async #make(ownerId: number, type: PackageType, make: () => Promise<KeyPair>): Promise<KeyPair> {
    const { publicKey, secretKey } = await make();
    const sealedSecret = seal(this.sealKey, Buffer.from(secretKey), contextOf(ownerId, type));
    const row = await this.change(serverDoer("key of packages"), (work) =>
      insertKey(work.tx, { ownerId, type, publicKey, sealedSecret }),
    );
    return this.#open(row);
  }

  #open({
    ownerId,
    type,
    publicKey,
    sealedSecret,
  }: {
    ownerId: number;
    type: PackageType;
    publicKey: string;
    sealedSecret: Uint8Array;
  }): KeyPair {
    const secret = unseal(this.sealKey, sealedSecret, contextOf(ownerId, type));
    if (secret === null) {
      throw new KeyLost(ownerId, type);
    }
    return { publicKey, secretKey: Buffer.from(secret).toString() };
  }
}

/** The context of a sealed private key. It opens in no other one. */
const contextOf = (ownerId: number, type: PackageType) => `package-key ${ownerId} ${type}`;
