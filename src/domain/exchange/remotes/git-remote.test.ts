import { createServer } from "node:net";
import { expect, test } from "bun:test";
import type { OutboundClient } from "../../../outbound/outbound-client.ts";
import { openGit } from "./git-remote.ts";

test("a git server that drips is left when it is slower than it may be", async () => {
  const server = createServer((socket) => {
    const timer = setInterval(() => socket.write("0"), 5);
    socket.on("error", () => {});
    socket.on("close", () => clearInterval(timer));
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const { port } = server.address() as { port: number };
  const outbound = { checkDirect: async (host: string) => ({ host, address: "127.0.0.1" }) };
  const address = { text: `git://127.0.0.1:${port}/a.git`, scheme: "git", user: "" } as Parameters<typeof openGit>[1];
  const limits = { answerBytes: 1e6, totalMs: 600_000, progress: { bytes: 1000, ms: 200 } };
  await using conversation = await openGit(outbound as unknown as OutboundClient, address, limits);
  const rest = Array.fromAsync(conversation.advertised.rest());
  expect(await rest.catch((error: Error) => error.message)).toMatch(
    /could not be reached: Only \d+ bytes came or went in 0.2 seconds; 1000 are the least$/,
  );
  server.close();
});
