import { describe, expect, test } from "bun:test";
import { createCipheriv } from "node:crypto";
import type { Connection } from "ssh2";
import { reusePacketMemory } from "./reuse-packet-memory.ts";

/** A cipher as the library's: the length is written as it stands, the rest encrypted into new memory or where it stands. */
class Cipher {
  readonly written: Uint8Array[] = [];
  /** What was written, as it was given. */
  readonly given: Uint8Array[] = [];

  constructor(private readonly inPlace: boolean) {}

  _onWrite(bytes: Uint8Array): void {
    this.written.push(Uint8Array.from(bytes));
    this.given.push(bytes);
  }

  allocPacket(payloadBytes: number): Buffer {
    const packet = Buffer.alloc(4 + 1 + payloadBytes + 8);
    packet.writeUInt32BE(packet.length - 4);
    packet[4] = 8;
    return packet;
  }

  encrypt(packet: Buffer): void {
    if (this.inPlace) {
      packet.forEach((byte, at) => (packet[at] = byte ^ 0xff));
      this._onWrite(packet);
    } else {
      this._onWrite(packet.subarray(0, 4));
      this._onWrite(packet.subarray(4).map((byte) => byte ^ 0xff));
    }
  }

  send(message: Buffer): Buffer {
    const packet = this.allocPacket(message.length);
    packet.set(message, 5);
    this.encrypt(packet);
    return packet;
  }

  /** The messages that were written. */
  read(): Buffer[] {
    let bytes = Buffer.concat(this.written);
    const messages: Buffer[] = [];
    while (bytes.length > 0) {
      const mask = this.inPlace ? 0xff : 0;
      const length = Buffer.from(bytes.subarray(0, 4).map((byte) => byte ^ mask)).readUInt32BE();
      const packet = bytes.subarray(4, 4 + length).map((byte) => byte ^ 0xff);
      expect(packet[0]).toBe(8);
      messages.push(Buffer.from(packet.subarray(1, -8)));
      bytes = bytes.subarray(4 + length);
    }
    return messages;
  }
}

function patched(inPlace: boolean, beginning?: { _encIV: Uint8Array }): Cipher {
  const cipher = Object.assign(new Cipher(inPlace), beginning);
  reusePacketMemory({ _protocol: { _cipher: cipher } } as unknown as Connection);
  return cipher;
}

const sizes = [32_777, 32_761, 32_777, 32_761, 100, 9000, 32_777, 32_777, 20];
const messages = sizes.map((size, number) => Buffer.alloc(size, number + 1));

describe("messages", () => {
  test.each([false, true])("are written as they were; encrypted in place: %p", (inPlace) => {
    const cipher = patched(inPlace);
    messages.forEach((message) => cipher.send(message));
    expect(cipher.read().map((message, at) => message.equals(messages[at] ?? message.subarray(1)))).toEqual(
      messages.map(() => true),
    );
  });

  test("of one size share their memory, but not their padding, and small ones have their own", () => {
    const cipher = patched(false);
    const first = cipher.send(Buffer.alloc(32_777));
    const padding = Buffer.from(first.subarray(-8));
    const small = cipher.send(Buffer.alloc(100));
    expect(cipher.send(Buffer.alloc(32_777))).toBe(first);
    expect(Buffer.from(first.subarray(-8)).equals(padding)).toBe(false);
    expect(cipher.send(Buffer.alloc(100))).not.toBe(small);
  });

  test("have new memory where a cipher encrypts in place", () => {
    const cipher = patched(true);
    expect(cipher.send(Buffer.alloc(32_777))).not.toBe(cipher.send(Buffer.alloc(32_777)));
  });
});

describe("what a message was encrypted into", () => {
  const sizes = [32_777, 100, 32_777];

  test("is given back by AES-GCM when it was written, if it is large and nothing else is in its memory", () => {
    const cipher = patched(false, { _encIV: new Uint8Array(12) });
    sizes.forEach((size) => cipher.send(Buffer.alloc(size, 1)));
    expect(cipher.given.map(({ length }) => length)).toEqual([4, 0, 4, 109, 4, 0]);
    expect(cipher.read().map(({ length }) => length)).toEqual(sizes);
    for (const pooled of [Buffer.alloc(40_000).subarray(0, 32_777), Buffer.alloc(32_780).subarray(3)]) {
      cipher._onWrite(pooled);
      expect(pooled.length).toBe(32_777);
    }
  });

  test("is of node's AES-GCM nothing that is kept", () => {
    const cipher = patched(false, { _encIV: new Uint8Array(12) });
    const encrypted = createCipheriv("aes-128-gcm", Buffer.alloc(16), Buffer.alloc(12)).update(Buffer.alloc(32_784));
    cipher._onWrite(encrypted);
    expect(encrypted.length).toBe(0);
  });

  test("is left to others, which make a code of it", () => {
    const cipher = patched(false);
    sizes.forEach((size) => cipher.send(Buffer.alloc(size, 1)));
    expect(cipher.given.map(({ length }) => length)).toEqual([4, 32_786, 4, 109, 4, 32_786]);
  });
});

test("a library that looks otherwise stays as it is", () => {
  for (const client of [{}, { _protocol: {} }, { _protocol: { _cipher: { encrypt() {} } } }]) {
    reusePacketMemory(client as unknown as Connection);
    expect(Object.keys(client)).not.toContain("allocPacket");
  }
});
