import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { debOf, tarOf } from "../registries/debian/deb.ts";
import { BesideServer, expectUndisturbed } from "./beside.ts";

/** Packages of which each makes many indexes larger. */

setDefaultTimeout(600_000);

let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const credentials = { root: "root:correct horse battery staple", quiet: "quiet:a long password" } as const;

/** The status, and how long it took in milliseconds. */
async function upload(owner: keyof typeof credentials, path: string, body: Uint8Array) {
  const began = performance.now();
  const headers = { authorization: `Basic ${btoa(credentials[owner])}` };
  const answer = await fetch(`${server.url}/api/packages/${owner}/${path}`, { method: "PUT", headers, body });
  return { status: answer.status, text: await answer.text(), took: Math.round(performance.now() - began) };
}

/** A package whose control file has so many characters that compress well. */
function deb(name: string, architecture: string, more = 0): Uint8Array {
  const control = `Package: ${name}\nVersion: 1.0\nArchitecture: ${architecture}\nDescription: ${"a".repeat(more)}\n`;
  return debOf("control.tar.gz", gzipSync(tarOf([["./control", Buffer.from(control)]])));
}

const MiB = 1024 * 1024;

test("packages for all architectures in many lists", async () => {
  const each = 6;
  const place = (component: number) => `debian/pool/wide/c${component}/upload`;
  let sent = 0;
  const send = async (component: number, body: Uint8Array) => {
    sent += body.length;
    return upload("root", place(component), body);
  };
  const largest = (await send(0, deb("large", "all", 300_000))).text;
  expect(largest).toBe('"./control" in the archive has more than 262144 bytes\n');
  expect((await upload("quiet", place(0), deb("first", "all"))).status).toBe(201);
  const seen = await server.during(async () => {
    const statuses: number[] = [];
    for (let at = 0; at < each * each; at++) {
      statuses.push((await send(at % each, deb(`own${at}`, `arch${Math.floor(at / each)}`))).status);
    }
    for (let at = 0; at < 60; at++) {
      statuses.push((await send(at % each, deb(`wide${at}`, "all", 250_000))).status);
    }
    expect(statuses.filter((status) => ![201, 400, 413].includes(status))).toEqual([]);
    const further = send(0, deb("further", "arch0"));
    const others = upload("quiet", place(0), deb("second", "all"));
    const [own, quiet] = [await further, await others];
    console.log(
      `${sent} bytes sent, ${statuses.filter((status) => status === 201).length} of ${statuses.length} taken`,
    );
    console.log(`a further upload ${own.took} ms, another's ${quiet.took} ms`);
    expect([own.status, quiet.status]).toEqual([201, 201]);
    expect(quiet.took).toBeLessThan(5000);
    expect(own.took).toBeLessThan(10_000);
  });
  const kept = server.blobBytes();
  console.log(
    JSON.stringify({ kept: Math.round(kept / MiB), waits: seen.waits, memory: Math.round(seen.memory / MiB) }),
  );
  expect(kept).toBeLessThan(300 * MiB);
  expectUndisturbed(seen);
});
