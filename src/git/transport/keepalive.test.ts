import { expect, test } from "bun:test";
import { withKeepalive } from "./keepalive.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("keepalives come until the answer does", async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const chunks = withKeepalive(promise, bytes("."), 1);
  expect((await chunks.next()).value).toEqual(bytes("."));
  expect((await chunks.next()).value).toEqual(bytes("."));
  resolve(bytes("done"));
  const rest = await Array.fromAsync(chunks);
  expect(rest.at(-1)).toEqual(bytes("done"));
});

test("without a keepalive there is only the answer, and its failure is heard", async () => {
  expect(await Array.fromAsync(withKeepalive(Promise.resolve(bytes("done")), bytes(""), 1))).toEqual([bytes("done")]);
  await expect(Array.fromAsync(withKeepalive(Promise.reject(new Error("failed")), bytes("."), 1))).rejects.toThrow("failed");
});

test("one who leaves is not waited for, and a failure after that ends no process", async () => {
  const { promise, reject } = Promise.withResolvers<Uint8Array>();
  const chunks = withKeepalive(promise, bytes("."), 1);
  await chunks.next();
  await chunks.return();
  reject(new Error("nobody hears this"));
  expect((await chunks.next()).done).toBe(true);
});
