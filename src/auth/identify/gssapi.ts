import { dlopen, ptr, read, toArrayBuffer, type Pointer } from "bun:ffi";
import { messageOf, StithyError } from "../../lib/errors.ts";

/** GSSAPI cannot be used as it was configured, or refused what a client sent. */
export class GssError extends StithyError {
  constructor(message: string, options?: ErrorOptions) {
    super("fault", "gssapi", message, {}, options);
  }
}

/** Where an acceptor finds its keys, and who it is. */
export interface GssAcceptorOptions {
  /** File name of the GSSAPI library of MIT Kerberos, for the dynamic linker. */
  library: string;
  keytabFile: string;
  /** The service as `HTTP/host.example@REALM`; empty: any that the keytab has. */
  principal: string;
  /** Remembers what was accepted, so that nothing is accepted twice. */
  replayCacheFile: string;
}

/** A client that proved who it is. */
export interface AcceptedClient {
  /** As `name@REALM`. */
  principal: string;
  /** Proves the server to the client; null where the client asked for no proof. */
  answer: Uint8Array | null;
}

const functions = {
  gss_import_name: { args: ["ptr", "ptr", "ptr", "ptr"], returns: "u32" },
  gss_acquire_cred_from: { args: ["ptr", "ptr", "u32", "ptr", "i32", "ptr", "ptr", "ptr", "ptr"], returns: "u32" },
  gss_set_neg_mechs: { args: ["ptr", "ptr", "ptr"], returns: "u32" },
  gss_accept_sec_context: {
    args: ["ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr"],
    returns: "u32",
  },
  gss_display_name: { args: ["ptr", "ptr", "ptr", "ptr"], returns: "u32" },
  gss_display_status: { args: ["ptr", "u32", "i32", "ptr", "ptr", "ptr"], returns: "u32" },
  gss_release_buffer: { args: ["ptr", "ptr"], returns: "u32" },
  gss_release_name: { args: ["ptr", "ptr"], returns: "u32" },
  gss_release_cred: { args: ["ptr", "ptr"], returns: "u32" },
  gss_delete_sec_context: { args: ["ptr", "ptr", "ptr"], returns: "u32" },
} as const;

const acceptOnly = 2;
const continueNeeded = 1;
const statusOfGss = 1;
const statusOfMechanism = 2;
/** Errors are in the upper half of a status (RFC 2744, section 3.9.1); what is below is more to do, or a remark. */
const errorBits = 0xffff_0000;

const spnego = Uint8Array.of(0x2b, 0x06, 0x01, 0x05, 0x05, 0x02);
const kerberos = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02);
/** GSS_KRB5_NT_PRINCIPAL_NAME: a whole principal, for which no name server is asked. */
const principalName = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02, 0x01);

/**
 * Accepts SPNEGO and Kerberos tokens (RFC 4178, RFC 4121) with the keys of a keytab. Each call runs on the calling thread:
 * it reads two local files and asks nobody. Disposing gives the credential back.
 */
export class GssAcceptor implements Disposable {
  readonly #library: ReturnType<typeof dlopen<typeof functions>>;
  /** Holds the credential's handle. */
  readonly #credential = new BigUint64Array(1);

