import { expect, test } from "bun:test";
import { answerWithKeepalive } from "./answer-with-keepalive.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("keepalives come until the answer does", async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const reader = answerWithKeepalive(promise, bytes("."), 1).getReader();
  expect((await reader.read()).value).toEqual(bytes("."));
  expect((await reader.read()).value).toEqual(bytes("."));
  resolve(bytes("done"));
  let last: Uint8Array | undefined;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    last = read.value;
  }
  expect(last).toEqual(bytes("done"));
});

test("a client that leaves during the wait ends neither the work nor the process", async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  // Started in a process of its own: what a timer throws ends it.
  const source = `
    import { answerWithKeepalive } from ${JSON.stringify(new URL("./answer-with-keepalive.ts", import.meta.url).pathname)};
    const server = Bun.serve({ port: 0, fetch: () => new Response(answerWithKeepalive(new Promise(() => {}), new Uint8Array(4), 2)) });
    const leave = new AbortController();
    const reader = (await fetch(server.url, { signal: leave.signal })).body.getReader();
    await reader.read();
    leave.abort();
    let ticks = 0;
    const timer = setInterval(() => ++ticks === 100 && process.exit(7), 2);`;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "ignore", stderr: "pipe" });
  expect([await new Response(child.stderr).text(), await child.exited]).toEqual(["", 7]);

  const reader = answerWithKeepalive(promise, bytes("."), 1).getReader();
  await reader.read();
  await reader.cancel();
  resolve(bytes("done"));
  expect((await reader.read()).done).toBe(true);
});
