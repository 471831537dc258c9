import { expect, test } from "bun:test";
import { Notices, withKeepalive } from "./keepalive.ts";

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
  await expect(Array.fromAsync(withKeepalive(Promise.reject(new Error("failed")), bytes("."), 1))).rejects.toThrow(
    "failed",
  );
});

test("one who leaves is not waited for, and a failure after that ends no process", async () => {
  const { promise, reject } = Promise.withResolvers<Uint8Array>();
  const chunks = withKeepalive(promise, bytes("."), 1);
  await chunks.next();
  await chunks.return();
  reject(new Error("nobody hears this"));
  expect((await chunks.next()).done).toBe(true);
});

test("notices come before the answer, each once", async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const notices = new Notices();
  const chunks = withKeepalive(promise, bytes("."), 60_000, notices);
  const first = chunks.next();
  notices.add(bytes("half"));
  expect((await first).value).toEqual(bytes("half"));
  notices.add(bytes("nearly"));
  resolve(bytes("done"));
  expect(await Array.fromAsync(chunks)).toEqual([bytes("nearly"), bytes("done")]);
});