  /** Throws GssError when the library or the keytab cannot be used. */
  constructor(options: GssAcceptorOptions) {
    try {
      this.#library = dlopen(options.library, functions);
    } catch (error) {
      throw new GssError(`The GSSAPI library ${options.library} cannot be loaded: ${messageOf(error)}`, {
        cause: error,
      });
    }
    try {
      this.#acquire(options);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Throws GssError for what is no valid token: forged, for another service, too old, or seen before. */
  accept(token: Uint8Array): AcceptedClient {
    const { symbols } = this.#library;
    const minor = new Uint32Array(2);
    const context = new BigUint64Array(1);
    const name = new BigUint64Array(1);
    const output = new BigUint64Array(2);
    const input = bufferOf(token);
    try {
      const status = symbols.gss_accept_sec_context(
        minor,
        context,
        handle(this.#credential),
        input,
        null,
        name,
        null,
        output,
        null,
        null,
        null,
      );
      if ((status & errorBits) !== 0) {
        throw new GssError(this.#explain(status, minor[0] ?? 0));
      }
      if ((status & continueNeeded) !== 0) {
        // A second message would need the first one's context, and HTTP requests have none in common.
        throw new GssError("The client wants to negotiate in more than one message");
      }
      return { principal: this.#displayName(name), answer: contentOf(output) };
    } finally {
      symbols.gss_release_buffer(minor, output);
      symbols.gss_release_name(minor, name);
      symbols.gss_delete_sec_context(minor, context, null);
      keepAlive(token);
    }
  }

  [Symbol.dispose](): void {
    this.#library.symbols.gss_release_cred(new Uint32Array(2), this.#credential);
    // The library itself stays loaded: it keeps state of its own for the process.
  }

  #acquire(options: GssAcceptorOptions): void {
    const { symbols } = this.#library;
    const minor = new Uint32Array(2);
    const name = new BigUint64Array(1);
    const texts = ["keytab", `FILE:${options.keytabFile}`, "rcache", `file2:${options.replayCacheFile}`].map((text) =>
      Buffer.from(`${text}\0`),
    );
    const elements = BigUint64Array.from(texts, (text) => BigInt(ptr(text)));
    const store = BigUint64Array.of(2n, BigInt(ptr(elements)));
    const [both, one] = [oidSet(spnego, kerberos), oidSet(kerberos)];
    const principal = Buffer.from(options.principal);
    const nameType = oid(principalName);
    try {
      if (options.principal !== "") {
        this.#check(
          symbols.gss_import_name(minor, bufferOf(principal), nameType.bytes, name),
          minor,
          `The principal ${options.principal} cannot be read`,
        );
      }
      const status = symbols.gss_acquire_cred_from(
        minor,
        handle(name),
        0xffff_ffff,
        both.bytes,
        acceptOnly,
        store,
        this.#credential,
        null,
        null,
      );
      this.#check(status, minor, `The keytab ${options.keytabFile} cannot be used`);
      // Others that SPNEGO knows would have the server ask a KDC for the client.
      this.#check(
        symbols.gss_set_neg_mechs(minor, handle(this.#credential), one.bytes),
        minor,
        "SPNEGO cannot be bound to Kerberos",
      );
    } finally {
      symbols.gss_release_name(minor, name);
      keepAlive(texts, elements, store, both, one, principal, nameType);
    }
  }

  #displayName(name: BigUint64Array): string {
    const { symbols } = this.#library;
    const minor = new Uint32Array(2);
    const output = new BigUint64Array(2);
    try {
      this.#check(
        symbols.gss_display_name(minor, handle(name), output, null),
        minor,
        "The client's name cannot be read",
      );
      return Buffer.from(contentOf(output) ?? []).toString("utf8");
    } finally {
      symbols.gss_release_buffer(minor, output);
    }
  }

  #check(status: number, minor: Uint32Array, message: string): void {
    if ((status & errorBits) !== 0) {
      throw new GssError(`${message}: ${this.#explain(status, minor[0] ?? 0)}`);
    }
  }

  #explain(major: number, minor: number): string {
    const texts = [
      this.#statusText(major, statusOfGss),
      ...(minor === 0 ? [] : [this.#statusText(minor, statusOfMechanism)]),
    ];
    return texts.filter((text) => text !== "").join("; ");
  }

  #statusText(status: number, type: number): string {
    const { symbols } = this.#library;
    const minor = new Uint32Array(2);
    const output = new BigUint64Array(2);
    const mechanism = oid(kerberos);
    try {
      symbols.gss_display_status(
        minor,
        status,
        type,
        type === statusOfMechanism ? mechanism.bytes : null,
        new Uint32Array(2),
        output,
      );
      return Buffer.from(contentOf(output) ?? []).toString("utf8");
    } finally {
      symbols.gss_release_buffer(minor, output);
      keepAlive(mechanism);
    }
  }
}

/** Returns the content of a handle's cell, for calls that take the handle itself; null for none. */
function handle(cell: BigUint64Array): Pointer | null {
  const value = Number(cell[0] ?? 0n);
  return value === 0 ? null : (value as Pointer);
}

/** A gss_buffer_desc of these bytes, which have to outlive the call. */
function bufferOf(bytes: Uint8Array): BigUint64Array {
  return BigUint64Array.of(BigInt(bytes.length), bytes.length === 0 ? 0n : BigInt(ptr(bytes)));
}

/** A copy of what a gss_buffer_desc points at; null for an empty one. */
function contentOf(buffer: BigUint64Array): Uint8Array | null {
  const length = Number(buffer[0] ?? 0n);
  const at = length === 0 ? null : (read.ptr(ptr(buffer), 8) as Pointer | null);
  return at === null ? null : new Uint8Array(toArrayBuffer(at, 0, length)).slice();
}

/** A gss_OID_desc: a length of 32 bits, and a pointer at the next multiple of eight. */
function oid(encoded: Uint8Array): { bytes: BigUint64Array; kept: unknown } {
  return { bytes: BigUint64Array.of(BigInt(encoded.length), BigInt(ptr(encoded))), kept: encoded };
}

/** A gss_OID_set_desc. */
function oidSet(...members: Uint8Array[]): { bytes: BigUint64Array; kept: unknown } {
  const elements = BigUint64Array.from(members.flatMap((member) => [...oid(member).bytes]));
  return { bytes: BigUint64Array.of(BigInt(members.length), BigInt(ptr(elements))), kept: [members, elements] };
}

let held: unknown[] = [];

/** Keeps values from being collected before a call that has only their addresses is over. */
function keepAlive(...values: unknown[]): void {
  held = values;
  held.length = 0;
}
