import { createVerify } from "node:crypto";
import zlib from "node:zlib";
import { expect } from "bun:test";

/** The members of a gzip file, each as it is compressed. */
export function membersOf(bytes: Buffer): Buffer[] {
  const members: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const { engine } = zlib.inflateRawSync(bytes.subarray(at + 10), { info: true }) as unknown as {
      engine: { bytesWritten: number };
    };
    const end = at + 18 + engine.bytesWritten;
    members.push(bytes.subarray(at, end));
    at = end;
  }
  return members;
}

/** The records of an index. Throws where its signature is not of this key, or names another one. */
export function readSignedIndex(bytes: Buffer, { name, pem }: { name: string; pem: string }): string {
  const [signed = Buffer.alloc(0), index = Buffer.alloc(0), ...none] = membersOf(bytes);
  expect(none).toEqual([]);
  const signature = zlib.gunzipSync(signed);
  expect(signature.toString("latin1", 0, 100).replace(/\0.*$/s, "")).toBe(`.SIGN.RSA.${name}`);
  // 4096 bits in one block, and no blocks of an end.
  expect(signature.length).toBe(1024);
  expect(createVerify("RSA-SHA1").update(index).verify(pem, signature.subarray(512, 1024))).toBe(true);
  const tar = zlib.gunzipSync(index);
  expect(tar.toString("latin1", 0, 9)).toBe("APKINDEX\0");
  expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  return tar.toString("utf8", 512, 512 + Number.parseInt(tar.toString("latin1", 124, 135), 8));
}
