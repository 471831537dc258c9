import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { wholeBody } from "./whole-body.ts";

const bodies = new Map<string, string | Uint8Array>([
  ["none", ""],
  ["short", "short"],
  ["ascii", "x".repeat(77_872)],
  ["umlauts", "ä€😀".repeat(20_000)],
  ["largest", "€".repeat(1024 * 1024)],
  ["longer", "y".repeat(1024 * 1024 + 1)],
  ["bytes", Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)],
]);
const server = Bun.serve({
  port: 0,
  async fetch({ url }) {
    // Later than the request's own turn, as every answer that asks the database.
    await setImmediate();
    return new Response(wholeBody(bodies.get(new URL(url).pathname.slice(1)) ?? ""), { headers: { "x-a": "1" } });
  },
});
afterAll(() => server.stop(true));

/** What comes over a bare socket until the server closes it, which has so many turns of the loop for each piece. */
async function ask(method: string, name: string, turns = 1): Promise<{ head: string; body: Buffer }> {
  const socket = connect(server.port ?? 0, "localhost");
  socket.write(`${method} /${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const pieces: Buffer[] = [];
  for await (const piece of socket as AsyncIterable<Buffer>) {
    pieces.push(piece);
    for (let left = turns; left > 0; left--) {
      await setImmediate();
    }
  }
  const all = Buffer.concat(pieces);
  const end = all.indexOf("\r\n\r\n");
  return { head: all.subarray(0, end).toString().toLowerCase(), body: all.subarray(end + 4) };
}

test.each([...bodies.keys()])("a body in memory is sent whole and with its length: %s", async (name) => {
  const expected = Buffer.from(bodies.get(name) as string);
  const { head, body } = await ask("GET", name);
  expect(body.equals(expected)).toBe(true);
  expect(head.split("\r\n").filter((line) => /^(content-length|transfer-encoding):/.test(line))).toEqual([
    `content-length: ${expected.length}`,
  ]);
  expect(head).toContain("x-a: 1");
  expect((await ask("HEAD", name)).body.length).toBe(0);
});

test("who reads slowly gets all of it, and who leaves disturbs nobody", async () => {
  const leaving = connect(server.port ?? 0, "localhost");
  leaving.write("GET /largest HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => leaving.once("data", resolve));
  leaving.destroy();
  expect((await ask("GET", "largest", 20)).body.length).toBe(3 * 1024 * 1024);
});

test("it can be read where there is no client", async () => {
  for (const body of bodies.values()) {
    expect(Buffer.from(await new Response(wholeBody(body)).bytes()).equals(Buffer.from(body as string))).toBe(true);
  }
});
