import { expect, test } from "bun:test";
import { codingOf, encodeBest, encodeNow } from "./content-coding.ts";

const asking = (accepted: string) => new Request("http://x/", { headers: { "accept-encoding": accepted } });

test.each([
  ["gzip, deflate, br, zstd", "zstd"],
  ["GZIP", "gzip"],
  ["gzip;q=0.5, zstd;q=0", "gzip"],
  ["gzip;q=0.0", null],
  ["br", null],
  ["", null],
  ["xgzip", null],
])("of %p the answer's coding is %p", (accepted, coding) => {
  expect(codingOf(asking(accepted))).toBe(coding as never);
});

test.each(["zstd", "gzip"] as const)("%s gives back what was put in", async (coding) => {
  const bytes = Buffer.from("abc ".repeat(1000));
  const decode = coding === "zstd" ? Bun.zstdDecompressSync : Bun.gunzipSync;
  for (const encoded of [encodeNow(bytes, coding), await encodeBest(bytes, coding)]) {
    expect(encoded.length).toBeLessThan(200);
    expect(Buffer.from(decode(encoded as Uint8Array<ArrayBuffer>))).toEqual(bytes);
  }
});
